"""What all packages use; here, the modules and lazy names of a package, and ways to save memory."""

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


def lazy_getattr(package: str, sources: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module-level `__getattr__` for a package (PEP 562), which imports each name on first use.

    Args:
        package: The package's `__name__`.
        sources: For each public name, the module that defines it; for a module, that module itself. A module that
            defines its own name, such as a function `check` in `check.py`, stands for that.
    """

    def getattr_(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(sources[name])
        is_namesake = sources[name].endswith(f".{name}")
        value = getattr(module, name, module) if is_namesake else getattr(module, name)
        if is_namesake and isinstance(value, ModuleType):  # such as the module `search` of the package `search`
            value = module
        setattr(sys.modules[package], name, value)
        return value

    return getattr_


def modules_in(package: str) -> list[ModuleType]:
    """Return the modules of a package by name, imported. So a file added to its folder is found."""
    from pkgutil import iter_modules  # every command imports this module, and few need pkgutil

    return [import_module(f"{package}.{found.name}") for found in iter_modules(import_module(package).__path__)]


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
    import ctypes  # here and below: slow to import, and few programs have large tables

    options = getattr(ctypes.CDLL(None), "mallopt", None)  # of the GNU C library
    if options is not None:
        options(M_MMAP_THRESHOLD, LARGE_BYTES)


def return_free_memory() -> None:
    """Return memory that decoded records have used to the system; the C library would keep most of it.

    For a run of 400,000 games, that is 45 of 425 MiB.
    """
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU C library
    if trim is not None:
        trim(0)
