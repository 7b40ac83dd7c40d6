"""Remarks about repeated games, and about irregular ones: restarted, lost by the host, or not ended.

An entry that hopes for a second attempt at a secret could end a game by time, memory or a crash after it has seen some
clues. There is no second attempt, but the board names entries that end games like this, and entries that use the grace
period of the clock. LEADERBOARD.md contains the sentences and `wordpl verify` compares them: do not change their words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from wordpl.contest.determinism import RepeatFinding
from wordpl.core.messages import amount
from wordpl.core.moves import Verdict
from wordpl.reports.cells import number
from wordpl.reports.names import shown
from wordpl.run.folder import RunRecords
from wordpl.run.info import EntryInfo

MAX_LISTED = 50
ENDED_BY_ENTRY = (Verdict.LATE, Verdict.CRASHED, Verdict.MEMORY)
"""Verdicts of games without a last move, which an entry can cause on purpose."""
MAX_REPEATS_LISTED = 10


def irregularities(records: RunRecords) -> Iterator[str]:
    """Yield a sentence for each entry and each kind of irregular games."""
    restarted_games = records.info.played_again
    for entry in records.info.entries:
        name, of_entry = shown(entry.name), records.irregular(entry)
        if entry.slug in records.info.after_seed:
            yield (
                f"{name} played after the seed of the run was known, so that its author could have known all secrets. "
                "Its results are for comparison only, and no evidence for a record."
            )
        if entry.slug in restarted_games:
            restarted = _listed(restarted_games[entry.slug])
            yield f"{name} started {restarted} again, because the harness had ended before it wrote the records."
        faults = [record.game for record in of_entry if record.verdict == Verdict.FAULT]
        if faults:
            yield (
                f"{name} lost {_listed(faults)} because its process was killed from outside. No isolated player can do "
                "this, so the host is the cause; the games count as lost."
            )
        unplayed = [record.game for record in of_entry if record.verdict == Verdict.UNPLAYED]
        if unplayed:
            yield f"{name} used up its time for all games: {len(unplayed)} games were not played and count as lost."
        yield from _overtime_and_early_ends(records, entry)


def _overtime_and_early_ends(records: RunRecords, entry: EntryInfo) -> Iterator[str]:
    """Yield the games in which the entry used the grace period, and those that it ended early after a clue."""
    name, ended = shown(entry.name), records.irregular(entry)
    late = {record.game for record in ended if record.verdict == Verdict.LATE}
    if in_grace := sorted(_over_time(records, entry) - late):
        yield (
            f"{name} used more than the {records.info.config.timeout_s:g} s of CPU time that entries are told, in "
            f"{_listed(in_grace)}. This is within the grace period, so that the results count. Each game was played "
            "once."
        )
    after_clues = [record for record in ended if record.verdict in ENDED_BY_ENTRY and record.moves]
    if after_clues:
        counts = Counter(str(record.verdict) for record in after_clues)
        kinds = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        yield (
            f"{name} received clues but made no last move in {_listed([record.game for record in after_clues])} "
            f"({kinds}). Each game was played once and counts as lost."
        )


def _over_time(records: RunRecords, entry: EntryInfo) -> set[int]:
    """Return the games in which the entry exceeded its announced CPU time, scaled by each machine's speed."""
    most_s = {name: worker.slowness * records.info.config.timeout_s for name, worker in records.info.workers.items()}
    if not (records.run.entry(entry).cpu_times() > min([records.info.config.timeout_s, *most_s.values()])).any():
        return set()  # the usual case, without reading the durations
    return {
        duration.game
        for duration in records.run.entry(entry).durations()
        if duration.cpu_s is not None and duration.cpu_s > most_s.get(duration.machine, records.info.config.timeout_s)
    }


def _listed(games: Sequence[int], max_listed: int = MAX_LISTED) -> str:
    remainder = f" and {len(games) - max_listed} more" if len(games) > max_listed else ""
    return f"game {games[0]}" if len(games) == 1 else f"games {', '.join(map(str, games[:max_listed]))}{remainder}"


def repeats(findings: Sequence[RepeatFinding]) -> Iterator[str]:
    """Yield the number of repeated games, then a sentence for each entry with differences."""
    if not findings:
        return
    numbers = [len(finding.repeated) for finding in findings]
    sample = ("" if min(numbers) == max(numbers) else f"{min(numbers)} to ") + amount(max(numbers), "game")
    differences = [_changed(finding) for finding in findings if finding.changed]
    differences += [_not_compared(finding) for finding in findings if finding.not_compared]
    end = "." if differences else ", all with the same moves."
    how = ", with the same clues under another secret" if all(finding.blind for finding in findings) else ""
    yield f"Repeated in fresh processes{how}: {sample} of each entry{end}"
    if excluded := [share for finding in findings if (share := finding.max_dependent) is not None]:
        of_all = "each" if len(excluded) == len(findings) else "each of the others"
        yield (
            f"So the moves of {of_all} depend on the secret, beyond its clues, in at most "
            f"{number(max(excluded), percent=True)} of its games (95% confidence)."
        )
    yield from differences


def _not_compared(finding: RepeatFinding) -> str:
    games = f"{len(finding.not_compared)} of {amount(len(finding.repeated), 'game')}"
    text = f"{shown(finding.entry.name)}: {games} could not be compared, since their repeats were cut short twice"
    if not finding.is_evasive:
        return f"{text}: {_listed(finding.not_compared, MAX_REPEATS_LISTED)}."
    why = "so that the repeats do not show whether its games are independent"
    return f"{text}, {why}: {_listed(finding.not_compared, MAX_REPEATS_LISTED)}."


def _changed(finding: RepeatFinding) -> str:
    counts = f"{len(finding.changed)} of {amount(len(finding.repeated), 'game')}"
    listed_games = _listed(finding.changed, MAX_REPEATS_LISTED)
    if finding.by_secret:
        return (
            f"{shown(finding.entry.name)} seems to know the secret: when the same clues were shown under another "
            f"secret, {counts} were different, but {len(finding.by_secret)} of these were as in the run under their "
            f"own secret: {_listed(finding.by_secret, MAX_REPEATS_LISTED)}."
        )
    if finding.unsteady:
        return (
            f"{shown(finding.entry.name)} is not reproducible: with the same seed, {counts} were different in a fresh "
            f"process, and {len(finding.unsteady)} of these were different again in a second one: {listed_games}."
        )
    return (
        f"{shown(finding.entry.name)} depends on earlier games: {counts} were different, and both times the same, in "
        f"fresh processes that had played no other game: {listed_games}."
    )
