"""The clock of a game: the player's CPU time decides, pondering between moves included; wall time is the backstop."""

import sys
import time

from wordpl.core.run_config import RunConfig
from wordpl.players.base import TimeLimits


def allowance(config: RunConfig) -> TimeLimits:
    """Return what a game may take: the processor's time, and the time on the clock however busy the machine is."""
    return TimeLimits(config.cpu_limit_s, config.limits.wall_factor * config.timeout_s + config.limits.wall_s)


def cpu_s(pid: int) -> float | None:
    """Return a process's CPU time, read from outside; None where the system does not tell or there is no process."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # how Linux numbers the clock of a process
    except OSError:
        return None


class Clock:
    """How much of its time a player has used."""

    def __init__(self, pid: int, allowance: TimeLimits):
        self._pid, self._most = pid, allowance
        self._began = time.perf_counter()
        self._cpu_at_start = cpu_s(pid)
        self._stopped_at: tuple[float | None, float] | None = None

    @property
    def wall_s(self) -> float:
        """The time since the game began."""
        return self._stopped_at[1] if self._stopped_at else time.perf_counter() - self._began

    @property
    def cpu_s(self) -> float | None:
        """The processor's time since the game began."""
        if self._stopped_at:
            return self._stopped_at[0]
        now = cpu_s(self._pid)
        return None if now is None or self._cpu_at_start is None else now - self._cpu_at_start

    def stop(self) -> None:
        """Keep the times as they are; to be called before the process is gone."""
        self._stopped_at = self.cpu_s, self.wall_s

    def is_late(self) -> bool:
        """Return whether the player has used more than its time."""
        # One processor gives no more CPU time than time goes by, so most moves need not ask for it.
        wall = self.wall_s
        if wall <= self._most.cpu_s:
            return False
        cpu = self.cpu_s
        return (wall if cpu is None else cpu) > self._most.cpu_s or wall > self._most.wall_s

    def left_s(self) -> float:
        """Return how long to wait for the player at most before asking again; 0 or less when it must be ended."""
        wall, cpu = self.wall_s, self.cpu_s
        until_killed = self._most.cpu_s - (wall if cpu is None else cpu)
        return min(until_killed, self._most.wall_s - wall)
