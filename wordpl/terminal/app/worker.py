"""The worker process of the app: it keeps compiled code and clue matrices, and forks a process for each task.

A forked process inherits what is loaded here, and can be killed in the middle of a kernel, so that tasks can be
cancelled at any time. Requests are JSON lines on standard input, replies are JSON lines on standard output.

Requests
    {"id": 7, "channel": "solve", "task": "rate", "args": {...}}   start a task; cancels the channel's earlier task
    {"cancel": "solve"}                                            cancel the task of a channel
    {"define": "name", "words": {...}, "rule": "counted"}          define word lists for tasks
Replies
    {"id": 7, "kind": ..., ...}                                    a message of the task
    {"id": 7, "kind": "end"} or {"id": 7, "kind": "error", "message": ..., "is_bug": ...}
    {"id": 0, "kind": "ready", "compiles": ...}                    tasks can be started; whether kernels are compiled in
                                                                   the background
"""

import gc
import os
import selectors
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import msgspec

from wordpl import games
from wordpl.core.errors import UserError
from wordpl.kernels import loading
from wordpl.players.sandbox.descendants import die_with_parent

Task = Callable[..., Iterator[dict[str, Any]]]

TASKS = {
    "words": "word_choice.task",
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
    with loading.fast_kernel_loading():
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
    with loading.fast_kernel_loading():
        classic_tasks.warm_up()
    from wordpl.terminal.app import noisy_tasks, run_tasks  # noqa: F401 - so that forked tasks inherit them

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
            from wordpl.terminal.app import defined_words

            defined_words.define(request["define"], request["words"], request["rule"])
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
