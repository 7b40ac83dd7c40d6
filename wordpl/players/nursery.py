"""Where players come from: the referee's end of a zygote."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "NUMBA_CACHE_DIR", "COVERAGE_PROCESS_CONFIG")


OCCUPIED = ".occupied"  # a file that every zygote below the same folder holds a shared lock on while it lives
LEAVING_S = 10.0


class NurseryFault(RuntimeError):
    """The zygote ended though nobody asked it to."""


@dataclass
class Child:
    """A started player: its process id, and the ends of its two pipes."""

    pid: int
    requests: int
    replies: int


class Nursery:
    """Forks players, whose working directory is `folder`."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._zygote: subprocess.Popen | None = None
        self._control: socket.socket | None = None

    def start(self, request: dict[str, Any], *, show_output: bool = False) -> Child:
        """Fork a player; `request` says what it runs, as `zygote.play` reads it."""
        requests, own_requests = os.pipe()
        own_replies, replies = os.pipe()
        files = [requests, replies] + ([sys.stderr.fileno()] if show_output else [])
        try:
            pid = self._ask({"start": request}, files)
        except NurseryFault:
            os.close(own_requests)
            os.close(own_replies)
            raise
        finally:
            os.close(requests)
            os.close(replies)
        for file in (own_requests, own_replies):
            os.set_blocking(file, False)
        return Child(pid, own_requests, own_replies)

    def end(self, child: Child, patience_s: float = 0) -> str:
        """Kill the player if it still lives after a little patience; return in words how it ended."""
        os.close(child.requests)
        os.close(child.replies)
        try:
            return in_words(self._ask({"end": child.pid, "patience_s": patience_s}, []))
        except NurseryFault:
            return "ended with the one that starts players"

    def _ask(self, request: dict[str, Any], files: list[int]) -> int | None:
        control = self._open()
        try:
            socket.send_fds(control, [json.dumps(request).encode() + b"\n"], files)
            return json.loads(_line(control))
        except (OSError, ValueError):
            self._hang_up()
            raise NurseryFault("the process that starts players has ended") from None

    def _open(self) -> socket.socket:
        if self._control is None:
            self._control, theirs = socket.socketpair()
            occupied = os.open(self._folder.parent / OCCUPIED, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(occupied, fcntl.LOCK_SH)
            variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
            self._zygote = subprocess.Popen(
                [sys.executable, "-P", "-m", "wordpl.players.zygote", str(theirs.fileno()), str(occupied)],
                pass_fds=[theirs.fileno(), occupied],
                cwd=self._folder,
                # A fixed seed for hashes: the order of a set of words is the same in every process.
                env={**variables, **ONE_THREAD, "PYTHONHASHSEED": "0"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the referee, which then ends its players
            )
            theirs.close()
            os.close(occupied)
            if not _line(self._control):
                self._hang_up()
                raise NurseryFault("the process that starts players could not start; its error stands above")
        return self._control

    def _hang_up(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._zygote is not None:
            self._zygote.wait()
            self._zygote = None

    def close(self) -> None:
        """End the zygote with all its players."""
        self._hang_up()


def wait_until_empty(parent: Path) -> None:
    """Wait until no zygote works in a folder of `parent`: those of killed workers end a moment after them."""
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


def _line(control: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        part = control.recv(1 << 12)
        if not part:
            return b""
        line += part
    return line


def in_words(status: int | None) -> str:
    """Return how a process ended, from its wait status; None for one that had to be ended."""
    if status is None:
        return "closed its end of the pipe"
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"was killed by {signal.Signals(number).name if number in set(signal.Signals) else number}"
    return f"ended with exit code {os.waitstatus_to_exitcode(status)}"
