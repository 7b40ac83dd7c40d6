"""Tells who wants to know that kernels are being compiled, which takes up to half a minute once for each machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

CompileObserver: TypeAlias = Callable[[int, int], object]
"""Is called with how many kernels have been compiled, and of how many; with twice the same number when, for now, none
is being compiled; with (0, 0) while another process compiles them."""

_observers: list[CompileObserver] = []


@contextmanager
def observed(observer: CompileObserver) -> Iterator[None]:
    """Have the observer told of everything that is compiled meanwhile."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def publish(n_done: int, n_total: int) -> None:
    """Tell all observers how far the compilation is."""
    for observer in _observers:
        observer(n_done, n_total)
