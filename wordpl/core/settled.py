"""Which games of an entry have records, and the order that these get in the end; at most a line is kept in memory."""

import mmap
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec

from wordpl.core import record_files
from wordpl.core.errors import UserError
from wordpl.core.files import write_safely
from wordpl.core.record import Verdict, is_torn, summarize
from wordpl.core.records import EntryInfo, Run


@dataclass(frozen=True)
class Played:
    """The games of an entry that have records.

    Attributes:
        is_done: For each game of the run, 1 if it has one.
        n_won: How many of them were won.
    """

    is_done: bytearray
    n_won: int

    @property
    def n_games(self) -> int:
        """How many have a record."""
        return sum(self.is_done)


def played(run: Run, entry: EntryInfo) -> Played:
    """Return which games of the entry have records.

    Raises:
        UserError: A line is no record, or that of a game which the run has not.
    """
    is_done, n_won = bytearray(run.info.n_games), 0
    for _, game, verdict in _lines(run, entry):
        n_won += not is_done[game] and verdict == Verdict.WON
        is_done[game] = 1
    return Played(is_done, n_won)


def settle(run: Run, entry: EntryInfo) -> None:
    """Put the entry's records in the order of their games, each once, whole lines only."""
    path, n_games = run.path(entry), run.info.n_games
    if not path.exists():
        if not record_files.exists(path):
            write_safely(path, b"")
        return
    starts, lengths = array("q", [-1]) * n_games, array("q", [0]) * n_games
    end, before, is_settled = 0, -1, True
    for line, game, _ in _lines(run, entry, torn=True):
        if game >= 0 and starts[game] < 0:
            starts[game], lengths[game] = end, len(line)
        is_settled = is_settled and game > before
        before, end = game, end + len(line)
    if not (is_settled and end == path.stat().st_size):
        write_safely(path, _gathered(path, starts, lengths))


def _gathered(path: Path, starts: Sequence[int], lengths: Sequence[int]) -> Iterator[bytes]:
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start, length in zip(starts, lengths, strict=True):
            if start >= 0:
                yield data[start : start + length]


def _lines(run: Run, entry: EntryInfo, *, torn: bool = False) -> Iterator[tuple[bytes, int, Verdict | None]]:
    """Yield each line of records with its game and verdict; torn: torn lines too, as game -1."""
    path, n_games = run.path(entry), run.info.n_games
    lines = chain.from_iterable(record_files.blocks(path, n_games))
    for number, line in enumerate(lines, 1):
        try:
            found = summarize(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not is_torn(line):
                raise UserError(f"line {number} of {path} is not a record: {error}") from None
            if torn:
                yield line, -1, None
            continue
        if not 0 <= found.game < n_games:
            raise UserError(f"line {number} of {path} is of game {found.game}; the run has games 0 to {n_games - 1}.")
        yield line, found.game, found.verdict
