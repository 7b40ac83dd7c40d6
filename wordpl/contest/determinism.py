"""Games played again, each in a fresh process: whether an entry's games depend on those before, or on no seed at all.

An entry could keep what it learnt in one game for the next. So when a run has been played, the run's seed chooses some
games, and each of them is played once more in a process that has played no other. The folder `repeats` keeps what
happened, in the form of the records: one line for a game that went as in the run; two for one that did not, or that was
cut short so that it could not be compared, the second from another fresh process.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from wordpl.contest.comparison import CUT_SHORT, Comparison, alike, compare
from wordpl.contest.run_worker import Chunk, Work
from wordpl.contest.workforce import Workforce
from wordpl.core import seeds
from wordpl.core.files import append, write_safely
from wordpl.core.records import EntryInfo, Record, Run, encode
from wordpl.core.run_records import RunRecords, read_repeats

__all__ = ["CUT_SHORT", "Comparison", "Finding", "alike", "chosen", "compare", "findings", "play_repeats", "settle"]

CHUNK = 5
MAX_NOT_COMPARED = 0.1
"""The share of games that may be cut short in their repeats before an entry is named for it."""


@dataclass(frozen=True)
class Finding:
    """What the repeated games of an entry show, as numbers of games.

    repeated: all of them. changed: those with other moves than in the run. unsteady: those of the changed ones in which
    two fresh processes had other moves too. not_compared: those cut short twice before they had as many moves as in the
    run, which an entry can bring about to hide what it does.
    """

    entry: EntryInfo
    repeated: tuple[int, ...]
    changed: tuple[int, ...]
    unsteady: tuple[int, ...]
    not_compared: tuple[int, ...] = ()

    @property
    def is_evasive(self) -> bool:
        """Whether so many games could not be compared that the others say little."""
        return len(self.not_compared) > MAX_NOT_COMPARED * len(self.repeated)


def chosen(key: bytes, n_games: int, n_repeats: int) -> list[int]:
    """Return the games to repeat, all if there are no more, in ascending order; the key of the run's draws decides."""
    return sorted(sorted(range(n_games), key=lambda game: seeds.draw(key, b"repeat", game))[:n_repeats])


def findings(records: RunRecords) -> list[Finding]:
    """Return what is known of each entry that has repeated games."""
    found = []
    for entry in records.info.entries:
        repeats = records.repeats_of(entry)
        first = records.some(entry, repeats) if repeats else {}
        again = {game: repeated for game, repeated in repeats.items() if game in first}
        shown = {game: _of_game(first[game], repeated) for game, repeated in again.items()}
        changed = tuple(game for game, one in shown.items() if one == Comparison.CHANGED)
        unsteady = tuple(game for game in changed if not all(alike(again[game][0], one) for one in again[game]))
        not_compared = tuple(game for game, one in shown.items() if one == Comparison.NOT_COMPARED)
        if again:
            found.append(Finding(entry, tuple(again), changed, unsteady, not_compared))
    return found


def _of_game(first: Record, repeated: Sequence[Record]) -> Comparison:
    """Return what the repeats of a game show: any other moves count, then whatever could be compared."""
    shown = {compare(first, one) for one in repeated}
    return next(one for one in (Comparison.CHANGED, Comparison.SAME, Comparison.NOT_COMPARED) if one in shown)


def play_repeats(
    run: Run, workforce: Workforce, progress: Callable[[int, int], object], without: Collection[str] = ()
) -> None:
    """Play again what the run asks for and has no record of yet. All games of the run must have been played.

    Args:
        run: The run.
        workforce: Who plays.
        progress: Called with how many games are done, and of how many.
        without: Slugs of entries that have not played all their games, and repeat none.
    """
    (run.folder / "repeats").mkdir(exist_ok=True)
    numbers = chosen(workforce.key, run.info.n_games, run.info.repeats)
    done = [set(read_repeats(run, entry)) for entry in run.entries]
    left = [
        [number for number in numbers if number not in games and entry.slug not in without]
        for games, entry in zip(done, run.entries, strict=True)
    ]
    total = len(numbers) * sum(entry.slug not in without for entry in run.entries)
    n_done = total - sum(map(len, left))
    progress(n_done, total)
    with workforce.outcomes(_chunks(run, left)) as outcomes:
        for outcome in outcomes:
            if new := set(outcome.numbers) - done[outcome.entry]:
                with run.repeats_path(run.entries[outcome.entry]).open("ab", buffering=0) as file:
                    append(file.fileno(), b"".join(outcome.records))
                done[outcome.entry] |= new
                n_done += len(new)
                progress(n_done, total)
    for entry in run.entries:
        settle(run, entry)


def _chunks(run: Run, left: list[list[int]]) -> Iterator[Chunk]:
    for index, numbers in enumerate(left):
        wanted = set(numbers)
        first = {one.game: encode(one) for one in run.records(run.entries[index], wanted)} if wanted else {}
        for at in range(0, len(numbers), CHUNK):
            few = tuple(numbers[at : at + CHUNK])
            yield Chunk(index, few, Work.REPEAT, first=tuple(first[number] for number in few))


def settle(run: Run, entry: EntryInfo) -> None:
    """Put the entry's repeated games in order, whole lines only."""
    path = run.repeats_path(entry)
    text = b"".join(encode(record) for records in read_repeats(run, entry).values() for record in records)
    if path.exists() and path.read_bytes() != text:
        write_safely(path, text)
