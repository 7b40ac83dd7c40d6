"""The worker process of the app, which forks a process for each task, and its client, which never blocks the app."""

import asyncio
import contextlib
import gc
import os
import selectors
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from wordpl import games
from wordpl.core.messages import UserError
from wordpl.games import bound
from wordpl.kernels import compiled
from wordpl.players.sandbox.descendants import die_with_parent

Task = Callable[..., Iterator[dict[str, Any]]]

TASKS = {
    "words": "setups.task",
    "classic": "classic_tasks.suggest",
    "classic-effect": "classic_tasks.effect",
    "noisy": "noisy_tasks.suggest",
    "noisy-effect": "noisy_tasks.effect",
    "letters": "noisy_tasks.letters",
    "hints": "noisy_tasks.hints",
    "price": "noisy_tasks.price",
    "watch": "run_tasks.watch",
    "games": "run_tasks.games",
    "board": "run_tasks.board",
    "game": "run_tasks.game",
}
"""The module and function of each task, which are imported on first use since some import numba."""
READ_BYTES = 1 << 16
INPUT, OUTPUT = 0, 1


def find_task(name: str) -> Task:
    """Return the task of this name."""
    module, _, function = TASKS[name].partition(".")
    task: Task = getattr(import_module(f"wordpl.terminal.app.{module}"), function)
    return task


def import_search() -> None:
    """Import the search without compiling anything."""
    with compiled.fast_kernel_loading():
        from wordpl.terminal.app import classic_tasks  # noqa: F401 - so that forked tasks inherit it


def warm_up() -> bool:
    """Load the contest's words and kernels, so that forked tasks inherit them.

    Where kernels would have to be compiled, tasks do without, and they are compiled in the background.

    Returns:
        Whether this starts their compilation.
    """
    from wordpl.kernels import compiled
    from wordpl.players import shared_kernels
    from wordpl.terminal.app import classic_tasks

    starts = False
    if shared_kernels.are_compiled():
        compiled.use_for_all_work()
    else:
        starts = shared_kernels.compile_in_background()
    with compiled.fast_kernel_loading():
        classic_tasks.warm_up()
    from wordpl.terminal.app import (
        noisy_tasks,  # noqa: F401 - so that forked tasks inherit them
    )

    return starts


@dataclass
class TaskProcess:
    """The process of a running task; `pending` holds the incomplete last line of its output."""

    request_id: int
    channel: str
    pid: int
    pipe: int
    pending: bytearray = field(default_factory=bytearray)


class TaskServer:
    """Starts and cancels tasks and relays their output, until standard input ends."""

    def __init__(self) -> None:
        self.children: dict[str, TaskProcess] = {}
        self.selector = selectors.DefaultSelector()
        self.selector.register(INPUT, selectors.EVENT_READ)
        self._input = bytearray()
        self._is_warm = False

    def serve(self) -> None:
        """Handle requests until standard input ends; then cancel all tasks."""
        import_search()  # runs while the app draws its first screen
        try:
            while self._step():
                pass
        except BrokenPipeError:
            pass  # the app has ended
        finally:
            for channel in list(self.children):
                self.cancel(channel)

    def _warm_up(self) -> None:
        """Load words and kernels once and report it, so that forked tasks inherit them. Some tasks do not need them."""
        if self._is_warm:
            return
        self._is_warm = True
        compiles = warm_up()
        gc.freeze()
        _send(OUTPUT, {"id": 0, "kind": "ready", "compiles": compiles})

    def _step(self) -> bool:
        for key, _ in self.selector.select():
            if key.fd == INPUT:
                data = os.read(INPUT, READ_BYTES)
                if not data:
                    return False
                self._input += data
                for line in _whole_lines(self._input):
                    self._handle(msgspec.json.decode(line))
            elif isinstance(key.data, TaskProcess) and self.children.get(key.data.channel) is key.data:
                self._relay(key.data)
        return True

    def _handle(self, request: dict[str, Any]) -> None:
        if "cancel" in request:
            self.cancel(request["cancel"])
        elif "games" in request:
            games.bind_all(msgspec.convert(request["games"], list[games.OwnGame]))
        elif "define" in request:
            self._warm_up()
            from wordpl.terminal.app import classic_tasks

            classic_tasks.define_words(request["define"], request["words"], request["rule"])
        else:
            self._start(request)

    def _start(self, request: dict[str, Any]) -> None:
        self.cancel(request["channel"])
        reading, writing = os.pipe()
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            os.close(reading)
            _run_child(request, writing, parent)
        os.close(writing)
        child = TaskProcess(request["id"], request["channel"], pid, reading)
        self.children[child.channel] = child
        self.selector.register(reading, selectors.EVENT_READ, child)

    def _relay(self, child: TaskProcess) -> None:
        data = os.read(child.pipe, READ_BYTES)
        child.pending += data
        for line in _whole_lines(child.pending):
            _write(OUTPUT, line)
        if not data:
            status = self._forget(child)
            if status:
                message = _how_it_ended(status)
                _send(OUTPUT, {"id": child.request_id, "kind": "error", "message": message, "is_bug": True})
            _send(OUTPUT, {"id": child.request_id, "kind": "end"})

    def cancel(self, channel: str) -> None:
        """Cancel the task of this channel, if there is one."""
        if child := self.children.get(channel):
            os.kill(child.pid, signal.SIGKILL)
            self._forget(child)

    def _forget(self, child: TaskProcess) -> int:
        self.selector.unregister(child.pipe)
        os.close(child.pipe)
        del self.children[child.channel]
        return os.waitpid(child.pid, 0)[1]


def _whole_lines(buffer: bytearray) -> list[bytes]:
    """Remove the complete lines from the buffer and return them."""
    end = buffer.rfind(b"\n") + 1
    lines = bytes(buffer[:end]).splitlines(keepends=True)
    del buffer[:end]
    return lines


def _run_child(request: dict[str, Any], pipe: int, parent: int) -> None:
    """Run a task in the forked process, and end the process."""
    status = 1
    try:
        die_with_parent(parent)
        os.dup2(os.open(os.devnull, os.O_RDWR), INPUT)
        os.dup2(sys.stderr.fileno(), OUTPUT)
        _run_task(request, pipe)
        status = 0
    finally:
        os._exit(status)


def _run_task(request: dict[str, Any], pipe: int) -> None:
    number = request["id"]
    try:
        for message in find_task(request["task"])(**request["args"]):
            _send(pipe, {"id": number, **message})
    except UserError as error:
        _send(pipe, {"id": number, "kind": "error", "message": str(error), "is_bug": False})
    except MemoryError:
        _send(pipe, {"id": number, "kind": "error", "message": "not enough memory", "is_bug": False})
    except Exception as error:
        traceback.print_exc()
        reason = f"{type(error).__name__}: {error}"
        _send(pipe, {"id": number, "kind": "error", "message": reason, "is_bug": True})


def _how_it_ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"the task was killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"the task ended with status {os.waitstatus_to_exitcode(status)}"


def _send(file: int, message: dict[str, Any]) -> None:
    _write(file, msgspec.json.encode(message, enc_hook=_plain_number) + b"\n")


def _plain_number(value: Any) -> float | int:
    """Return a numpy number as a Python number."""
    number: float | int = value.item()
    return number


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def main() -> None:
    """Serve the app that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the app decides when this process ends
    TaskServer().serve()


if __name__ == "__main__":
    main()


REPLY_BYTES = 1 << 16
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
            data = os.read(self._stdout, REPLY_BYTES)
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
