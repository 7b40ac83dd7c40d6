"""Finds games of a run. Record files are read line by line, so that memory use does not grow with the run."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Record, Run, decode
from wordpl.terminal.app.run_follower import GrowingFile

MAX_GAMES = 500


@dataclass(frozen=True)
class GameFilter:
    """A filter of games; an empty text matches all.

    Attributes:
        entry: The entry's name.
        verdict: The verdict of the game.
        secret: The secret or its first letters.
    """

    entry: str = ""
    verdict: str = ""
    secret: str = ""

    def fits(self, record: Record) -> bool:
        """Return whether a game of the entry matches."""
        return (not self.verdict or record.verdict == self.verdict) and record.secret.startswith(self.secret)


@dataclass(frozen=True)
class FoundGames:
    """The first matching games, at most MAX_GAMES, and the number of all matching games."""

    games: list[tuple[EntryInfo, Record]]
    n_found: int


def find_games(run: Run, wanted: GameFilter) -> FoundGames:
    """Return the matching games, entry by entry, in the order of their files."""
    found: list[tuple[EntryInfo, Record]] = []
    n_found = 0
    entries = [entry for entry in run.info.entries if wanted.entry in ("", entry.name)]
    share = max(1, MAX_GAMES // max(1, len(entries)))
    for entry in entries:
        n_kept = 0
        for record in _records(run, entry):
            if wanted.fits(record):
                n_found += 1
                if n_kept < share:
                    n_kept += 1
                    found.append((entry, record))
    return FoundGames(found, n_found)


def read_game(run: Run, entry: EntryInfo, number: int) -> Record:
    """Return one game of an entry. Raises UserError if it has not been played."""
    start = b'{"game":%d,' % number
    for line in GrowingFile(run.path(entry)).lines():
        if line.startswith(start):
            try:
                return decode(line, entry.measure.kind)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
    raise UserError(f"{entry.name} has no game {number} in this run.")


def _records(run: Run, entry: EntryInfo) -> Iterator[Record]:
    for line in GrowingFile(run.path(entry)).lines():
        try:
            yield decode(line, entry.measure.kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # an incomplete line of a killed process
