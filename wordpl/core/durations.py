"""How long each game took: durations/ENTRY.csv, a line a game in the order in which the games ended."""

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

HEAD = "game;cpu_s;wall_s;machine;start_s"
MAX_LINES_A_GAME = 4
"""A game that was replayed has several lines."""


def encode(duration: Duration) -> bytes:
    """Return the duration as its line in the file."""
    cpu = "" if duration.cpu_s is None else f"{duration.cpu_s:.6f}"
    return f"{duration.game};{cpu};{duration.wall_s:.6f};{duration.machine};{duration.start_s:.6f}\n".encode()


def read(path: Path, n_games: int) -> Iterator[Duration]:
    """Yield what a file of durations holds, of its plain or compressed form; lines that are none are left out.

    Args:
        path: the plain file; older runs have no columns for the machine and for starts.
        n_games: the games that the entry plays at most.
    """
    for line in chain.from_iterable(record_files.blocks(path, 1 + MAX_LINES_A_GAME * n_games)):
        if (duration := _decode(line)) is not None:
            yield duration


def cpu_times(path: Path, n_games: int) -> "NDArray[np.float64]":
    """Return the CPU time of each game in seconds, float[n_games], NaN where it is not known; of several the last one.

    Its plain twin is `read`, line by line; this takes a tenth of the time.

    Args:
        path: as for `read`.
        n_games: the games that the entry plays.
    """
    import numpy as np

    found = np.full(n_games, np.nan)
    for lines in record_files.blocks(path, 1 + MAX_LINES_A_GAME * n_games):
        games, times = _columns(lines)
        is_known = (games >= 0) & (games < n_games) & ~np.isnan(times)
        found[games[is_known]] = times[is_known]
    return found


def used_s(durations: Iterable[Duration], speeds: dict[str, float]) -> float:
    """Return the CPU time of all these games and of starts after faults, or the games' time on the wall.

    The latter counts where no CPU time is known.

    Args:
        durations: of one entry's games.
        speeds: by the name of a machine, its seconds for one second of the run's limits; 1 where it is not named.
    """
    return sum(one.charged_s / speeds.get(one.machine, 1.0) for one in durations)


def _columns(lines: list[bytes]) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """Return games and CPU times of these lines."""
    whole = lines[1:] if lines[0].startswith(b"game;") else lines
    import numpy as np
    import pandas as pd

    kinds = {0: np.int64, 1: np.float64, 2: np.float64}
    try:
        table = pd.read_csv(BytesIO(b"".join(whole)), sep=";", header=None, usecols=[0, 1, 2], dtype=kinds)
        if table[2].isna().any():
            raise ValueError("a line ends too early")
        return table[0].to_numpy(), table[1].to_numpy()
    except ValueError:  # a torn line, or none at all
        known = [one for one in map(_decode, whole) if one is not None and one.cpu_s is not None]
        return np.array([one.game for one in known], np.int64), np.array([one.cpu_s for one in known], float)


def _decode(line: bytes) -> Duration | None:
    try:
        game, cpu, wall, *more = line.decode("utf-8", "replace").rstrip("\n").split(";")
        machine, start = [*more, "", ""][:2]
        return Duration(int(game), float(cpu) if cpu else None, float(wall), machine, float(start or 0))
    except ValueError:  # the head, or a torn line
        return None
