"""Sentences about the games that were repeated to check that entries are deterministic."""

from collections.abc import Iterator, Sequence

from wordpl.contest.determinism import RepeatFinding
from wordpl.core.messages import amount
from wordpl.reports.names import shown

MAX_GAMES = 10


def sentences(findings: Sequence[RepeatFinding]) -> Iterator[str]:
    """Yield the number of repeated games, then a sentence for each entry with differences."""
    if not findings:
        return
    numbers = [len(finding.repeated) for finding in findings]
    sample = ("" if min(numbers) == max(numbers) else f"{min(numbers)} to ") + amount(max(numbers), "game")
    differences = [_changed(finding) for finding in findings if finding.changed]
    differences += [_not_compared(finding) for finding in findings if finding.not_compared]
    end = "." if differences else ", all with the same moves."
    yield f"Repeated in fresh processes: {sample} of each entry{end}"
    yield from differences


def _not_compared(finding: RepeatFinding) -> str:
    games = f"{len(finding.not_compared)} of {amount(len(finding.repeated), 'game')}"
    text = f"{shown(finding.entry.name)}: {games} could not be compared, since their repeats were cut short twice"
    if not finding.is_evasive:
        return f"{text}: {_listed(finding.not_compared)}."
    why = "so that the repeats do not show whether its games are independent"
    return f"{text}, {why}: {_listed(finding.not_compared)}."


def _changed(finding: RepeatFinding) -> str:
    changed, listed = f"{len(finding.changed)} of {amount(len(finding.repeated), 'game')}", _listed(finding.changed)
    if finding.unsteady:
        return (
            f"{shown(finding.entry.name)} is not reproducible: with the same seed, {changed} were different in a fresh "
            f"process, and {len(finding.unsteady)} of these were different again in a second one: {listed}."
        )
    return (
        f"{shown(finding.entry.name)} depends on earlier games: {changed} were different, and both times the same, in "
        f"fresh processes that had played no other game: {listed}."
    )


def _listed(games: Sequence[int]) -> str:
    rest = len(games) - MAX_GAMES
    listed = ", ".join(map(str, games[:MAX_GAMES])) + (f" and {rest} more" if rest > 0 else "")
    return f"game {listed}" if len(games) == 1 else f"games {listed}"
