"""The duration of each game: durations/ENTRY.csv, one line per game in the order in which the games ended."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core import record_files
from wordpl.core.record import Duration

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEADER = "game;cpu_s;wall_s;machine;start_s"
MAX_LINES_PER_GAME = 4
"""A game that was replayed has several lines."""


def encode(duration: Duration) -> bytes:
    """Return the line of the file for a duration."""
    cpu = "" if duration.cpu_s is None else f"{duration.cpu_s:.6f}"
    return f"{duration.game};{cpu};{duration.wall_s:.6f};{duration.machine};{duration.start_s:.6f}\n".encode()


def read(path: Path, n_games: int) -> Iterator[Duration]:
    """Yield the durations in a plain or compressed file, skipping invalid lines.

    Args:
        path: The plain file; in older runs it has no columns for the machine and for starts.
        n_games: The maximum number of games of the entry.
    """
    for line in chain.from_iterable(record_files.blocks(path, 1 + MAX_LINES_PER_GAME * n_games)):
        if (duration := _decode(line)) is not None:
            yield duration


def cpu_times(path: Path, n_games: int) -> "NDArray[np.float64]":
    """Return the CPU time of each game in seconds, float[n_games], NaN if it is unknown.

    If a game has several lines, the last one counts. This takes a tenth of the time of `read`.

    Args:
        path: As for `read`.
        n_games: The number of games of the entry.
    """
    import numpy as np

    all_times = np.full(n_games, np.nan)
    for lines in record_files.blocks(path, 1 + MAX_LINES_PER_GAME * n_games):
        games, times = _columns(lines)
        is_known = (games >= 0) & (games < n_games) & ~np.isnan(times)
        all_times[games[is_known]] = times[is_known]
    return all_times


def charged_s(durations: Iterable[Duration], slowness: dict[str, float]) -> float:
    """Return the CPU time, in seconds, of all these games and of process starts after failures.

    Wall time counts for games whose CPU time is unknown.

    Args:
        durations: The durations of one entry's games.
        slowness: For each machine by name, its seconds for one second of the run's limits; 1 for other machines.
    """
    return sum(duration.charged_s / slowness.get(duration.machine, 1.0) for duration in durations)


def _columns(lines: list[bytes]) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """Return the games and CPU times on these lines."""
    rows = lines[1:] if lines[0].startswith(b"game;") else lines
    import numpy as np
    import pandas as pd

    kinds = {0: np.int64, 1: np.float64, 2: np.float64}
    try:
        table = pd.read_csv(BytesIO(b"".join(rows)), sep=";", header=None, usecols=[0, 1, 2], dtype=kinds)
        if table[2].isna().any():
            raise ValueError("a line ends too early")
        return table[0].to_numpy(), table[1].to_numpy()
    except ValueError:  # a torn line, or no line
        timed = [duration for duration in map(_decode, rows) if duration is not None and duration.cpu_s is not None]
        games = np.array([duration.game for duration in timed], np.int64)
        return games, np.array([duration.cpu_s for duration in timed], float)


def _decode(line: bytes) -> Duration | None:
    try:
        game, cpu, wall, *optional = line.decode("utf-8", "replace").rstrip("\n").split(";")
        machine, start = [*optional, "", ""][:2]
        return Duration(int(game), float(cpu) if cpu else None, float(wall), machine, float(start or 0))
    except ValueError:  # the header, or a torn line
        return None
