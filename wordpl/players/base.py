"""The interface of players, which the referee asks for moves, and the clock of a game."""

import os
import sys
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NamedTuple

from wordpl.core.messages import WordplError, sanitize_untrusted_text
from wordpl.core.moves import Move, Verdict
from wordpl.run.config import RunConfig
from wordpl.run.records import Duration

MAX_MESSAGE_CHARACTERS = 4000


class PlayerError(WordplError):
    """A player failed: it crashed, was late, ran out of memory or was killed. This ends the game, but not the run.

    The message may contain untrusted text, so it is shortened and control characters are replaced.

    Attributes:
        verdict: How the game ends.
        denied: What the player says that it tried; see `diagnosis.Denied`.
        rule: The end of the message that names a rule of the sandbox; "" if none was broken.
    """

    def __init__(self, verdict: Verdict, message: str = "", *, denied: str = "", rule: str = ""):
        """Create an error; see the attributes."""
        super().__init__(sanitize_untrusted_text(message, MAX_MESSAGE_CHARACTERS, keep="\n\t"))
        self.verdict, self.denied, self.rule = verdict, denied, rule


class RefereePausedError(PlayerError):
    """The wall time of a game passed while the referee did not run either, for example because the machine slept.

    The player is not to blame, and has been stopped: the game is void, and is played again in a new process.
    """

    def __init__(self, paused_s: float):
        """Create an error for a pause of this many seconds."""
        super().__init__(Verdict.FAULT, f"the referee did not run for {paused_s:.1f} s")


class TimeLimits(NamedTuple):
    """The time limits of a player in seconds: CPU time, which is decisive, and wall time."""

    cpu_s: float
    wall_s: float


class Player(ABC):
    """A player of an entry. Proposals are returned unchecked; all methods except `close` may raise PlayerError.

    Attributes:
        void_games: The games that were played again because the referee paused.
    """

    def __init__(self) -> None:
        """Create a player without void games."""
        self.void_games: list[int] = []

    @abstractmethod
    def prepare(self) -> bool:
        """Start the player if needed; return whether it was started just now, so that it needs warming up."""

    def name_game(self, game: int) -> None:  # noqa: B027 - a player without lines to log ignores it
        """Set the number of the next game for log messages; called only if messages are logged."""

    @abstractmethod
    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game and return its first move.

        Args:
            seed: The seed for the strategy's own draws.
            allowance: The time limits of the game.
        """

    @abstractmethod
    def next_move(self, move: Move) -> Any:
        """Return the next proposal, given the last move with its clues."""

    @abstractmethod
    def duration(self, game: int) -> Duration:
        """Return the time that the player took for the game that is ending.

        Args:
            game: The number of the game.
        """

    def renew(self) -> None:
        """Let the next game begin in a new process, which knows nothing of earlier games."""
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Stop the player and release all its resources."""


MAX_WALL_FACTOR = 10
"""The maximum wall time of a game as a multiple of its limit, even if the player had to wait for a processor."""
RECHECK_S = 0.02
UNMEASURED_SHARE = 0.02
"""The share of the wall time limit during which waiting for a processor is not measured; most games end sooner."""
SCHEDSTAT_BYTES = 128
TICK_S = 0.5
"""The longest time for which the referee waits for a player before it looks at the clock."""
MIN_PAUSE_S = 1.0
"""How much later than planned the referee must look at the clock for this to be a pause of the referee."""
MAX_BUSY_SHARE = 0.5
"""The share of such a delay that the player may have computed: if it computed more, it may have caused the delay.

Both share a processor, and the kernel wakes the referee at once unless the player keeps that processor busy.
"""


def allowance(config: RunConfig) -> TimeLimits:
    """Return the time limits of a game; waiting for a processor does not count as wall time."""
    return TimeLimits(config.cpu_limit_s, config.limits.wall_factor * config.timeout_s + config.limits.wall_s)


def cpu_s(pid: int) -> float | None:
    """Return the CPU time of a process in seconds; None if the system does not report it or the process has ended."""
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the clock id of a process on Linux
    except OSError:
        return None


def run_queue_wait_s(process: int | str) -> float:
    """Return the time that the main thread of a process has waited on a run queue; 0 if the system does not report it.

    Times of several threads are never added up, because a player could start many of them.

    Args:
        process: The process id, or "thread-self" for the calling thread.
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
    """Measures the time that a player uses for a game."""

    def __init__(self, pid: int, allowance: TimeLimits, cpu_at_start: float | None = None):
        """Start the clock.

        Args:
            pid: The player's process id.
            allowance: The time limits.
            cpu_at_start: The CPU time of the process when its last game ended, so that computation between two games
                counts towards the second one; None: its current CPU time.
        """
        self._pid, self._limits = pid, allowance
        self._began = self._ticked = self._cpu_seen_at = time.perf_counter()
        # All processors together cannot give more CPU time in this time, which saves a system call for most moves.
        self._unmeasured_until = self._began + min(allowance.cpu_s / _N_PROCESSORS, UNMEASURED_SHARE * allowance.wall_s)
        self._cpu_at_start = self._cpu_seen = cpu_s(pid) if cpu_at_start is None else cpu_at_start
        self.paused_s = 0.0
        self._wait_at_start: float | None = None
        self._stopped_at: tuple[float | None, float] | None = None

    @property
    def wall_s(self) -> float:
        """The wall time since the game began."""
        return self._stopped_at[1] if self._stopped_at else time.perf_counter() - self._began

    @property
    def cpu_s(self) -> float | None:
        """The CPU time of all threads since the game began, or since the previous game ended."""
        if self._stopped_at:
            return self._stopped_at[0]
        now = cpu_s(self._pid)
        return None if now is None or self._cpu_at_start is None else now - self._cpu_at_start

    @property
    def cpu_at_end(self) -> float | None:
        """The CPU time of the process when this clock was stopped, or now, for the clock of its next game."""
        used, _ = self.stop()
        return None if used is None or self._cpu_at_start is None else self._cpu_at_start + used

    def stop(self) -> tuple[float | None, float]:
        """Stop the clock, while the process still exists; return the CPU and wall time when it was first stopped."""
        if self._stopped_at is None:
            self._stopped_at = self.cpu_s, self.wall_s
        return self._stopped_at

    def tick(self) -> None:
        """Note that the referee runs; call this at least every TICK_S seconds."""
        now = time.perf_counter()
        if now - self._ticked > TICK_S:
            self._note_cpu(now)
        self._ticked = now

    def _note_cpu(self, now: float) -> None:
        """Note the player's CPU time, and whether the referee paused since the last tick."""
        used, delay_s = cpu_s(self._pid), now - self._ticked - TICK_S
        if used is not None and self._cpu_seen is not None and delay_s > MIN_PAUSE_S:
            before_s = self._ticked - self._cpu_seen_at  # what it may have computed before the delay
            if used - self._cpu_seen - before_s <= MAX_BUSY_SHARE * delay_s:
                self.paused_s += delay_s
        self._cpu_seen, self._cpu_seen_at = used, now

    @property
    def is_void(self) -> bool:
        """Whether a player that is late is not to blame, because the referee paused."""
        cpu = self.cpu_s
        return self.paused_s > 0 and (cpu is None or cpu <= self._limits.cpu_s)

    def is_late(self) -> bool:
        """Return whether the player has exceeded its time limits."""
        if time.perf_counter() < self._unmeasured_until:
            return False
        self._initial_wait_s()
        wall, cpu = self.wall_s, self.cpu_s
        if (wall if cpu is None else cpu) > self._limits.cpu_s:
            return True
        return wall > self._limits.wall_s and self._own_wall_left_s(wall) <= 0

    def unmeasured_s(self) -> float:
        """Return the time to wait for the player before its CPU time is measured; it cannot use it up earlier."""
        return max(0.0, self._unmeasured_until - time.perf_counter())

    def left_s(self) -> float:
        """Return the maximum time to wait for the player before checking again; 0 or less if it must be stopped."""
        wall, cpu = self.wall_s, self.cpu_s
        until_noted = UNMEASURED_SHARE * self._limits.wall_s - wall
        if self._wait_at_start is None and until_noted > 0:
            return min(self._limits.cpu_s - (wall if cpu is None else cpu), until_noted)
        self._initial_wait_s()
        until_killed = self._limits.cpu_s - (wall if cpu is None else cpu)
        return min(until_killed, self._own_wall_left_s(wall))

    def _own_wall_left_s(self, wall: float) -> float:
        """Return the remaining wall time, not counting the time spent waiting for a processor."""
        until_capped = MAX_WALL_FACTOR * self._limits.wall_s - wall
        left_s = self._limits.wall_s - wall
        if left_s > 0 or until_capped <= 0:
            return min(left_s, until_capped)
        left_s += self._total_wait_s() - self._initial_wait_s()
        if left_s <= 0 and _is_runnable(self._pid):
            # The current wait is reported only when it ends; if the player is computing, its CPU time limit applies.
            left_s = RECHECK_S
        return min(left_s, until_capped)

    def _initial_wait_s(self) -> float:
        """Return the total wait at the first call in this game, which is in its first slow move."""
        if self._wait_at_start is None:
            self._wait_at_start = self._total_wait_s()
        return self._wait_at_start

    def _total_wait_s(self) -> float:
        """Return the total time that the player and the referee, which share a processor, have waited on run queues."""
        return run_queue_wait_s(self._pid) + run_queue_wait_s("thread-self")


def _is_runnable(pid: int) -> bool:
    """Return whether the main thread of the process is running or waiting for a processor (state R)."""
    try:
        # The name of the process, which may contain anything, precedes the last closing parenthesis.
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:1] == [b"R"]
    except OSError:
        return False


_N_PROCESSORS = os.cpu_count() or 1
