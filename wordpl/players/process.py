"""A player in a process of its own, asked over two pipes, whose clock is enforced by killing it."""

import logging
import os
import select
import sys
import time
from typing import Any

import msgspec

from wordpl.core import log
from wordpl.core.moves import Move
from wordpl.core.records import Duration, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.players.base import Player, PlayerError, TimeLimits
from wordpl.players.clock import Clock, cpu_s
from wordpl.players.fork_client import Child, Ending, ForkClient, ForkServerError, Request
from wordpl.players.protocol import parse, whole
from wordpl.players.sandbox import cpu_affinity
from wordpl.strategy import MAX_ENTRIES

MAX_STARTS = 5
PATIENCE_S = 0.2  # between a player's last word and its end, so that its exit code is known
PLACED_S = 0.3  # the processor that referee and player share is chosen again after this long
_encode = msgspec.json.Encoder().encode
_LOGGER = logging.getLogger(__name__)


class ProcessPlayer(Player):
    """An entry in a process that can be killed at any time; the next game then begins in a fresh one."""

    def __init__(self, fork_client: ForkClient, request: Request, config: RunConfig, output: int | None = None):
        """Make a player of the entry that `request` says; what it prints goes to the file `output`, if there is one."""
        self._fork_client, self._request, self._output = fork_client, request, output
        self._to_start = TimeLimits(config.warmup_s, config.warmup_s)
        self._reply_bytes = config.limits.reply_bytes
        self._child: Child | None = None
        self._poll = select.poll()
        self._placed_until = 0.0
        self._clock = Clock(0, self._to_start)
        self._logged_game: int | None = None
        self._cpu_before: float | None = None  # the process's CPU time when its last game ended
        self._started_at = 0.0
        self._has_failed = self._was_restarted = False  # the last process; since the last game was charged
        self._uncharged_s = 0.0  # CPU time of processes that have ended since the last game was charged
        self._charged_s = 0.0  # of the live process's CPU time: what has been charged to games

    def prepare(self) -> bool:
        """Start a process if there is none."""
        fresh = self._child is None
        if fresh:
            self._start()
        if fresh or time.perf_counter() > self._placed_until:
            cpu_affinity.share(self._live.pid)
            self._placed_until = time.perf_counter() + PLACED_S
        return fresh

    @property
    def pid(self) -> int | None:
        """The number of the process; None where there is none."""
        child = self._child
        return None if child is None else child.pid

    @property
    def _live(self) -> Child:
        """The process, which `prepare` has started."""
        if self._child is None:
            raise PlayerError(Verdict.CRASHED, "its process was not started")
        return self._child

    def opened(self) -> list[str]:
        """Return which of the paths that the request attempts the player can open; the process ends."""
        try:
            found: list[str] = self._start()
        finally:
            self.close()
        return found

    def declared(self) -> list[tuple[str, str, str]]:
        """Return the expression, name and game of each entry that the file declares, or of the one asked for."""
        told = self._start()
        try:
            found = msgspec.convert(told, list[tuple[str, str, str]])
        except msgspec.ValidationError:
            found = []
        if not 1 <= len(found) <= MAX_ENTRIES or not all(make.isprintable() for make, _, _ in found):
            raise PlayerError(Verdict.ILLEGAL, f"what it declares is no list of one to {MAX_ENTRIES} entries")
        return found

    def _start(self) -> Any:
        for attempt in range(1, MAX_STARTS + 1):
            try:
                self._child = self._fork_client.start(self._request, self._output)
                break
            except ForkServerError:  # something killed it; another one may live
                if attempt == MAX_STARTS:
                    raise
        _LOGGER.debug("player process %d started", self._live.pid)
        self._poll.register(self._live.replies, select.POLLIN)
        self._clock, self._cpu_before = Clock(self._live.pid, self._to_start), None
        self._started_at, self._charged_s = time.perf_counter(), 0.0
        self._was_restarted, self._has_failed = self._was_restarted or self._has_failed, False
        try:
            return self._reply("ready")
        except PlayerError:
            if self._child is not None:
                self._end()
            raise

    def name_game(self, game: int) -> None:
        """Log every line of the game that follows, with this number."""
        self._logged_game = game

    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game and return the first move."""
        self._clock = Clock(self._live.pid, allowance, self._cpu_before)
        return self._ask(b'{"new_game":{"seed":%d}}\n' % seed)

    def next_move(self, move: Move) -> Any:
        """Return what the player proposes after this move and its clues."""
        return self._ask(b'{"move":%b,"clues":"%b"}\n' % (_encode(move.proposal), move.clues.encode()))

    def _log(self, direction: str, line: bytes) -> None:
        pid = self._child.pid if self._child else 0
        _LOGGER.debug("game %s, player process %d %s %r", self._logged_game, pid, direction, line[: log.MAX_BYTES])

    def _ask(self, line: bytes) -> Any:
        if self._logged_game is not None:
            self._log("<-", line)
        try:
            os.write(self._live.requests, line)
        except BlockingIOError:
            raise self._ended(Verdict.ILLEGAL, "the player does not read what it is sent") from None
        except BrokenPipeError:
            raise self._gone() from None
        return self._reply()

    def _reply(self, key: str = "move") -> Any:
        received = self._read()
        while not whole(received, self._reply_bytes):
            received += self._read()
        if self._logged_game is not None:
            self._log("->", received)
        try:
            return parse(received, key, self._reply_bytes)
        except PlayerError as fault:
            if fault.verdict == Verdict.MEMORY:
                raise self._ended(Verdict.MEMORY, f"it may use {self._request.policy.memory_mb} MiB") from None
            if fault.verdict == Verdict.ILLEGAL:
                self._end()
            raise

    def _read(self) -> bytes:
        """Return what the player has sent, waiting for it as long as its time lasts."""
        while True:
            try:
                # Asked before it is waited for: on one processor it has mostly answered already.
                part = os.read(self._live.replies, self._reply_bytes + 1)
                break
            except BlockingIOError:
                left_s = self._clock.left_s()
                if left_s <= 0:
                    raise self._ended(Verdict.LATE) from None
                self._poll.poll(1000 * left_s + 1)
        if self._clock.is_late():
            raise self._ended(Verdict.LATE)
        if not part:
            raise self._gone()
        return part

    def _gone(self) -> PlayerError:
        ending = self._end(PATIENCE_S)
        if ending.memory:
            return PlayerError(Verdict.MEMORY, "the system killed it, as it does when memory runs out")
        if ending.from_outside:
            self._has_failed = False
            return PlayerError(Verdict.FAULT, f"the player's process {ending.words}, which no player can do")
        return PlayerError(Verdict.CRASHED, f"the player's process {ending.words}")

    def _ended(self, verdict: Verdict, message: str = "") -> PlayerError:
        self._end()
        return PlayerError(verdict, message)

    def _end(self, patience_s: float = 0) -> Ending:
        self._clock.stop()
        child, self._child = self._live, None
        self._uncharged_s, self._has_failed = self._uncharged_s + self._used_s(child) - self._charged_s, True
        self._poll.unregister(child.replies)
        how = self._fork_client.end(child, patience_s)
        _LOGGER.debug("player process %d %s", child.pid, how.words)
        return how

    def duration(self, game: int) -> Duration:
        """Return the player's CPU time for the game, that for being started anew after it had failed, and wall time."""
        if self._child is not None:
            self._clock.stop()
            self._cpu_before = self._clock.cpu_at_end
            used_s = self._used_s(self._child)
            self._uncharged_s += used_s - self._charged_s
            self._charged_s = used_s
        cpu_s, wall_s = self._clock.cpu_s, self._clock.wall_s
        besides_s = max(0.0, self._uncharged_s - (wall_s if cpu_s is None else cpu_s))
        start_s = besides_s if self._was_restarted else 0.0
        self._uncharged_s, self._was_restarted = 0.0, False
        return Duration(game, cpu_s, wall_s, start_s=start_s)

    def _used_s(self, child: Child) -> float:
        """Return the CPU time of the process, or how long it lived where it has ended; 0 where no system tells it."""
        used_s = cpu_s(child.pid)
        if used_s is None and sys.platform == "linux":
            return time.perf_counter() - self._started_at
        return used_s or 0.0

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._end()
        self._has_failed = False  # the next process is not started for a fault of the player's
        cpu_affinity.release()
