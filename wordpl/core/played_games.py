"""The played games of an entry: finding out which have records, and sorting the records when all games are played.

Both read the record file block by block, so that they take little memory.
"""

import mmap
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec

from wordpl.core import record_files
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.record import Verdict, is_torn, summarize
from wordpl.core.records import EntryInfo, Run


@dataclass(frozen=True)
class PlayedGames:
    """The games of an entry that have records.

    Attributes:
        is_done: For each game of the run, 1 if it has a record, else 0.
        n_won: The number of won games.
    """

    is_done: bytearray
    n_won: int

    @property
    def n_games(self) -> int:
        """The number of games that have a record."""
        return sum(self.is_done)


def find_played(run: Run, entry: EntryInfo) -> PlayedGames:
    """Return which games of the entry have records.

    Raises:
        UserError: A line is not a record, or its game does not belong to the run.
    """
    is_done, n_won = bytearray(run.info.n_games), 0
    for _, game, verdict in _record_lines(run, entry):
        n_won += not is_done[game] and verdict == Verdict.WON
        is_done[game] = 1
    return PlayedGames(is_done, n_won)


def sort_records(run: Run, entry: EntryInfo) -> None:
    """Sort the entry's record file by game, keeping one record per game and dropping torn lines."""
    path, n_games = run.path(entry), run.info.n_games
    if not path.exists():
        if not record_files.exists(path):
            write_atomically(path, b"")
        return
    starts, lengths = array("q", [-1]) * n_games, array("q", [0]) * n_games
    end, before, is_sorted = 0, -1, True
    for line, game, _ in _record_lines(run, entry, torn=True):
        if game >= 0 and starts[game] < 0:
            starts[game], lengths[game] = end, len(line)
        is_sorted = is_sorted and game > before
        before, end = game, end + len(line)
    if not (is_sorted and end == path.stat().st_size):
        write_atomically(path, _in_game_order(path, starts, lengths))


def _in_game_order(path: Path, starts: Sequence[int], lengths: Sequence[int]) -> Iterator[bytes]:
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start, length in zip(starts, lengths, strict=True):
            if start >= 0:
                yield data[start : start + length]


def _record_lines(run: Run, entry: EntryInfo, *, torn: bool = False) -> Iterator[tuple[bytes, int, Verdict | None]]:
    """Yield each line with its game and verdict; if `torn`, include torn lines with game -1."""
    path, n_games = run.path(entry), run.info.n_games
    lines = chain.from_iterable(record_files.blocks(path, n_games))
    for number, line in enumerate(lines, 1):
        try:
            summary = summarize(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not is_torn(line):
                raise UserError(f"line {number} of {path} is not a record: {error}") from None
            if torn:
                yield line, -1, None
            continue
        if not 0 <= summary.game < n_games:
            raise UserError(f"line {number} of {path} is of game {summary.game}; the run has games 0 to {n_games - 1}.")
        yield line, summary.game, summary.verdict
