"""Computations in a process that can be stopped at any time, also in the middle of a kernel.

The process keeps what it has imported and loaded. It calls a function itself, or forks a process that inherits what is
loaded, so that one computation can be stopped alone. Functions are named by text, so that a program can ask for them
without importing what they need.
"""

import asyncio
import os
import pickle
import signal
import socket
import struct
import subprocess
import tempfile
import traceback
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from wordpl.core import current_folder
from wordpl.core.messages import UserError, WordplError
from wordpl.players.sandbox.processes import die_with_parent

CALL, FORK, KILL = range(3)
"""The requests: call a function in the process, call it in a forked one, stop a forked one."""
REQUEST = struct.Struct("=BQ")
"""A request and the number of its computation. With the first two come a socket for replies and a file."""
SHUTDOWN_S = 1.0
"""How long to wait for the process to exit before it is killed."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class ProcessEndedError(WordplError):
    """The process of a computation has ended unexpectedly."""


class KillableProcess:
    """A process that computes for this one, and ends with it.

    Create it before an app takes over the terminal, since such an app cannot start processes reliably.
    """

    def __init__(self, log: Path | None = None) -> None:
        """Start the process; what it prints is appended to the file `log`."""
        self._control, control = socket.socketpair()
        with (log or Path(os.devnull)).open("ab") as output:
            self._process = subprocess.Popen(
                current_folder.python_command("players.killable", f"main({control.fileno()}, {os.getpid()})"),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[control.fileno()],
                start_new_session=True,  # keeps Ctrl-C and Ctrl-Z in the terminal from reaching the process
                env=os.environ | ONE_THREAD,
            )
        control.close()
        self._n_requests = 0

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def prepare(self, function: str, *arguments: Any) -> None:
        """Call a function in the process, before all later ones, and ignore its result."""
        self._request(CALL, function, arguments, {})[1].close()

    def call(self, function: str, *arguments: Any) -> Coroutine[Any, Any, Any]:
        """Call a function in the process, after those requested before; return a coroutine for its result.

        Args:
            function: The function, as module:name.
            arguments: Its arguments, which can be pickled.

        Raises:
            ProcessEndedError: The process has ended.
        """
        return _result(self._request(CALL, function, arguments, {})[1])

    async def fork(self, function: str, **arguments: Any) -> AsyncIterator[Any]:
        """Call a generator function in a forked process, and yield what it yields; stop it if the caller stops.

        Raises:
            ProcessEndedError: A process has ended.
        """
        number, replies = self._request(FORK, function, (), arguments)
        try:
            async for value in _received(replies):
                yield value
        finally:
            replies.close()
            with suppress(OSError):  # the process has ended
                self._control.send(REQUEST.pack(KILL, number))

    async def wait(self) -> None:
        """Wait until the process has ended."""
        await _readable(self._control.fileno())

    def stop(self, wait_s: float = SHUTDOWN_S) -> None:
        """Stop the process and all that it has forked, at the latest after `wait_s` seconds."""
        self._control.close()
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _request(
        self, kind: int, function: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[int, Connection]:
        self._n_requests += 1
        own, other = socket.socketpair()
        with tempfile.TemporaryFile() as file, other:  # unlike a pipe, a file takes arguments of any size at once
            pickle.dump((function, arguments, named), file)
            file.seek(0)
            with suppress(OSError):  # the process has ended, and replies end, too
                message = REQUEST.pack(kind, self._n_requests)
                socket.send_fds(self._control, [message], [other.fileno(), file.fileno()])
        return self._n_requests, Connection(own.detach())


async def _result(replies: Connection) -> Any:
    with replies:
        (result,) = [value async for value in _received(replies)]
    return result


async def _received(replies: Connection) -> AsyncIterator[Any]:
    """Yield the values that a function sends, and raise its error."""
    while True:
        await _readable(replies.fileno())
        try:
            kind, value = replies.recv()
        except (EOFError, OSError):
            raise ProcessEndedError("the process of this computation has ended unexpectedly") from None
        if kind == "end":
            return
        if kind == "error":
            raise value
        yield value


async def _readable(file: int) -> None:
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(file, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(file)


def main(control: int, parent: int) -> None:
    """Serve the requests of the process `parent` from the socket `control` until it closes its end."""
    die_with_parent(parent)
    children: dict[int, int] = {}
    with socket.socket(fileno=control) as requests:
        while True:
            data, files, _, _ = socket.recv_fds(requests, REQUEST.size, 2)
            if not data:
                break
            kind, number = REQUEST.unpack(data)
            if kind == CALL:
                _run(*files)
            elif kind == FORK:
                children[number] = _forked(*files)
            elif number in children:
                _kill(children.pop(number))
            for file in files:
                os.close(file)
    for pid in children.values():
        _kill(pid)


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)  # has no effect on one that has ended, whose id is in use until the next line
    os.waitpid(pid, 0)


def _forked(replies: int, arguments: int) -> int:
    """Run a function in a forked process and return its id."""
    parent, pid = os.getpid(), os.fork()
    if pid:
        return pid
    try:
        die_with_parent(parent)
        _run(replies, arguments)
    finally:
        os._exit(0)


def _run(replies: int, arguments: int) -> None:
    """Call a function and send what it yields or returns, then "end" or its error."""
    with Connection(os.dup(replies)) as connection, suppress(BrokenPipeError, ConnectionResetError):
        try:
            for value in _values(arguments):
                connection.send(("value", value))
            connection.send(("end", None))
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as error:
            if not isinstance(error, UserError):
                traceback.print_exc()
            connection.send(("error", _as_sent(error)))


def _values(arguments: int) -> Iterator[Any]:
    with os.fdopen(os.dup(arguments), "rb") as file:
        function, positional, named = pickle.load(file)
    result = resolve_name(function)(*positional, **named)
    if isinstance(result, Iterator):
        yield from result
    else:
        yield result


def _as_sent(error: Exception) -> Exception:
    """Return the error if it can be pickled, otherwise another one with its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
