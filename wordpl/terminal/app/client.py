"""The client of the worker process: sends requests and receives replies without blocking the app."""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from wordpl.games import bound

READ_BYTES = 1 << 16
END_S = 1.0
"""How long to wait for the process to exit before it is killed."""
Handler = Callable[[dict[str, Any]], None]


class WorkerClient:
    """Starts tasks in the worker process and passes their replies to callbacks.

    Each channel runs one task at a time: a new task cancels the one before, whose replies are then dropped. Create the
    client before the app runs, since an app that controls the terminal cannot start processes reliably.

    Attributes:
        is_ready: Whether the process has loaded its words and kernels.
        compiles: Whether kernels are compiled in the background, and do not serve this process.
        is_alive: Whether the process is running.
    """

    def __init__(self, log: Path | None = None) -> None:
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        errors = (log or Path(os.devnull)).open("ab")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "wordpl.terminal.app.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # keeps Ctrl-C and Ctrl-Z in the terminal from reaching the process
            env=environment,
        )
        errors.close()
        assert self._process.stdin and self._process.stdout
        self._stdin, self._stdout = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._input, self._outgoing = bytearray(), bytearray()
        self._handlers: dict[int, Handler] = {}
        self._current: dict[str, int] = {}
        self._n_requests = 0
        self.is_ready, self.compiles, self.is_alive = False, False, True
        self.on_state: Callable[[], None] = lambda: None
        if own_games := bound():
            self._send({"games": own_games})

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def attach(self, on_state: Callable[[], None]) -> None:
        """Read replies in the running event loop; `on_state` is called when the process is ready or has ended."""
        self.on_state = on_state
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._stdout, self._read)
        self._flush()

    def detach(self) -> None:
        """Stop reading in the event loop."""
        if self._loop and not self._loop.is_closed():
            self._loop.remove_reader(self._stdout)
            self._loop.remove_writer(self._stdin)
        self._loop = None

    def submit(self, channel: str, task: str, handler: Handler, **args: Any) -> int:
        """Start a task and return its number. Its replies go to the handler; the last one has the kind "end"."""
        self._drop(channel)
        self._n_requests += 1
        number = self._n_requests
        self._handlers[number], self._current[channel] = handler, number
        self._send({"id": number, "channel": channel, "task": task, "args": args})
        return number

    def cancel(self, channel: str) -> None:
        """Cancel the task of the channel."""
        if self._drop(channel):
            self._send({"cancel": channel})

    def define(self, name: str, words: dict[str, Any], rule: str) -> None:
        """Define word lists under a name that tasks can use; `rule` is a key of `clues.CLUE_RULES`."""
        self._send({"define": name, "words": words, "rule": rule})

    def stop(self) -> None:
        """Stop the process and all its tasks, within about a second."""
        self.detach()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(END_S)
        self.is_alive = False

    def _drop(self, channel: str) -> bool:
        number = self._current.pop(channel, None)
        return number is not None and self._handlers.pop(number, None) is not None

    def _send(self, message: dict[str, Any]) -> None:
        self._outgoing += msgspec.json.encode(message) + b"\n"
        self._flush()

    def _flush(self) -> None:
        try:
            while self._outgoing and self.is_alive:
                n_written = os.write(self._stdin, self._outgoing)
                del self._outgoing[:n_written]
        except BlockingIOError:
            if self._loop:
                self._loop.add_writer(self._stdin, self._flush)
            return
        except OSError:
            self._ended()
        if self._loop:
            self._loop.remove_writer(self._stdin)

    def _read(self) -> None:
        try:
            data = os.read(self._stdout, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._ended()
            return
        self._input += data
        *lines, incomplete_line = self._input.split(b"\n")
        self._input = bytearray(incomplete_line)
        for line in lines:
            self._handle(msgspec.json.decode(line))

    def _handle(self, message: dict[str, Any]) -> None:
        number = message["id"]
        if number == 0:
            self.is_ready, self.compiles = True, message["compiles"]
            self.on_state()
            return
        handler = self._handlers.get(number)
        if handler is None:
            return
        if message["kind"] == "end":
            del self._handlers[number]
        handler(message)

    def _ended(self) -> None:
        if self.is_alive:
            self.is_alive = self.is_ready = False
            if self._loop:
                self._loop.remove_reader(self._stdout)
            self.on_state()
