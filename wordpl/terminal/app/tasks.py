"""The tasks of the worker process by name. Each task is a generator of messages that can be encoded as JSON."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from wordpl.core import numba_imports

Task = Callable[..., Iterator[dict[str, Any]]]

TASKS = {
    "words": "word_choice.task",
    "classic": "classic_tasks.suggest",
    "classic-effect": "classic_tasks.effect",
    "noisy": "noisy_tasks.suggest",
    "noisy-effect": "noisy_tasks.effect",
    "letters": "play_tasks.letters",
    "hints": "play_tasks.hints",
    "price": "play_tasks.price",
    "watch": "run_tasks.watch",
    "games": "run_tasks.games",
    "game": "run_tasks.game",
}
"""The module and function of each task, which are imported on first use since some import numba."""


def find(name: str) -> Task:
    """Return the task of this name."""
    module, _, function = TASKS[name].partition(".")
    task: Task = getattr(import_module(f"wordpl.terminal.app.{module}"), function)
    return task


def import_search() -> None:
    """Import the search without compiling anything."""
    with numba_imports.fast_kernel_loading():
        from wordpl.terminal.app import classic_tasks  # noqa: F401 - so that forked tasks inherit it


def warm_up() -> None:
    """Load compiled code and the contest's words, so that forked tasks inherit them."""
    from wordpl.terminal.app import classic_tasks

    with numba_imports.fast_kernel_loading():
        classic_tasks.warm_up()
    from wordpl.terminal.app import noisy_tasks, play_tasks, run_tasks  # noqa: F401 - so that forked tasks inherit them
