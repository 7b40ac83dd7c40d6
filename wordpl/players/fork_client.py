"""Where players come from: the referee's end of a fork server."""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from wordpl.core import paths
from wordpl.core.errors import WordplError
from wordpl.players import shared_kernels
from wordpl.players.sandbox import bubblewrap
from wordpl.players.sandbox.cgroup import Cgroup
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "NUMBA_CACHE_DIR", "COVERAGE_PROCESS_CONFIG")


OCCUPIED = ".occupied"  # a file that every fork server below the same folder holds a shared lock on while it lives
LEAVING_S = 10.0


class ForkServerError(WordplError):
    """The fork server ended though nobody asked it to."""


@dataclass
class Child:
    """A started player: its process id here and at its fork server, which one that is, and the ends of two pipes."""

    pid: int
    born_as: int
    generation: int
    requests: int
    replies: int


class Request(msgspec.Struct, frozen=True):
    """What a fork server needs to know to start a player.

    file, make: the Python file, and the expression that makes the strategy there; empty: it lists what it declares
    command, ready: for a program, the words to run it with, and the entries it stands for
    broken: why it cannot play, if it cannot
    attempts: paths; instead of playing, the player tells which of them it can open
    """

    policy: SandboxPolicy
    file: str
    make: str = ""
    game_id: str = ""
    command: list[str] = []
    ready: list[tuple[str, str, str]] = []
    broken: str = ""
    attempts: list[str] = []


class Ending(NamedTuple):
    """How a player's process ended, in words.

    from_outside: whether something else than the player ended it; memory: whether because its group's memory was full
    """

    words: str
    from_outside: bool = False
    memory: bool = False


ENDED_TOGETHER = Ending("ended with the process that starts players", from_outside=True)


class ForkClient:
    """Forks players.

    view: their working directory, and what of the file system they see at level A; level: their isolation; memory_mb:
    what each may use
    """

    def __init__(self, view: bubblewrap.View, level: Level, memory_mb: int):
        self._view, self._level = view, level
        self._cgroup = Cgroup(memory_mb)
        self._n_killed = 0
        self._generation = 0
        self._fork_server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self, request: Request, output: int | None = None) -> Child:
        """Fork a player; output: an open file for what it prints."""
        requests, own_requests = os.pipe()
        own_replies, replies = os.pipe()
        files = [requests, replies] + ([] if output is None else [output])
        try:
            born_as, pid = self._ask({"start": request}, files)
        except ForkServerError:
            os.close(own_requests)
            os.close(own_replies)
            raise
        finally:
            os.close(requests)
            os.close(replies)
        for file in (own_requests, own_replies):
            os.set_blocking(file, False)
        return Child(pid, born_as, self._generation, own_requests, own_replies)

    def end(self, child: Child, patience_s: float = 0) -> Ending:
        """Kill the player if it still lives after a little patience; return how it ended."""
        os.close(child.requests)
        os.close(child.replies)
        n_killed = self._n_killed
        if self._generation != child.generation:
            return ENDED_TOGETHER
        try:
            status = self._ask({"end": child.born_as, "patience_s": patience_s}, [])[0]
        except ForkServerError:
            return ENDED_TOGETHER
        self._n_killed = self._cgroup.n_killed() if _was_killed(status) else n_killed
        return Ending(in_words(status), _was_killed(status), self._n_killed > n_killed)

    def _ask(self, request: dict[str, Request | int | float], files: list[int]) -> tuple[Any, int]:
        """Return the fork server's answer, and the number that the process it is about has here."""
        control = self._open()
        try:
            socket.send_fds(control, [msgspec.json.encode(request) + b"\n"], files)
            line, handles = _line(control)
            answer = json.loads(line)
            return answer, _pid_of(handles[0]) if handles else answer
        except (OSError, ValueError):
            self._hang_up()
            raise ForkServerError("the process that starts players has ended") from None

    def _open(self) -> socket.socket:
        if self._control is None:
            shared_kernels.ensure_compiled()
            control, theirs = socket.socketpair()
            occupied = os.open(self._view.working.parent / OCCUPIED, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(occupied, fcntl.LOCK_SH)
            variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
            try:
                self._fork_server = subprocess.Popen(
                    self._command(theirs.fileno(), occupied),
                    pass_fds=[theirs.fileno(), occupied],
                    cwd=self._view.working,
                    # A fixed seed for hashes: the order of a set of words is the same in every process.
                    env={**variables, **ONE_THREAD, "PYTHONHASHSEED": "0"},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for the referee, which then ends its players
                )
            finally:
                theirs.close()
                os.close(occupied)
            self._generation += 1
            self._control = control  # only now: with a fork server that was never started, nobody would answer
            if not _line(self._control)[0]:
                self._hang_up()
                raise ForkServerError("the process that starts players could not start; its error stands above")
        return self._control

    def _command(self, *files: int) -> list[str]:
        run = "from wordpl.players import fork_server; fork_server.main()"
        start = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); {run}"
        words = [sys.executable, "-P", "-c", start, *map(str, files)]
        if self._level == Level.A:
            words = bubblewrap.command(words, self._view)
        return self._cgroup.command(words)

    def _hang_up(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._fork_server is not None:
            try:
                self._fork_server.wait(LEAVING_S)
            except subprocess.TimeoutExpired:  # stopped by somebody, say
                self._fork_server.kill()
                self._fork_server.wait()
            self._fork_server = None

    def close(self) -> None:
        """End the fork server with all its players."""
        self._hang_up()
        self._cgroup.close()


def wait_until_empty(parent: Path) -> None:
    """Wait until no fork server works in a folder of `parent`: those of killed workers end a moment after them."""
    occupied = os.open(parent / OCCUPIED, os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + LEAVING_S
    try:
        while time.monotonic() < until:
            try:
                return fcntl.flock(occupied, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.002)
    finally:
        os.close(occupied)


def _line(control: socket.socket) -> tuple[bytes, list[int]]:
    """Return a line from the fork server, empty if it has ended, with the files that came beside it."""
    line, handles = b"", []
    while not line.endswith(b"\n"):
        part, files, _, _ = socket.recv_fds(control, 1 << 12, 1)
        handles += files
        if not part:
            return b"", handles
        line += part
    return line, handles


def _pid_of(handle: int) -> int:
    """Return the number that the process behind a pidfd has here, which differs from that in its own namespace."""
    try:
        told = Path(f"/proc/self/fdinfo/{handle}").read_text()
        found = re.search(r"^Pid:\s*(-?\d+)", told, re.MULTILINE)
        return int(found[1]) if found else -1
    finally:
        os.close(handle)


def _was_killed(status: int | None) -> bool:
    """Return whether a player was killed from outside, from its wait status: it cannot send itself SIGKILL."""
    return status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def in_words(status: int | None) -> str:
    """Return how a process ended, from its wait status; None for one that had to be ended."""
    if status is None:
        return "closed its end of the pipe"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"was killed by {signal.Signals(number).name if number in set(signal.Signals) else number}"
    return f"ended with exit code {os.waitstatus_to_exitcode(status)}"
