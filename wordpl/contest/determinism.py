"""Repeated games, which show whether an entry's games depend on earlier games or on randomness without a seed.

An entry could carry over what it learned in one game to the next. So after a run has been played, some games, which the
run's seed selects, are repeated, each in a new process. The folder `repeats` stores their records: one line if the game
went as in the run; two lines, the second from another new process, if it did not or could not be compared.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from wordpl.contest.chunks import Chunk, Work
from wordpl.contest.match import GameComparison, agree, compare
from wordpl.contest.workforce import Workforce
from wordpl.core import seeds
from wordpl.core.files import append, write_atomically
from wordpl.core.records import EntryInfo, Record, Run, encode
from wordpl.core.run_records import RunRecords, read_repeats

GAMES_PER_CHUNK = 5
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
        not_compared: The games that were cut short twice before they had as many moves as in the run. An entry can
            cause this in order to hide what it does.
    """

    entry: EntryInfo
    repeated: tuple[int, ...]
    changed: tuple[int, ...]
    unsteady: tuple[int, ...]
    not_compared: tuple[int, ...] = ()

    @property
    def is_evasive(self) -> bool:
        """Whether too many games could not be compared."""
        return len(self.not_compared) > MAX_NOT_COMPARED * len(self.repeated)


def games_to_repeat(key: bytes, n_games: int, n_repeats: int) -> list[int]:
    """Return the numbers of the games to repeat in ascending order, drawn with the key of the run.

    Args:
        key: The key of all draws.
        n_games: The number of games of the run.
        n_repeats: The number of games to repeat; all games, if the run has no more.
    """
    return sorted(sorted(range(n_games), key=lambda game: seeds.draw(key, b"repeat", game))[:n_repeats])


def findings(records: RunRecords) -> list[RepeatFinding]:
    """Return the results for each entry that has repeated games."""
    repeat_findings = []
    for entry in records.info.entries:
        repeats = records.repeats_of(entry)
        first = records.records_of_games(entry, repeats) if repeats else {}
        comparable = {game: repeated for game, repeated in repeats.items() if game in first}
        comparisons = {game: _compare_repeats(first[game], repeated) for game, repeated in comparable.items()}
        changed = tuple(game for game, result in comparisons.items() if result == GameComparison.CHANGED)
        unsteady = tuple(
            game for game in changed if not all(agree(comparable[game][0], record) for record in comparable[game])
        )
        not_compared = tuple(game for game, result in comparisons.items() if result == GameComparison.NOT_COMPARED)
        if comparable:
            repeat_findings.append(RepeatFinding(entry, tuple(comparable), changed, unsteady, not_compared))
    return repeat_findings


def _compare_repeats(first: Record, repeated: Sequence[Record]) -> GameComparison:
    """Return the combined result of a game's repetitions: CHANGED if any differs, else SAME if any was compared."""
    results = {compare(first, record) for record in repeated}
    by_priority = (GameComparison.CHANGED, GameComparison.SAME, GameComparison.NOT_COMPARED)
    return next(comparison for comparison in by_priority if comparison in results)


def play_repeats(
    run: Run, workforce: Workforce, progress: Callable[[int, int], object], without: Collection[str] = ()
) -> None:
    """Repeat the selected games that have no record of a repetition yet. All games of the run must have been played.

    Args:
        workforce: The workers that play the games.
        progress: Called with the number of finished repetitions and their total.
        without: The slugs of entries to skip, because they have not played all their games.
    """
    (run.folder / "repeats").mkdir(exist_ok=True)
    numbers = games_to_repeat(workforce.key, run.info.n_games, run.info.repeats)
    repeated_games = [set(read_repeats(run, entry)) for entry in run.entries]
    left = [
        [number for number in numbers if number not in games and entry.slug not in without]
        for games, entry in zip(repeated_games, run.entries, strict=True)
    ]
    total = len(numbers) * sum(entry.slug not in without for entry in run.entries)
    n_done = total - sum(map(len, left))
    progress(n_done, total)
    with workforce.outcomes(_chunks(run, left)) as outcomes:
        for outcome in outcomes:
            if new := set(outcome.numbers) - repeated_games[outcome.entry]:
                with run.repeats_path(run.entries[outcome.entry]).open("ab", buffering=0) as file:
                    append(file.fileno(), b"".join(outcome.records))
                repeated_games[outcome.entry] |= new
                n_done += len(new)
                progress(n_done, total)
    for entry in run.entries:
        sort_repeats(run, entry)


def _chunks(run: Run, left: list[list[int]]) -> Iterator[Chunk]:
    for index, numbers in enumerate(left):
        games = set(numbers)
        first = {record.game: encode(record) for record in run.records(run.entries[index], games)} if games else {}
        for start in range(0, len(numbers), GAMES_PER_CHUNK):
            games_of_chunk = tuple(numbers[start : start + GAMES_PER_CHUNK])
            yield Chunk(index, games_of_chunk, Work.REPEAT, first=tuple(first[number] for number in games_of_chunk))


def sort_repeats(run: Run, entry: EntryInfo) -> None:
    """Sort the entry's records of repeated games by game, and drop torn lines."""
    path = run.repeats_path(entry)
    text = b"".join(encode(record) for records in read_repeats(run, entry).values() for record in records)
    if path.exists() and path.read_bytes() != text:
        write_atomically(path, text)
