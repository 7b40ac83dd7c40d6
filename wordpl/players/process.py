"""The two kinds of players: in a process that is killed when it exceeds its limits, and in the referee's process."""

import json
import logging
import os
import select
import sys
import time
from bdb import BdbQuit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import msgspec

from wordpl import strategy as contract
from wordpl.core import messages, paths, seeds
from wordpl.core.moves import Move, Verdict
from wordpl.players import diagnosis, worker
from wordpl.players.base import TICK_S, Clock, Player, PlayerError, RefereePausedError, TimeLimits, cpu_s
from wordpl.players.fork_client import ForkClient, ForkedPlayer, ForkServerError, ProcessEnd, Request
from wordpl.players.sandbox import processes
from wordpl.run.bundle import find_place
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import WALL_SHARE, Duration
from wordpl.strategy import MAX_ENTRIES

MAX_STARTS = 5
EXIT_GRACE_S = 2.0
"""The time to wait for a player that closed its pipe to exit, so that its exit code is known.

It is long enough for a busy machine, so that the message is the same on every machine.
"""
AFFINITY_S = 0.3
"""The time after which the processor that the referee and the player share is chosen again."""
MAX_REPLY_BYTES = 4096
UNFLUSHED = "It sent no complete line; a program has to flush its output after each one"
_encode, _decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
_LOGGER = logging.getLogger(__name__)


class ProcessPlayer(Player):
    """A player in a process that can be killed at any time; the next game then starts a new one."""

    def __init__(self, fork_client: ForkClient, request: Request, config: RunConfig, output: int | None = None):
        """Create a player; no process is started yet.

        Args:
            fork_client: Starts the process.
            request: The player to start.
            config: The configuration of the run.
            output: The file descriptor that receives what the player prints; None: discard it.
        """
        super().__init__()
        self._fork_client, self._request, self._output = fork_client, request, output
        self._start_limits = TimeLimits(config.warmup_s, config.warmup_s)
        self._reply_bytes = config.limits.reply_bytes
        self._child: ForkedPlayer | None = None
        self._poll = select.poll()
        self._affinity_until = 0.0
        self._clock = Clock(0, self._start_limits)
        self._logged_game: int | None = None
        self._cpu_before: float | None = None  # the process's CPU time when its last game ended
        self._started_at = 0.0
        self._has_failed = False  # whether the last process failed
        self._was_restarted = False  # whether a process was started after a failure, since the last game was charged
        self._start_wall_s = 0.0  # the wall time until the latest game began, if its process had to be started
        self._uncharged_s = 0.0  # the CPU time of ended processes that has not been charged to a game yet
        self._charged_s = 0.0  # the CPU time of the running process that has been charged to games

    def prepare(self) -> bool:
        """Start a process if none is running; return whether it was started just now."""
        fresh = self._child is None
        if fresh:
            self._start()
        is_chosen = time.perf_counter() < self._affinity_until
        if fresh or not is_chosen:
            processes.share_processor(self._running.pid, choose=not is_chosen)
        if not is_chosen:
            self._affinity_until = time.perf_counter() + AFFINITY_S
        return fresh

    @property
    def pid(self) -> int | None:
        """The id of the process; None if none is running."""
        child = self._child
        return None if child is None else child.pid

    @property
    def _running(self) -> ForkedPlayer:
        if self._child is None:
            raise PlayerError(Verdict.CRASHED, "its process was not started")
        return self._child

    def opened(self) -> list[str]:
        """Return which of the request's `attempts` the player could open; the process is stopped."""
        try:
            opened: list[str] = self._start()
        finally:
            self.close()
        return opened

    def declared_entries(self) -> list[tuple[str, str, str]]:
        """Return the expression, name and game of each entry that the file declares, or of the requested entry."""
        reply = self._start()
        try:
            declared = msgspec.convert(reply, list[tuple[str, str, str]])
        except msgspec.ValidationError:
            declared = []
        if not 1 <= len(declared) <= MAX_ENTRIES or not all(make.isprintable() for make, _, _ in declared):
            raise PlayerError(Verdict.ILLEGAL, f"it must declare a list of one to {MAX_ENTRIES} entries")
        return declared

    def _start(self) -> Any:
        for attempt in range(1, MAX_STARTS + 1):
            try:
                self._child = self._fork_client.start(self._request, self._output)
                break
            except ForkServerError as error:  # if something killed the fork server, start another one
                if error.by_itself or attempt == MAX_STARTS:
                    raise
        _LOGGER.debug("player process %d started", self._running.pid)
        self._poll.register(self._running.replies, select.POLLIN)
        self._clock, self._cpu_before = Clock(self._running.pid, self._start_limits), None
        self._started_at, self._charged_s = time.perf_counter(), 0.0
        self._was_restarted, self._has_failed = self._was_restarted or self._has_failed, False
        try:
            return self._reply("ready")
        except PlayerError:
            if self._child is not None:
                self._end()
            raise

    def name_game(self, game: int) -> None:
        """Log every line of the next game, with this number."""
        self._logged_game = game

    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game and return the first move."""
        self._clock = Clock(self._running.pid, allowance, self._cpu_before)
        self._start_wall_s = time.perf_counter() - self._started_at
        return self._ask(b'{"new_game":{"seed":%d}}\n' % seed)

    def next_move(self, move: Move) -> Any:
        """Return the player's next proposal."""
        return self._ask(b'{"move":%b,"clues":"%b"}\n' % (_encode(move.proposal), move.clues.encode()))

    def _log(self, direction: str, line: bytes) -> None:
        pid = self._child.pid if self._child else 0
        _LOGGER.debug(
            "game %s, player process %d %s %r", self._logged_game, pid, direction, line[: messages.MAX_LOGGED_BYTES]
        )

    def _ask(self, line: bytes) -> Any:
        if self._logged_game is not None:
            self._log("<-", line)
        try:
            os.write(self._running.requests, line)
        except BlockingIOError:
            raise self._stop_with(Verdict.ILLEGAL, "the player does not read what it is sent") from None
        except BrokenPipeError:
            raise self._exit_error() from None
        return self._reply()

    def _reply(self, key: str = "move") -> Any:
        received = self._read()
        while b"\n" not in received and len(received) <= self._reply_bytes:
            received += self._read()
        if self._logged_game is not None:
            self._log("->", received)
        try:
            return parse_reply(received, key, self._reply_bytes)
        except PlayerError as fault:
            if fault.verdict == Verdict.MEMORY:
                raise self._stop_with(
                    Verdict.MEMORY,
                    f"it may use {self._request.policy.memory_mb} MiB{f'. {fault}' if str(fault) else ''}",
                ) from None
            if fault.verdict == Verdict.ILLEGAL:
                self._end()
            if rule := diagnosis.rule(fault.denied, self._request.policy.level):
                raise PlayerError(fault.verdict, f"{fault.message}\n{rule}", rule=rule) from None
            raise

    def _read(self) -> bytes:
        """Return what the player has sent, waiting for it until its time is used up."""
        left_s = self._clock.unmeasured_s()
        while not self._poll.poll(1000 * min(left_s, TICK_S) + 1):
            self._clock.tick()
            left_s = self._clock.left_s()
            if left_s <= 0:
                raise self._stop_late()
        self._clock.tick()
        part = os.read(self._running.replies, self._reply_bytes + 1)
        if self._clock.is_late():
            if self._clock.is_void:
                raise self._stop_void()
            raise self._stop_with(Verdict.LATE, "Its reply came after the limit")
        if part.startswith(worker.FATAL):
            where = worker.stack_in_words(worker.read_stack(self._running.replies, part))
            raise self._exit_error(where)
        if not part:
            raise self._exit_error()
        return part

    def _stop_late(self) -> PlayerError:
        """Stop a player whose time is used up, and return the error that says where it was."""
        if self._clock.is_void:
            return self._stop_void()
        self._clock.stop()
        if self._request.command:
            return self._stop_with(Verdict.LATE, UNFLUSHED)
        where = worker.sample_stack(self._running.pid, self._running.replies)
        return self._stop_with(Verdict.LATE, where)

    def _stop_void(self) -> RefereePausedError:
        self._end()
        self._has_failed = False
        return RefereePausedError(self._clock.paused_s)

    def _exit_error(self, where: str = "") -> PlayerError:
        ending = self._end(EXIT_GRACE_S)
        if ending.out_of_memory:
            return PlayerError(Verdict.MEMORY, "the system killed it because memory ran out")
        if ending.from_outside:
            self._has_failed = False
            return PlayerError(Verdict.FAULT, f"the player's process {ending.description}, from outside")
        message = f"the player's process {ending.description}"
        return PlayerError(Verdict.CRASHED, f"{message}. {where}" if where else message)

    def _stop_with(self, verdict: Verdict, message: str = "") -> PlayerError:
        self._end()
        return PlayerError(verdict, message)

    def _end(self, grace_s: float = 0) -> ProcessEnd:
        self._clock.stop()
        child, self._child = self._running, None
        self._uncharged_s, self._has_failed = self._uncharged_s + self._used_s(child) - self._charged_s, True
        self._poll.unregister(child.replies)
        how = self._fork_client.end(child, grace_s)
        _LOGGER.debug("player process %d %s", child.pid, how.description)
        return how

    def duration(self, game: int) -> Duration:
        """Return the CPU and wall time of the game, and the time of a restart after a failure before it."""
        cpu_s, wall_s = self._clock.stop()
        if self._child is not None:
            self._cpu_before = self._clock.cpu_at_end
            used_s = self._used_s(self._child) if self._cpu_before is None else self._cpu_before
            self._uncharged_s += used_s - self._charged_s
            self._charged_s = used_s
        besides_s = max(0.0, self._uncharged_s - (wall_s if cpu_s is None else cpu_s))
        start_s = max(besides_s, WALL_SHARE * self._start_wall_s) if self._was_restarted else 0.0
        self._uncharged_s, self._was_restarted = 0.0, False
        return Duration(game, cpu_s, wall_s, start_s=start_s)

    def _used_s(self, child: ForkedPlayer) -> float:
        """Return the CPU time of the process; its wall time if it has ended; 0 if the system does not report it."""
        used_s = cpu_s(child.pid)
        if used_s is None and sys.platform == "linux":
            return time.perf_counter() - self._started_at
        return used_s or 0.0

    def renew(self) -> None:
        """Stop the process."""
        if self._child is not None:
            self._end()
        self._has_failed = False  # the next process is not a restart after a failure

    def close(self) -> None:
        """Stop the process."""
        self.renew()
        self._affinity_until = 0.0
        processes.release_processors()


class LoadingPlayer(ProcessPlayer):
    """A player that reports the entries of a file, and then plays as any of them."""

    _chosen = b""

    def choose(self, index: int, game_id: str) -> None:
        """Let the following games be played by the entry with this index among those that the file declares."""
        choice = {"choose": index, "game": game_id}
        self._chosen = b"" if self._request.command else _encode(choice) + b"\n"

    def _ask(self, line: bytes) -> Any:
        chosen, self._chosen = self._chosen, b""
        return super()._ask(chosen + line)


def parse_reply(received: bytes, key: str, most: int = MAX_REPLY_BYTES) -> Any:
    """Return the value of `key` in a reply; it may be any JSON value.

    Args:
        received: The complete reply: it has a newline, or more than `most` bytes.
        key: The name of the value.
        most: The maximum length of a reply in bytes.

    Raises:
        PlayerError: The reply reports a fault, or is not valid (verdict ILLEGAL).
    """
    if len(received) > most:
        raise PlayerError(Verdict.ILLEGAL, f"a reply must have at most {most} bytes")
    if received.find(b"\n") != len(received) - 1:
        raise PlayerError(Verdict.ILLEGAL, "the player sent more than one line for one request")
    try:
        return _decode(received)[key]
    except (msgspec.DecodeError, ValueError, RecursionError, TypeError, KeyError):
        return _parse_leniently(received, key)


def _parse_leniently(line: bytes, key: str) -> Any:
    """Return the value of `key` in a reply that is not strict JSON, such as NaN, or raise the fault that it reports."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if isinstance(reply, dict) and key in reply:
        return reply[key]
    if isinstance(reply, dict) and "fault" in reply:
        message, denied = reply.get("message"), reply.get("denied")
        verdict = Verdict.MEMORY if reply["fault"] == Verdict.MEMORY else Verdict.CRASHED
        raise PlayerError(
            verdict, message if isinstance(message, str) else "", denied=denied if isinstance(denied, str) else ""
        )
    raise PlayerError(Verdict.ILLEGAL, f'a reply must be a line of JSON like {{"{key}": ...}}, got {line[:60]!r}')


T = TypeVar("T")


class TrustedPlayer(Player):
    """A player that calls the strategy directly, so that debuggers work. The strategy could read the secret."""

    def __init__(self, entry: EntryInfo, folder: Path, given: Any = None):
        """Create a player.

        Args:
            folder: The working directory of the player.
            given: The strategy, if it was passed as an object; None: create it from the entry's file.
        """
        super().__init__()
        self._entry, self._folder, self._given = entry, folder, given
        self._strategy: Any = None
        self._started = 0.0
        self._home = Path.cwd()
        self._place = find_place(entry.file)  # before the working directory changes

    def prepare(self) -> bool:
        """Import the file and create the strategy, unless that has been done.

        There is no warm-up game, because no time limit is enforced, so that breakpoints stop only in the game to debug.
        """
        if self._strategy is None:
            given = self._given
            self._strategy = self._loaded(
                lambda: contract.make_strategy(self._module(), self._entry.make) if given is None else given
            )
            if isinstance(self._strategy, contract.Strategy):
                self._strategy.rules = self._entry.game.id
        return False

    def declared_entries(self) -> list[tuple[str, str, str]]:
        """Return the expression, name and game of each entry that the file declares, or of the requested entry.

        The file is imported anew, as in a new process, in case that it has changed since it was last imported.
        """
        for name in [name for name in sys.modules if name.partition(".")[0] == "strategies"]:
            del sys.modules[name]
        try:
            declared = self._loaded(lambda: list(contract.declared_entries(self._module(), self._entry.make)))
            return [(entry.make, entry.name, entry.game) for entry in declared]
        finally:
            self.close()

    def _loaded(self, load: Callable[[], T]) -> T:
        """Return what `load` returns in the player's working directory."""
        import numpy.random  # noqa: F401 - begin_game seeds it only where it is loaded

        os.chdir(self._folder)
        seeds.seed_random_module(0)  # before the file imports functions from `random`
        try:
            return load()
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error

    def _module(self) -> ModuleType:
        return contract.import_entry(self._place, paths.bundled() / "strategies")

    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game and return the first move; the time limits are not enforced."""
        contract.begin_game(self._strategy, seed)
        self._started = time.perf_counter()
        try:
            return as_sent(self._strategy.first_move())
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error

    def next_move(self, move: Move) -> Any:
        """Return the next proposal of the strategy."""
        try:
            return as_sent(self._strategy.next_move(*move.arguments))
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error

    def duration(self, game: int) -> Duration:
        """Return the wall time since the first move, including the referee's; the CPU time of the player is unknown."""
        return Duration(game, None, time.perf_counter() - self._started)

    def close(self) -> None:
        """Discard the strategy, and restore the working directory."""
        self._strategy = None
        os.chdir(self._home)


def _crashed(error: BaseException) -> PlayerError:
    if isinstance(error, BdbQuit):  # quitting the debugger ends the run
        raise KeyboardInterrupt from error
    return PlayerError(Verdict.MEMORY if isinstance(error, MemoryError) else Verdict.CRASHED, diagnosis.explain(error))


def as_sent(move: Any) -> Any:
    """Return a move as it would arrive from another process, so that both kinds of players behave the same."""
    return move if worker.is_plain(move) else json.loads(worker.to_line(move))["move"]
