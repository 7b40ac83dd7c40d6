"""The tasks of the worker process by name; each is a generator of messages that JSON can hold."""

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
"""Where each task is, below this package: imported when it is first asked for, since some bring numba."""


def find(name: str) -> Task:
    """Return the task of this name."""
    module, _, function = TASKS[name].partition(".")
    task: Task = getattr(import_module(f"wordpl.terminal.app.{module}"), function)
    return task


def import_search() -> None:
    """Import what the search for a puzzle's guess needs, and compile nothing."""
    with numba_imports.fast_kernel_loading():
        from wordpl.terminal.app import classic_tasks  # noqa: F401 - for the children


def warm_up() -> None:
    """Load compiled code and the contest's own words, so that children inherit them."""
    from wordpl.terminal.app import classic_tasks

    with numba_imports.fast_kernel_loading():
        classic_tasks.warm_up()
    from wordpl.terminal.app import noisy_tasks, play_tasks, run_tasks  # noqa: F401 - for the children
