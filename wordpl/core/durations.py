"""How long each game took: durations/ENTRY.csv, a line a game in the order in which the games ended."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from wordpl.core import record_files
from wordpl.core.record import Duration

HEAD = "game;cpu_s;wall_s;machine"
MAX_LINES_A_GAME = 4
"""A game that was replayed has several lines."""


def encode(duration: Duration) -> bytes:
    """Return the duration as its line in the file."""
    cpu = "" if duration.cpu_s is None else f"{duration.cpu_s:.6f}"
    return f"{duration.game};{cpu};{duration.wall_s:.6f};{duration.machine}\n".encode()


def read(path: Path, n_games: int) -> Iterator[Duration]:
    """Yield what a file of durations holds, of its plain or compressed form; lines that are none are left out.

    Args:
        path: the plain file; runs from before there were clusters have no column for the machine.
        n_games: the games that the entry plays at most.
    """
    for line in chain.from_iterable(record_files.blocks(path, 1 + MAX_LINES_A_GAME * n_games)):
        if (duration := _decode(line)) is not None:
            yield duration


def used_s(durations: Iterable[Duration], speeds: dict[str, float]) -> float:
    """Return the CPU time of all these games, or their time on the wall where no other is known.

    Args:
        durations: of one entry's games.
        speeds: by the name of a machine, its seconds for one second of the run's limits; 1 where it is not named.
    """
    return sum((one.wall_s if one.cpu_s is None else one.cpu_s) / speeds.get(one.machine, 1.0) for one in durations)


def _decode(line: bytes) -> Duration | None:
    try:
        game, cpu, wall, *machine = line.decode("utf-8", "replace").rstrip("\n").split(";")
        return Duration(int(game), float(cpu) if cpu else None, float(wall), machine[0] if machine else "")
    except ValueError:  # the head, or a torn line
        return None
