"""Repeated games, which show whether an entry's moves depend on anything but its clues and its seed.

An entry could carry over what it learned in one game to the next, or find out the secret from the referee. So after a
run has been played, some games, which the run's seed selects, are repeated, each in a new process. The referee then
holds another secret and shows the recorded clues: an entry that knows only its clues makes the recorded moves.

An entry could also find out the seed of the run, by a search for one that explains its clues or its own seed; then it
makes these moves, too. So half of these games are also played anew, with their secret and with noise and a seed for the
entry that are drawn from fresh entropy when the last game has ended. To an entry that knows only its clues, both games
are alike: which of them goes better is a matter of chance.

Unless a host chooses their number, as many games are repeated as fit into a third of the time that the games took, so
that insurance costs less than what it insures; the number, between 50 and 1,000, is kept in run.json. If the host has
limited the time of an entry's games, a third of it is the limit of its repetitions, so that nobody waits for entries
that sleep: the other games are recorded as unplayed, and count as not compared.

The folder `repeats` stores the records of these games: first that of the game played anew, in games with odd numbers;
then that of the replay. If the replay did not go as in the run or could not be compared, another line follows, from
another new process with the game's own secret. In runs of the format wordpl-run/2, the first line of games with odd
numbers is a replay with another seed for the entry's own draws; if it is the only one, the entry draws nothing.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb

from wordpl.contest.referee import CUT_SHORT, GameComparison, agree, compare
from wordpl.contest.run_worker import Chunk, Work, Workforce
from wordpl.core.files import Appender, make_folders, write_atomically
from wordpl.core.intervals import CONFIDENCE, MAX_FALSE_ALARM
from wordpl.core.seeds import Draws, new_official_seed
from wordpl.run.config import SHARE_OF_TIME, RunConfig
from wordpl.run.entry import RunEntry
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, Replay, cost, encode

GAMES_PER_CHUNK = 5
MAX_REPEATS = 1000
MIN_OTHER_SEEDS = 50
"""The number of repetitions with the same moves that show that an entry draws nothing."""
OTHER_SEED = (Replay.DRAWS, Replay.SECRET_AND_SEED)
"""The repetitions in which an entry has another seed for its own draws."""
MAX_NOT_COMPARED = 0.1
"""The share of repetitions that may be cut short before this is reported as evasive."""


@dataclass(frozen=True)
class RepeatFinding:
    """The results of an entry's repeated games, as numbers of games.

    Attributes:
        entry: The entry.
        repeated: All repeated games.
        changed: The games with other moves than in the run.
        unsteady: The changed games in which two new processes differed from each other too.
        by_secret: The games that changed under another secret, and had the same moves as in the run under their own;
            empty if any game is unsteady.
        reseeded: The games with the same moves although the entry had another seed for its own draws.
        blind: The games that were repeated under another secret.
        drew: The games with other moves when the entry had another seed, or other noise, than in the run.
        anew: The games that were also played anew.
        better, worse: Those in which the entry did better, or worse, in the run than when they were played anew.
        n_tests: The number of entries for which these are compared.
        not_compared: The games that were cut short twice before they had as many moves as in the run. An entry can
            cause this in order to hide what it does.
    """

    entry: EntryInfo
    repeated: tuple[int, ...]
    changed: tuple[int, ...]
    unsteady: tuple[int, ...]
    not_compared: tuple[int, ...] = ()
    by_secret: tuple[int, ...] = ()
    reseeded: tuple[int, ...] = ()
    blind: tuple[int, ...] = ()
    drew: tuple[int, ...] = ()
    anew: tuple[int, ...] = ()
    better: tuple[int, ...] = ()
    worse: tuple[int, ...] = ()
    n_tests: int = 1

    @property
    def knows_seed(self) -> bool:
        """Whether the entry needs the draws of the run to do as well as it did, by an exact sign test.

        If its moves are a function of its clues and its seed, as the replays show, both results of a game that is
        played anew have the same distribution, whatever the secret, and games are independent.
        """
        n = len(self.better) + len(self.worse)
        p_value: float = sum(comb(n, k) for k in range(len(self.better), n + 1)) / 2**n
        return not self.changed and p_value < MAX_FALSE_ALARM / self.n_tests

    def is_exact(self, config: RunConfig) -> bool:
        """Return whether enough games show that the entry makes the same moves whatever it draws, if it plays all."""
        n_compared = len(self.repeated) - len(self.not_compared)
        return (
            config.every_answer
            and n_compared >= min(MIN_OTHER_SEEDS, config.n_games)
            and not (self.changed or self.drew)
        )

    @property
    def is_suspect(self) -> bool:
        """Whether the entry made other moves, or needs the draws of the run."""
        return bool(self.changed) or self.knows_seed

    @property
    def n_same(self) -> int:
        """The number of games with the same moves under another secret."""
        return len(set(self.blind) - set(self.changed) - set(self.not_compared))

    @property
    def max_dependent(self) -> float | None:
        """The largest share of games whose moves may depend on the secret, with 95% confidence.

        If a larger share did, at least one of the compared games would have shown it in 95% of runs. None if a game
        changed, or if no game was compared.
        """
        return 1 - (1 - CONFIDENCE) ** (1 / self.n_same) if self.n_same and not self.changed else None

    @property
    def is_evasive(self) -> bool:
        """Whether too many games could not be compared."""
        return len(self.not_compared) > MAX_NOT_COMPARED * len(self.repeated)


def games_to_repeat(draws: Draws, n_games: int, n_repeats: int) -> list[int]:
    """Return the numbers of the games to repeat in ascending order.

    Args:
        draws: The draws of the run.
        n_games: The number of games of the run.
        n_repeats: The number of games to repeat; all games, if the run has no more.
    """
    return sorted(draws.repeat_order(n_games)[:n_repeats])


def findings(records: RunRecords) -> list[RepeatFinding]:
    """Return the results for each entry that has repeated games."""
    return [finding for entry in records.info.entries if (finding := _finding(records, entry)).repeated]


def _finding(records: RunRecords, entry: EntryInfo) -> RepeatFinding:
    repeats = records.repeats_of(entry)
    first = records.repeated(entry)
    lines = {game: repeated for game, repeated in repeats.items() if game in first}
    played_anew = [record for repeated in lines.values() for record in repeated if record.replay == Replay.DRAWS]
    better, worse = _results_anew(first, played_anew, entry)
    with_other_seed = {game: repeated[0] for game, repeated in lines.items() if repeated[0].replay in OTHER_SEED}
    results = {game: compare(first[game], record) for game, record in with_other_seed.items()}
    reseeded, drew = (
        tuple(game for game, result in results.items() if result == wanted)
        for wanted in (GameComparison.SAME, GameComparison.CHANGED)
    )
    # An entry that draws makes other moves with another seed, which says nothing.
    comparable = {
        game: [record for record in repeated if game in reseeded or record.replay not in OTHER_SEED]
        for game, repeated in lines.items()
    }
    comparisons = {game: _compare_repeats(first[game], repeated) for game, repeated in comparable.items()}
    changed = tuple(game for game, result in comparisons.items() if result == GameComparison.CHANGED)
    by_secret = tuple(
        game
        for game in changed
        if _is_blind(comparable[game]) and compare(first[game], comparable[game][-1]) == GameComparison.SAME
    )
    unsteady = tuple(
        game for game in changed if game not in by_secret and not agree(comparable[game][0], comparable[game][-1])
    )
    if unsteady:  # an entry that draws without a seed may make the same moves by chance
        by_secret = ()
    lost = {
        record.game
        for record in played_anew
        if record.verdict in CUT_SHORT and first[record.game].verdict not in CUT_SHORT
    }
    not_compared = tuple(
        game for game, result in comparisons.items() if result == GameComparison.NOT_COMPARED or game in lost
    )
    blind = tuple(game for game, repeated in lines.items() if _is_blind(repeated))
    anew, n_tests = tuple(record.game for record in played_anew), len(records.info.entries)
    return RepeatFinding(
        entry,
        tuple(lines),
        changed,
        unsteady,
        not_compared,
        by_secret,
        reseeded,
        blind,
        drew,
        anew,
        better,
        worse,
        n_tests,
    )


def _is_blind(repeated: Sequence[Record]) -> bool:
    return any(record.replay in (Replay.SECRET, Replay.SECRET_AND_SEED) for record in repeated)


def _results_anew(
    first: Mapping[int, Record], anew: Sequence[Record], entry: EntryInfo
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the games in which an entry did better, and worse, in the run than when they were played anew."""
    pairs = [(first[record.game], record) for record in anew]
    gains = {
        record.game: cost(again, entry.game) - cost(record, entry.game)
        for record, again in pairs
        if record.verdict not in CUT_SHORT and again.verdict not in CUT_SHORT
    }
    better = tuple(game for game, gain in gains.items() if gain > 0)
    return better, tuple(game for game, gain in gains.items() if gain < 0)


def _compare_repeats(first: Record, repeated: Sequence[Record]) -> GameComparison:
    """Return the combined result of a game's repetitions: CHANGED if any differs, else SAME if any was compared."""
    results = {compare(first, record) for record in repeated}
    by_priority = (GameComparison.CHANGED, GameComparison.SAME)
    return next((result for result in by_priority if result in results), GameComparison.NOT_COMPARED)


def play_repeats(
    run: Run,
    workforce: Workforce,
    progress: Callable[[int, int], object],
    games_s: float = 0.0,
    without: Collection[str] = (),
) -> None:
    """Repeat the selected games that have no record of a repetition yet. All games of the run must have been played.

    Args:
        workforce: The workers that play the games.
        progress: Called with the number of finished repetitions and their total, which may grow once.
        games_s: The wall time that the games took, in seconds.
        without: The slugs of entries to skip, because they have not played all their games.
    """
    if all(entry.is_hosted for entry in run.info.entries):  # no game of which can be repeated
        return
    make_folders(run.folder / "repeats")
    repeated_games = [_keep_finished(entry) for entry in run.entries]
    played_all = [entry.slug not in without and not entry.is_hosted for entry in run.info.entries]
    left = _left(run, workforce, repeated_games, played_all)
    n_done = n_before = sum(len(games) for games, is_whole in zip(repeated_games, played_all, strict=True) if is_whole)
    total = n_done + sum(map(len, left))
    progress(n_done, total)
    if n_done < total and run.info.repeats_seed is None:
        run.info.repeats_seed = new_official_seed()
        run.write_info()
    started, used_s = time.perf_counter(), [0.0] * len(left)
    while any(left):
        with workforce.outcomes(_chunks(run, left, used_s)) as outcomes:
            for outcome in outcomes:
                used_s[outcome.entry] += outcome.cpu_s
                new = set(outcome.numbers) - repeated_games[outcome.entry]
                _add(run.entries[outcome.entry], new, outcome.records)
                repeated_games[outcome.entry] |= new
                n_done += len(new)
                if n_done == total:
                    _choose_number(run, n_done - n_before, time.perf_counter() - started, games_s)
                    left = _left(run, workforce, repeated_games, played_all)
                    total += sum(map(len, left))
                progress(n_done, total)
        left = _left(run, workforce, repeated_games, played_all)  # with the games that workers have returned
    for entry in run.entries:
        entry.sort_repeats()


def _left(
    run: Run, workforce: Workforce, repeated: Sequence[Collection[int]], played_all: Sequence[bool]
) -> list[list[int]]:
    """Return the games of each entry that are still to be repeated."""
    numbers = games_to_repeat(workforce.draws, run.info.config.n_games, run.info.games_to_repeat)
    return [
        [number for number in numbers if is_whole and number not in games]
        for games, is_whole in zip(repeated, played_all, strict=True)
    ]


def _choose_number(run: Run, n_repeated: int, took_s: float, games_s: float) -> None:
    """Choose how many games of each entry are repeated, unless that has been done, by the time for the first ones."""
    if run.info.config.repeats is None and run.info.n_repeats is None:
        n_first = run.info.games_to_repeat
        affordable_s = SHARE_OF_TIME * games_s
        n_of_all = n_repeated * affordable_s / max(took_s, 1e-6)
        n_entries = sum(not entry.is_hosted for entry in run.info.entries)
        chosen = min(MAX_REPEATS, run.info.config.n_games, int(n_of_all / n_entries))
        run.info.n_repeats = max(n_first, chosen)
        run.write_info()


def _add(entry: RunEntry, new: Collection[int], lines: Sequence[bytes]) -> None:
    if new:
        with Appender(entry.repeats_path) as file:
            file.add(b"".join(lines), sync=False)


def _keep_finished(entry: RunEntry) -> set[int]:
    """Return the games that were repeated, and remove the lines of those whose last line was lost in a crash."""
    repeats = entry.repeats()
    first = {record.game: record for record in entry.records(set(repeats))} if repeats else {}

    def is_finished(game: int, last: Record) -> bool:
        if last.replay in (None, Replay.DRAWS):
            return last.replay is None
        return game in first and compare(first[game], last) == GameComparison.SAME

    finished = {game: lines for game, lines in repeats.items() if is_finished(game, lines[-1])}
    if len(finished) < len(repeats):
        kept = [encode(record) for lines in finished.values() for record in lines]
        write_atomically(entry.repeats_path, b"".join(kept))
    return set(finished)


def _chunks(run: Run, left: list[list[int]], used_s: Sequence[float]) -> Iterator[Chunk]:
    """Yield chunks lazily, so that they heed the time `used_s` that the repetitions of each entry have used."""
    limit_s = run.info.config.repetitions_s
    for index, numbers in enumerate(left):
        games = set(numbers)
        first = {record.game: encode(record) for record in run.entries[index].records(games)} if games else {}
        for start in range(0, len(numbers), GAMES_PER_CHUNK):
            games_of_chunk = tuple(numbers[start : start + GAMES_PER_CHUNK])
            if used_s[index] >= limit_s:
                yield Chunk(index, games_of_chunk, Work.SKIP)
                continue
            lines = tuple(first[number] for number in games_of_chunk)
            yield Chunk(index, games_of_chunk, Work.REPEAT, first=lines, fresh=run.info.fresh_draws)
