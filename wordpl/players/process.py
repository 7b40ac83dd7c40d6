"""A player in a process of its own, asked over two pipes, whose clock is enforced by killing it."""

import json
import os
import select
import sys
import time
from dataclasses import dataclass
from typing import Any

import msgspec

from wordpl.isolation import processor
from wordpl.players.base import Player, PlayerFault
from wordpl.players.nursery import Child, Nursery, NurseryFault
from wordpl.records import Duration, EntryInfo, Verdict
from wordpl.words import HOME

REPLY_BYTES = 4096
PATIENCE_S = 0.2  # between a player's last word and its end, so that its exit code is known
PLACED_S = 0.3  # after so long, the processor that referee and player share is chosen again
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True)
class Limits:
    """What a player may use: seconds to start (imports and warm-up), and memory in MiB."""

    start_s: float = 60.0
    memory_mb: int = 1024


class ProcessPlayer(Player):
    """An entry in a process that can be killed at any time; the next game then begins in a fresh one."""

    def __init__(self, nursery: Nursery, entry: EntryInfo, limits: Limits, *, show_output: bool = False):
        self._nursery, self._entry, self._limits, self._show_output = nursery, entry, limits, show_output
        self._child: Child | None = None
        self._poll = select.poll()
        self._placed_until = 0.0
        self._limit_s = self._wall_s = self._since = 0.0
        self._cpu_at_start: float | None = None
        self._cpu_at_end: float | None = None

    def prepare(self) -> bool:
        """Start a process if there is none."""
        fresh = self._child is None
        if fresh:
            self._start()
        if fresh or time.perf_counter() > self._placed_until:
            processor.share(self._child.pid)
            self._placed_until = time.perf_counter() + PLACED_S
        return fresh

    def declared(self) -> list[tuple[str, str, str]]:
        """Return the expression, name and game of each entry that the file declares, or of the one asked for."""
        told = self._start()
        try:
            return msgspec.convert(told, list[tuple[str, str, str]])
        except msgspec.ValidationError:
            raise PlayerFault(Verdict.ILLEGAL, "what it declares is no list of entries") from None

    def _start(self) -> Any:
        entry = self._entry
        request = {
            "file": str(HOME / entry.file),
            "make": entry.make,
            "rules": entry.rules,
            "memory_mb": self._limits.memory_mb,
        }
        try:
            self._child = self._nursery.start(request, show_output=self._show_output)
        except NurseryFault:  # something killed it; a second one may live
            self._child = self._nursery.start(request, show_output=self._show_output)
        self._poll.register(self._child.replies, select.POLLIN)
        self._limit_s, self._wall_s, self._since = self._limits.start_s, 0.0, time.perf_counter()
        return self._reply("ready")

    def first_move(self, seed: int, limit_s: float) -> Any:
        """Begin a game and return the first move."""
        self._limit_s, self._wall_s = limit_s, 0.0
        self._cpu_at_start = self._cpu_s()
        return self._ask(b'{"new_game":{"seed":%d}}\n' % seed)

    def next_move(self, move: tuple, clues: str) -> Any:
        """Return the move after these clues."""
        return self._ask(b'{"move":%b,"clues":"%b"}\n' % (_encode(move), clues.encode()))

    def _ask(self, line: bytes) -> Any:
        self._since = time.perf_counter()  # from before the write: it wakes the player, which may run at once
        try:
            os.write(self._child.requests, line)
        except BlockingIOError:
            raise self._ended(Verdict.ILLEGAL, "the player does not read what it is sent") from None
        except BrokenPipeError:
            raise self._gone() from None
        return self._reply()

    def _reply(self, key: str = "move") -> Any:
        line = self._read()
        while (end := line.find(b"\n")) < 0 and len(line) <= REPLY_BYTES:
            line += self._read()
        if len(line) > REPLY_BYTES:
            raise self._ended(Verdict.ILLEGAL, f"a reply is at most {REPLY_BYTES} bytes")
        if end != len(line) - 1:
            raise self._ended(Verdict.ILLEGAL, "the player sent more than one line for one request")
        try:
            return _decode(line)[key]
        except (msgspec.DecodeError, RecursionError, TypeError, KeyError):
            return self._unusual(line, key)

    def _read(self) -> bytes:
        """Return what the player has sent, waiting for it as long as its time lasts."""
        part = None
        while part is None:
            try:
                part = os.read(self._child.replies, REPLY_BYTES + 1)  # on one processor it has mostly answered already
            except BlockingIOError:
                self._poll.poll(max(1000 * (self._limit_s - self._wall_s), 0))
            now = time.perf_counter()
            self._wall_s += now - self._since
            self._since = now
            if self._wall_s > self._limit_s:
                raise self._ended(Verdict.LATE)
        if not part:
            raise self._gone()
        return part

    def _unusual(self, line: bytes, key: str) -> Any:
        """Return the value in a reply that strict JSON refuses (NaN and its like), or raise the fault it tells."""
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        if isinstance(reply, dict) and key in reply:
            return reply[key]
        if isinstance(reply, dict) and "fault" in reply:
            raise self._fault(reply)
        raise self._ended(Verdict.ILLEGAL, f'a reply is a line of JSON like {{"{key}": ...}}, got {line[:60]!r}')

    def _fault(self, reply: dict) -> PlayerFault:
        message = str(reply.get("message", ""))
        if reply["fault"] == Verdict.MEMORY:
            return self._ended(Verdict.MEMORY, f"it may use {self._limits.memory_mb} MiB")
        return PlayerFault(Verdict.CRASHED, message)

    def _gone(self) -> PlayerFault:
        how = self._end(PATIENCE_S)
        if how == "was killed by SIGKILL":  # not by the referee, which would not have waited for a reply
            return PlayerFault(Verdict.MEMORY, "the system killed it, as it does when memory runs out")
        return PlayerFault(Verdict.CRASHED, f"the player's process {how}")

    def _ended(self, verdict: Verdict, message: str = "") -> PlayerFault:
        self._end()
        return PlayerFault(verdict, message)

    def _end(self, patience_s: float = 0) -> str:
        self._cpu_at_end = self._cpu_s()
        child, self._child = self._child, None
        self._poll.unregister(child.replies)
        return self._nursery.end(child, patience_s)

    def _cpu_s(self) -> float | None:
        """Return the process's CPU time, read from outside; None where the system does not tell."""
        if sys.platform != "linux":
            return None
        try:
            return time.clock_gettime(~self._child.pid << 3 | 2)  # how Linux numbers the clock of a process
        except OSError:
            return None

    def duration(self, game: int) -> Duration:
        """Return the player's CPU time and the time the referee waited for it."""
        end = self._cpu_s() if self._child is not None else self._cpu_at_end
        cpu = None if end is None or self._cpu_at_start is None else end - self._cpu_at_start
        return Duration(game, cpu, self._wall_s)

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._end()
        processor.release()
