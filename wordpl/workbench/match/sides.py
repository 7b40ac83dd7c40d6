"""Plays, saves and loads the games of both entries of a match."""

import time
from collections.abc import Sequence

from wordpl.core import journal
from wordpl.core.journal import RecordWriter
from wordpl.core.records import Record, Run, encode
from wordpl.core.words import WordLists
from wordpl.workbench.arena import Arena, ArenaGame
from wordpl.workbench.values import GameValues, ValueReader

FIRST_STEP, STEP_S = 8, 1.0
SERIAL = 1
"""Serial number of the journal of the current games, see `wordpl.core.journal`."""


class Sides:
    """The games of both entries of a match.

    Attributes:
        values: Results of the games that both have played, up to the first missing one.
    """

    def __init__(self, run: Run, lists: WordLists, *, is_over: bool = False):
        """Load the saved games.

        Args:
            is_over: Whether the match is finished, so that no more games are saved.
        """
        self.run = run
        self._readers = [ValueReader(entry, lists) for entry in run.entries]
        self._kept: list[dict[int, Record]] = [{one.game: one for one in run.read(entry)} for entry in run.entries]
        self._cpu = [run.cpu_used_s(entry) for entry in run.entries]
        self._writers = [] if is_over else [RecordWriter(run, entry) for entry in run.entries]
        self._size = FIRST_STEP
        self.values = self._read(range(self._n_both()))

    @property
    def n_games(self) -> int:
        """Number of games that both have played, up to the first missing one."""
        return len(self.values[0])

    @property
    def cpu_s(self) -> tuple[float, float]:
        """Mean CPU time of a game of each entry."""
        first, second = (cpu / max(1, len(kept)) for cpu, kept in zip(self._cpu, self._kept, strict=True))
        return first, second

    def play_step(self, arena: Arena, max_games: int) -> None:
        """Play the next games of both entries for about `STEP_S` seconds, up to game number `max_games` - 1."""
        first = self.n_games
        numbers = range(first, min(first + self._size, max_games))
        wanted = [
            (entry, [number for number in numbers if number not in kept])
            for entry, kept in zip(self.run.entries, self._kept, strict=True)
        ]
        for entry, left in wanted:
            journal.begin(self.run, entry, SERIAL, left)
        started = time.perf_counter()
        for at, played in enumerate(arena.play(wanted)):
            self._keep(at, played)
            journal.remove(self.run, self.run.entries[at], SERIAL)
        pace_s = max(1e-6, (time.perf_counter() - started) / len(numbers))
        self._size = max(1, min(2 * self._size, int(STEP_S / pace_s)))
        more = self._read(numbers)
        self.values = self.values[0] + more[0], self.values[1] + more[1]

    def _keep(self, at: int, played: Sequence[ArenaGame]) -> None:
        self._writers[at].add([encode(one.record) for one in played], [one.duration for one in played])
        for one in played:
            self._kept[at][one.record.game] = one.record
            self._cpu[at] += one.cpu_s

    def _read(self, numbers: range) -> tuple[GameValues, GameValues]:
        first, second = (
            reader.read([kept[number] for number in numbers])
            for reader, kept in zip(self._readers, self._kept, strict=True)
        )
        return first, second

    def _n_both(self) -> int:
        both = self._kept[0].keys() & self._kept[1].keys()
        return next(number for number in range(len(both) + 1) if number not in both)

    def close(self) -> None:
        """Close the files."""
        for writer in self._writers:
            writer.close()
