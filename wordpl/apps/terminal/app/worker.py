"""The computations of the app, which run in a process of their own and pass their messages to callbacks."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from wordpl.apps.terminal.app.setups import WordChoice
from wordpl.core.messages import WordplError
from wordpl.games import bound
from wordpl.players.killable import KillableProcess

TASKS = {
    "words": "wordpl.apps.terminal.app.setups:task",
    "classic": "wordpl.apps.terminal.app.solve_tasks:suggest",
    "classic-effect": "wordpl.apps.terminal.app.solve_tasks:effect",
    "noisy": "wordpl.apps.terminal.app.solve_tasks:suggest_noisy",
    "noisy-effect": "wordpl.apps.terminal.app.solve_tasks:noisy_effect",
    "letters": "wordpl.apps.terminal.app.solve_tasks:letters",
    "hints": "wordpl.apps.terminal.app.solve_tasks:hints",
    "price": "wordpl.apps.terminal.app.solve_tasks:price",
    "review": "wordpl.apps.terminal.app.solve_tasks:review",
}
"""The function of each task, a generator of messages; the app itself imports none of them, since some import numba."""
WARM_UP = "warm-up"
Handler = Callable[[dict[str, Any]], None]


class WorkerClient:
    """Starts tasks and passes their messages to callbacks.

    Each channel runs one task at a time: a new task stops the one before, whose messages are then dropped.

    Attributes:
        is_ready: Whether the process has loaded its words and kernels.
        compiles: Whether kernels are compiled in the background, and do not serve this process.
        is_alive: Whether the process is running.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._process = KillableProcess(log)
        self._process.prepare("wordpl.games:bind_all", bound())
        self._process.prepare(f"{__name__}:import_search")  # while the app draws its first screen
        self._running: dict[str, asyncio.Task[None]] = {}
        self.is_ready, self.compiles, self.is_alive = False, False, True
        self.on_state: Callable[[], None] = lambda: None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def attach(self, on_state: Callable[[], None]) -> None:
        """Begin, in a running event loop; `on_state` is called when the process is ready or has ended."""
        self.on_state = on_state
        self._start("end of the process", self._wait())

    def detach(self) -> None:
        """Stop all tasks, before the event loop ends."""
        for channel in list(self._running):
            self.cancel(channel)

    def submit(self, channel: str, task: str, handler: Handler, **arguments: Any) -> None:
        """Start a task of TASKS.

        The handler receives its messages; if it fails, one of the kind "error"; and at last one of the kind "end".
        """
        self._start(channel, self._relay(TASKS[task], arguments, handler))

    def cancel(self, channel: str) -> None:
        """Stop the task of the channel."""
        if task := self._running.pop(channel, None):
            task.cancel()

    def define(self, name: str, choice: WordChoice, rule: str) -> None:
        """Define words under a name that tasks can use; `rule` is a key of `clues.CLUE_RULES`."""
        if WARM_UP not in self._running:
            self._start(WARM_UP, self._get_ready(self._process.call(f"{__name__}:warm_up")))
        self._process.prepare("wordpl.apps.terminal.app.solve_tasks:define_words", name, choice, rule)

    def stop(self) -> None:
        """Stop the process and all its tasks, within about a second."""
        self._process.stop()
        self.is_alive = False

    def _start(self, channel: str, work: Any) -> None:
        self.cancel(channel)
        self._running[channel] = asyncio.get_running_loop().create_task(work)

    async def _relay(self, function: str, arguments: dict[str, Any], handler: Handler) -> None:
        async for message in self._messages(function, arguments):
            handler(message)
        handler({"kind": "end"})

    async def _messages(self, function: str, arguments: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        try:
            async for message in self._process.fork(function, **arguments):
                yield message
        except WordplError as error:
            yield {"kind": "error", "message": error.message}
        except MemoryError:
            yield {"kind": "error", "message": "not enough memory"}
        except Exception as error:
            yield {"kind": "error", "message": f"{type(error).__name__}: {error}"}

    async def _get_ready(self, compiles: Awaitable[bool]) -> None:
        self.compiles = await compiles
        self.is_ready = True
        self.on_state()

    async def _wait(self) -> None:
        await self._process.wait()
        self.is_alive = self.is_ready = False
        self.on_state()


def import_search() -> None:
    """Import the search without compiling anything, so that forked tasks inherit it."""
    from wordpl.kernels import compiled

    with compiled.quick_imports():
        from wordpl.apps.terminal.app import solve_tasks  # noqa: F401


@cache
def warm_up() -> bool:
    """Load the contest's words and kernels, so that forked tasks inherit them.

    Where kernels would have to be compiled, tasks do without, and they are compiled in the background.

    Returns:
        Whether this starts their compilation.
    """
    from wordpl.apps.terminal.app import solve_tasks
    from wordpl.kernels import compiled
    from wordpl.players import shared_kernels

    starts = False
    if shared_kernels.are_compiled():
        compiled.use_for_all_work()
    else:
        starts = shared_kernels.compile_in_background()
    with compiled.quick_imports():
        solve_tasks.warm_up()
    gc.freeze()
    return starts
