"""Plays, saves and loads the games of both entries of a match."""

import time
from collections.abc import Sequence

import numpy as np

from wordpl.core.words import WordLists
from wordpl.run.entry import RecordWriter
from wordpl.run.folder import Run
from wordpl.run.records import Record, encode
from wordpl.workbench.arena import Arena, ArenaGame
from wordpl.workbench.values import Floats, GameValues, ValueReader

FIRST_STEP, STEP_S = 8, 1.0
SERIAL = 1
"""Serial number of the journal of the current games, see `wordpl.run.entry`."""


class Sides:
    """The games of both entries of a match.

    Attributes:
        values: Results of the games that both have played, up to the first missing one.
        early: The luck of all clues of these games but the last, see `ValueReader.early_luck`.
    """

    def __init__(self, run: Run, lists: WordLists, *, is_over: bool = False):
        """Load the saved games.

        Args:
            is_over: Whether the match is finished, so that no more games are saved.
        """
        self.run = run
        self._readers = [ValueReader(entry, lists) for entry in run.info.entries]
        self._kept: list[dict[int, Record]] = [
            {record.game: record for record in run.entry(entry).read()} for entry in run.info.entries
        ]
        self._cpu = [entry.cpu_used_s() for entry in run.entries]
        self._writers = [] if is_over else [RecordWriter(run.entry(entry)) for entry in run.info.entries]
        self._size = FIRST_STEP
        self.values, self.early = self._read(range(self._n_both()))

    @property
    def n_games(self) -> int:
        """Number of games that both have played, up to the first missing one."""
        return len(self.values[0])

    @property
    def cpu_s(self) -> tuple[float, float]:
        """Mean CPU time of a game of each entry."""
        first, second = (cpu / max(1, len(records)) for cpu, records in zip(self._cpu, self._kept, strict=True))
        return first, second

    def play_step(self, arena: Arena, max_games: int) -> None:
        """Play the next games of both entries for about `STEP_S` seconds, up to game number `max_games` - 1."""
        first = self.n_games
        numbers = range(first, min(first + self._size, max_games))
        assignments = [
            (entry, [number for number in numbers if number not in records])
            for entry, records in zip(self.run.info.entries, self._kept, strict=True)
        ]
        for entry, missing in assignments:
            self.run.entry(entry).begin_journal(SERIAL, missing)
        started = time.perf_counter()
        for index, played in enumerate(arena.play(assignments)):
            self._keep(index, played)
            self.run.entries[index].remove_journal(SERIAL)
        pace_s = max(1e-6, (time.perf_counter() - started) / len(numbers))
        self._size = max(1, min(2 * self._size, int(STEP_S / pace_s)))
        values, early = self._read(numbers)
        self.values = self.values[0] + values[0], self.values[1] + values[1]
        self.early = np.concatenate([self.early, early], axis=1)

    def _keep(self, index: int, played: Sequence[ArenaGame]) -> None:
        self._writers[index].add([encode(game.record) for game in played], [game.duration for game in played])
        for game in played:
            self._kept[index][game.record.game] = game.record
            self._cpu[index] += game.cpu_s

    def _read(self, numbers: range) -> tuple[tuple[GameValues, GameValues], Floats]:
        """Return the results of these games, and the luck of their early clues, float[2, n]."""
        played = [[records[number] for number in numbers] for records in self._kept]
        first, second = (reader.read(records) for reader, records in zip(self._readers, played, strict=True))
        early = [reader.early_luck(records) for reader, records in zip(self._readers, played, strict=True)]
        return (first, second), np.array(early)

    def _n_both(self) -> int:
        shared_numbers = self._kept[0].keys() & self._kept[1].keys()
        return next(number for number in range(len(shared_numbers) + 1) if number not in shared_numbers)

    def close(self) -> None:
        """Close the files."""
        for writer in self._writers:
            writer.close()
