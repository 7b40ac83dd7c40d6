"""The clock of a game: the player's CPU time decides, between its moves too; time on the wall is the backstop."""

import os
import sys
import time
from pathlib import Path

from wordpl.core.run_config import RunConfig
from wordpl.players.base import TimeLimits

MAX_WAITING = 10
"""How many times the limit of time on the wall a game may take at most, however busy the machine is."""
RECHECK_S = 0.02
UNNOTED = 0.02
"""The part of the limit on the wall before which a game need not know what waited: most games end sooner."""
SCHEDSTAT_BYTES = 128


def allowance(config: RunConfig) -> TimeLimits:
    """Return what a game may take: the processor's time, and time on the wall without waiting for a processor."""
    return TimeLimits(config.cpu_limit_s, config.limits.wall_factor * config.timeout_s + config.limits.wall_s)


def cpu_s(pid: int) -> float | None:
    """Return a process's CPU time, read from outside; None where the system does not tell or there is no process."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # how Linux numbers the clock of a process
    except OSError:
        return None


def waited_s(process: int | str) -> float:
    """Return how long a process's main thread has been ready to run and was given no processor; 0 if nobody tells.

    process: its number, or "thread-self" for the thread that asks. Never a sum over threads: a player could have many.
    """
    try:
        file = os.open(f"/proc/{process}/schedstat", os.O_RDONLY)
    except OSError:
        return 0.0
    try:
        return int(os.read(file, SCHEDSTAT_BYTES).split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
    finally:
        os.close(file)


class Clock:
    """How much of its time a player has used.

    cpu_at_start: the process's CPU time when its last game ended, if it played one: what it computes between two games
    is charged to the second.
    """

    def __init__(self, pid: int, allowance: TimeLimits, cpu_at_start: float | None = None):
        self._pid, self._most = pid, allowance
        self._began = time.perf_counter()
        self._cpu_at_start = cpu_s(pid) if cpu_at_start is None else cpu_at_start
        self._waited_at_start: float | None = None
        self._stopped_at: tuple[float | None, float] | None = None

    @property
    def wall_s(self) -> float:
        """The time since the game began."""
        return self._stopped_at[1] if self._stopped_at else time.perf_counter() - self._began

    @property
    def cpu_s(self) -> float | None:
        """The CPU time of all threads since the game began, or since the game before ended."""
        if self._stopped_at:
            return self._stopped_at[0]
        now = cpu_s(self._pid)
        return None if now is None or self._cpu_at_start is None else now - self._cpu_at_start

    @property
    def cpu_at_end(self) -> float | None:
        """The process's CPU time when this clock stopped, for the clock of its next game."""
        used = self.cpu_s
        return None if used is None or self._cpu_at_start is None else self._cpu_at_start + used

    def stop(self) -> None:
        """Keep the times as they are; to be called before the process is gone."""
        self._stopped_at = self.cpu_s, self.wall_s

    def is_late(self) -> bool:
        """Return whether the player has used more than its time."""
        # So many processors give no more CPU time than that, so most moves need not ask for it.
        wall = self.wall_s
        if wall * _N_PROCESSORS <= self._most.cpu_s:
            return False
        self._note_waiting()
        cpu = self.cpu_s
        if (wall if cpu is None else cpu) > self._most.cpu_s:
            return True
        return wall > self._most.wall_s and self._own_wall_left_s(wall) <= 0

    def left_s(self) -> float:
        """Return how long to wait for the player at most before asking again; 0 or less when it must be ended."""
        wall, cpu = self.wall_s, self.cpu_s
        until_noted = UNNOTED * self._most.wall_s - wall
        if self._waited_at_start is None and until_noted > 0:
            return min(self._most.cpu_s - (wall if cpu is None else cpu), until_noted)
        self._note_waiting()
        until_killed = self._most.cpu_s - (wall if cpu is None else cpu)
        return min(until_killed, self._own_wall_left_s(wall))

    def _own_wall_left_s(self, wall: float) -> float:
        """Return how much of its time on the wall is left, in which waiting for a processor does not count."""
        until_capped = MAX_WAITING * self._most.wall_s - wall
        left_s = self._most.wall_s - wall
        if left_s > 0 or until_capped <= 0:
            return min(left_s, until_capped)
        left_s += self._waited_s() - self._note_waiting()
        if left_s <= 0 and _is_ready(self._pid):
            left_s = (
                RECHECK_S  # it waits now, for which it is told only when it runs; if it computes, its CPU time ends
            )
        return min(left_s, until_capped)

    def _note_waiting(self) -> float:
        """Return how long both had waited when this was first asked in the game: in its first move that takes long."""
        if self._waited_at_start is None:
            self._waited_at_start = self._waited_s()
        return self._waited_at_start

    def _waited_s(self) -> float:
        """Return how long player and referee, which share a processor, have waited for one in all their lives."""
        return waited_s(self._pid) + waited_s("thread-self")


def _is_ready(pid: int) -> bool:
    """Return whether the process's main thread runs or waits for a processor, rather than for anything else."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:1] == [b"R"]  # its name may hold any
    except OSError:
        return False


_N_PROCESSORS = os.cpu_count() or 1
