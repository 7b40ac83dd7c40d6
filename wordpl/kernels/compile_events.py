"""Events that report the compilation of kernels, which takes up to half a minute once on each machine."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

CompileObserver: TypeAlias = Callable[[int, int], object]
"""Called with the number of compiled kernels and their total.

The two are equal when no kernel is being compiled at the moment, and (0, 0) while another process compiles kernels.
"""

_observers: list[CompileObserver] = []


@contextmanager
def observe(observer: CompileObserver) -> Iterator[None]:
    """Report compilations to the observer while the context lasts."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


def publish(n_done: int, n_total: int) -> None:
    """Report the progress of the compilation to all observers."""
    for observer in _observers:
        observer(n_done, n_total)
