"""The referee's client of a fork server, which starts and stops players."""

import fcntl
import json
import logging
import os
import re
import signal
import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import msgspec

from wordpl.core import current_folder
from wordpl.core.messages import WordplError, sanitize_untrusted_text
from wordpl.games.base import OwnGame
from wordpl.kernels import cache_folder
from wordpl.players.sandbox import namespaces
from wordpl.players.sandbox.levels import Level, SandboxPolicy
from wordpl.players.sandbox.processes import Cgroup

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", cache_folder.VARIABLE, "COVERAGE_PROCESS_CONFIG")


_LOGGER = logging.getLogger(__name__)
IGNORE_SIGNALS = 'trap "" HUP INT TERM; exec "$@"'
"""Signals that a service manager may send to all processes; the referee ends its players after the current game."""
LOCK_FILE = ".occupied"
"""The file on which all fork servers below a folder hold a shared lock while they run."""
SHUTDOWN_S = 10.0
MAX_OWN_CODE = 127
"""The largest exit code of a process that was not ended by a signal."""
ERROR_BYTES = 1 << 14
ERROR_CHARACTERS = 300


class ForkServerError(WordplError):
    """The fork server ended unexpectedly.

    Attributes:
        by_itself: Whether it ended by itself, with an exit code, so that it would do so again; otherwise it was killed.
    """

    def __init__(self, message: str, *, by_itself: bool = False):
        """Create an error with this message."""
        super().__init__(message)
        self.by_itself = by_itself


@dataclass
class ForkedPlayer:
    """A player that a fork server has started.

    Attributes:
        pid: Its process id in this pid namespace.
        number: Its number at the fork server.
        generation: The number of the fork server.
        requests: The write end of the pipe for requests.
        replies: The read end of the pipe for replies.
    """

    pid: int
    number: int
    generation: int
    requests: int
    replies: int


class Start(msgspec.Struct, frozen=True, tag=True):
    """The request to start a player. It says nothing about its entry: later players inherit the memory of who reads it.

    Attributes:
        policy: The part of the sandbox policy that all players share.
        uses: The libraries and kernels to load first, see `shared_kernels`.
    """

    policy: SandboxPolicy
    uses: list[str] = []


class End(msgspec.Struct, frozen=True, tag=True):
    """The request to stop a player.

    Attributes:
        number: The player's number, as the fork server has given it.
        grace_s: How long to wait for it to end by itself.
    """

    number: int
    grace_s: float


class Request(msgspec.Struct, frozen=True):
    """What a forked player is told, in a file that it alone reads.

    Attributes:
        policy: The sandbox policy.
        place: The entry's file or folder, in the working directory.
        make: The expression that creates the strategy; "": the player lists the entries that the file declares.
        game_id: The game to play.
        command: For a program, its command line.
        ready: For a program, its entry (expression, name and game), which the player reports when it is ready.
        broken: Why the entry cannot play; "" if it can.
        game: The source of the game to play, if it is the host's own.
        attempts: Paths to try to open; the player reports which of them it could open, instead of playing.
        uses: The libraries and kernels that are loaded before the fork.
    """

    policy: SandboxPolicy
    place: str
    make: str = ""
    game_id: str = ""
    game: OwnGame | None = None
    command: list[str] = []
    ready: list[tuple[str, str, str]] = []
    broken: str = ""
    attempts: list[str] = []
    uses: list[str] = []


class ProcessEnd(NamedTuple):
    """How a player's process ended.

    Attributes:
        description: Text, as the predicate of a sentence.
        from_outside: Whether the process was killed from outside.
        out_of_memory: Whether it was killed because its control group ran out of memory.
    """

    description: str
    from_outside: bool = False
    out_of_memory: bool = False


ENDED_WITH_SERVER = ProcessEnd("ended with the process that starts players", from_outside=True)


class ForkClient:
    """Starts players through a fork server, which is itself started when it is first needed."""

    def __init__(self, view: namespaces.View, level: Level, memory_mb: int):
        """Create a client; no process is started yet.

        Args:
            view: The working directory of the players, and the files that they can see at level A.
            level: Their sandbox level.
            memory_mb: The memory limit of each player in MiB.
        """
        self._view, self._level = view, level
        self._cgroup = Cgroup(memory_mb)
        self._n_killed = 0
        self._generation = 0
        self._fork_server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._errors: IO[bytes] | None = None

    def start(self, request: Request, output: int | None = None) -> ForkedPlayer:
        """Start a player.

        Args:
            request: The player to start.
            output: The file descriptor that receives what the player prints; None: discard it.

        Raises:
            ForkServerError: The fork server ended.
        """
        requests, own_requests = os.pipe()
        own_replies, replies = os.pipe()
        try:
            with TemporaryFile() as told:
                told.write(msgspec.json.encode(request))
                told.flush()
                files = [requests, replies, told.fileno()] + ([] if output is None else [output])
                number, pid = self._ask(Start(request.policy.shared(), request.uses), files)
        except BaseException:
            os.close(own_requests)
            os.close(own_replies)
            raise
        finally:
            os.close(requests)
            os.close(replies)
        for file in (own_requests, own_replies):
            os.set_blocking(file, False)
        return ForkedPlayer(pid, number, self._generation, own_requests, own_replies)

    def end(self, child: ForkedPlayer, grace_s: float = 0) -> ProcessEnd:
        """Wait up to `grace_s` seconds for the player to end, then kill it; return how it ended."""
        os.close(child.requests)
        os.close(child.replies)
        n_killed = self._n_killed
        if self._generation != child.generation:
            return ENDED_WITH_SERVER
        try:
            status = self._ask(End(child.number, grace_s), [])[0]
        except ForkServerError as error:
            is_known = error.by_itself
            return ProcessEnd(f"ended because {error.message}", from_outside=True) if is_known else ENDED_WITH_SERVER
        self._n_killed = self._cgroup.n_killed() if _was_killed(status) else n_killed
        return ProcessEnd(in_words(status), _was_killed(status), self._n_killed > n_killed)

    def _ask(self, request: Start | End, files: list[int]) -> tuple[Any, int]:
        """Return the fork server's answer, and the id in this pid namespace of the process that it concerns."""
        control = self._open()
        try:
            socket.send_fds(control, [msgspec.json.encode(request) + b"\n"], files)
            line, handles = receive_line(control)
            answer = json.loads(line)
            try:
                return answer, pid_of(handles[0]) if handles else answer
            finally:
                for handle in handles:
                    os.close(handle)
        except (OSError, ValueError):
            raise self._ended() from None

    def _open(self) -> socket.socket:
        if self._control is None:
            control, theirs = socket.socketpair()
            lock = os.open(self._view.working.parent / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(lock, fcntl.LOCK_SH)
            self._errors = TemporaryFile()  # noqa: SIM115 - it is closed when the fork server has ended
            variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
            try:
                self._fork_server = subprocess.Popen(
                    self._command(theirs.fileno(), lock),
                    pass_fds=[theirs.fileno(), lock],
                    cwd=self._view.working,
                    # A fixed hash seed, so that sets of words have the same order in every process.
                    env={**variables, **ONE_THREAD, "PYTHONHASHSEED": "0"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    start_new_session=True,  # the referee handles Ctrl-C and then stops its players
                )
            finally:
                theirs.close()
                os.close(lock)
            self._generation += 1
            self._control = control  # set only after the fork server was started, or requests would never be answered
            if not receive_line(self._control)[0]:
                raise self._ended()
        return self._control

    def _ended(self) -> ForkServerError:
        """Return the error that says how the fork server ended, which is stopped if it has not ended."""
        server, errors = self._fork_server, self._errors
        self._errors = None
        self._disconnect()
        last_line = ""
        if errors is not None:
            with errors:
                last_line = _last_line(errors)
        code = -signal.SIGKILL if server is None else server.returncode
        if not 0 < code <= MAX_OWN_CODE:
            return ForkServerError("the process that starts players was ended from outside")
        message = f"the process that starts players ended by itself, with exit code {code}"
        return ForkServerError(f"{message}: {last_line}" if last_line else message, by_itself=True)

    def _command(self, *files: int) -> list[str]:
        words = current_folder.python_command("players.fork_server", "main()", *map(str, files), self._level)
        if self._level == Level.A:
            words = namespaces.bubblewrap_command(words, self._view)
        return ["/bin/sh", "-c", IGNORE_SIGNALS, "sh", *self._cgroup.command(words)]

    def _disconnect(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._fork_server is not None:
            try:
                self._fork_server.wait(SHUTDOWN_S)
            except subprocess.TimeoutExpired:  # for example, it was suspended
                self._fork_server.kill()
                self._fork_server.wait()
            self._fork_server = None
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def close(self) -> None:
        """Stop the fork server and all its players."""
        self._disconnect()
        self._cgroup.close()


def wait_until_empty(parent: Path) -> None:
    """Wait until all fork servers below `parent` have ended; those of killed workers end shortly after them."""
    lock = os.open(parent / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + SHUTDOWN_S
    try:
        while time.monotonic() < until:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.002)
    finally:
        os.close(lock)


def receive_line(control: socket.socket) -> tuple[bytes, list[int]]:
    """Return a line, or b"" if the other side has ended, with the file descriptors passed along with it.

    Unlike `socket.recv_fds`, which keeps memory on each call, this leaves no trace of the number of calls in a process,
    from which players are forked.
    """
    line, files = b"", []
    while not line.endswith(b"\n"):
        part, passed, _, _ = control.recvmsg(LINE_BYTES, socket.CMSG_SPACE(MAX_FILES * _INT.size))
        files += [file for _, _, packed in passed for (file,) in _INT.iter_unpack(packed)]
        if not part:
            return b"", files
        line += part
    return line, files


LINE_BYTES = 1 << 16
MAX_FILES = 4
"""The maximum number of file descriptors that are passed along with a line."""
_INT = struct.Struct("i")


def _last_line(errors: IO[bytes]) -> str:
    """Return the last line of what the fork server wrote to its standard error, and log all of it."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - ERROR_BYTES))
    text = errors.read().decode(errors="replace").strip()
    if text:
        _LOGGER.error("the process that starts players wrote:\n%s", text)
    return sanitize_untrusted_text(text[text.rfind("\n") + 1 :], ERROR_CHARACTERS)


def pid_of(handle: int) -> int:
    """Return the process id of a pidfd in this pid namespace, -1 if it has none."""
    text = Path(f"/proc/self/fdinfo/{handle}").read_text()
    match = re.search(r"^Pid:\s*(-?\d+)", text, re.MULTILINE)
    return int(match[1]) if match else -1


def _was_killed(status: int | None) -> bool:
    """Return whether a wait status shows SIGKILL, which a player cannot send to itself."""
    return status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def in_words(status: int | None) -> str:
    """Describe how a process ended, given its wait status; None for a process that had to be killed."""
    if status is None:
        return "closed its end of the pipe"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"was killed by {signal.Signals(number).name if number in set(signal.Signals) else number}"
    return f"ended with exit code {os.waitstatus_to_exitcode(status)}"
