"""The games of a search, saved in a file. A resumed search repeats its steps with the saved games.

All trials play the same games 0, 1, 2, … of one seed (common random numbers).
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from wordpl.core.files import append, complete_lines, truncate_torn_tail
from wordpl.core.moves import Verdict
from wordpl.run.info import EntryInfo
from wordpl.workbench.arena import Arena, ArenaGame
from wordpl.workbench.values import ANSWERED, GameValues, ValueReader, values_from_rows

DIGITS = 9
"""Decimals of the saved numbers."""
CHUNK = 256


class TrialGames(msgspec.Struct, frozen=True):
    """A line of the file: some games of a trial.

    Attributes:
        make: Expression that creates the entry.
        first: Number of the first game.
        cpu_s: CPU time of the games and of reading their records.
        rows: Fields of each game, in the order of `GameValues`.
        fault: Message of the first game that ended by a fault, or "".
    """

    make: str
    first: int
    cpu_s: float
    rows: list[tuple[float, bool, float, float, int, bool]]
    fault: str = ""


@dataclass(frozen=True)
class Trial:
    """An entry with chosen parameters, and the results of its games."""

    make: str
    parameters: Mapping[str, Any]
    games: GameValues
    fault: str


class OutOfTimeError(Exception):
    """The CPU time or the number of trials of a search is used up."""


class Trials:
    """Plays the games of trials, unless they are saved.

    Attributes:
        cpu_s: CPU time of all games requested so far. Saved games count with the time that they took.
        progress: Called after each step.
    """

    def __init__(self, path: Path, arena: Arena, entry: EntryInfo, reader: ValueReader):
        """Load the saved games.

        Args:
            path: File of the games.
            entry: The entry whose parameters are varied.
            reader: Computes the results of its games.
        """
        self._arena, self._entry, self._reader = arena, entry, reader
        if path.exists():
            truncate_torn_tail(path)
        decode = msgspec.json.Decoder(TrialGames).decode
        self._known: dict[str, list[TrialGames]] = {}
        for line in complete_lines(path):
            part = decode(line)
            self._known.setdefault(part.make, []).append(part)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._requested: dict[str, list[TrialGames]] = {}
        self.cpu_s, self.cpu_limit_s, self.max_trials = 0.0, float("inf"), 10**9
        self.progress: Callable[[], object] = lambda: None

    @property
    def n_trials(self) -> int:
        """Number of sets of parameters requested so far."""
        return len(self._requested)

    @property
    def n_games(self) -> int:
        """Number of games requested so far."""
        return sum(len(part.rows) for parts in self._requested.values() for part in parts)

    def play(self, make: str, parameters: Mapping[str, Any], n_games: int) -> Trial:
        """Return a trial with its first `n_games` games. Games that are not saved are played.

        Raises:
            OutOfTimeError: The CPU time or the number of trials is used up.
        """
        parts = self._requested.get(make, [])
        if make not in self._requested and self.n_trials >= self.max_trials:
            raise OutOfTimeError
        while (done := sum(len(part.rows) for part in parts)) < n_games:
            if self.cpu_s >= self.cpu_limit_s:
                raise OutOfTimeError
            saved_parts = self._known.get(make, [])
            part = next((part for part in saved_parts if part.first == done), None)
            part = part or self._played(make, range(done, min(n_games, done + CHUNK)))
            parts = self._requested.setdefault(make, [])
            parts.append(part)
            self.cpu_s += part.cpu_s
            self.progress()
        fault = next((part.fault for part in parts if part.fault), "")
        rows = [row for part in parts for row in part.rows][:n_games]
        return Trial(make, parameters, values_from_rows(rows, self._reader.has_epsilon), fault)

    def _played(self, make: str, numbers: Sequence[int]) -> TrialGames:
        entry = msgspec.structs.replace(self._entry, make=make, name=make)
        started = time.process_time()
        (played,) = self._arena.play([(entry, numbers)])
        values = self._reader.read([game.record for game in played])
        host_s = time.process_time() - started
        cpu_s = round(host_s + sum(game.cpu_s for game in played), 6)
        part = TrialGames(make, numbers[0], cpu_s, _rows(values), _fault(played))
        append(self._file, msgspec.json.encode(part) + b"\n")
        return part

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _rows(values: GameValues) -> list[tuple[float, bool, float, float, int, bool]]:
    columns = (
        np.round(values.spent, DIGITS).tolist(), values.won.tolist(), np.round(values.by_answer, DIGITS).tolist(),
        np.round(values.before_last, DIGITS).tolist(), values.n_moves.tolist(), values.is_likeliest.tolist(),
    )  # fmt: skip
    return list(zip(*columns, strict=True))


def _fault(played: Sequence[ArenaGame]) -> str:
    for game in played:
        if game.record.verdict not in (*ANSWERED, Verdict.UNSOLVED):
            return f"{game.record.verdict}: {game.record.message}"
    return ""
