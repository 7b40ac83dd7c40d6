"""Keeping the memory of large tables small: when the collector runs, and what goes back to the system."""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

LARGE_BYTES = 1 << 18
"""The size from which arrays get memory of their own; a smaller one costs time."""
M_MMAP_THRESHOLD = -3
"""The number of an option in malloc.h of the GNU C library."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would otherwise scan a growing number of live objects again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def return_large_arrays() -> None:
    """Let the C library return large arrays to the system as soon as they are free, in this process from now on.

    Otherwise it raises its limit of 128 KiB with each larger array, keeps what it freed, and leaves gaps in it: 100 of
    850 MiB in a report of 2,000,000 games.
    """
    options = getattr(ctypes.CDLL(None), "mallopt", None)  # of the GNU C library
    if options is not None:
        options(M_MMAP_THRESHOLD, LARGE_BYTES)


def return_free_memory() -> None:
    """Return memory that decoded records have used to the system; the C library would keep most of it.

    For a run of 400,000 games, that is 45 of 425 MiB.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU C library
    if trim is not None:
        trim(0)
