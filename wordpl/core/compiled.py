"""Decorators that compile kernels with numba and keep the types of the functions that they decorate.

Kernels use these decorators rather than numba's, so that a type checker sees their signatures in every version of
numba.

Numba recompiles a kernel when its own file changes, but not when the file of a kernel that it calls changes, so that
part of a computation would use stale code. In a folder whose kernels call each other, `bound_to_sources` makes each
kernel depend on all kernel files of the folder.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from wordpl.core import compile_events, kernel_cache

if kernel_cache.choose_folder() is None and not kernel_cache.is_player:
    kernel_cache.accept_read_only()

from numba import njit

Int: TypeAlias = Any
"""An integer: an int in Python, a numpy integer in a compiled kernel."""
Bool: TypeAlias = Any
"""A Boolean: a bool in Python, a numpy Boolean in a compiled kernel."""

F = TypeVar("F", bound=Callable[..., Any])


@cache
def _kernels() -> dict[int, Any]:
    """Return the registry of kernels that are cached on disk, by their `id`.

    The first call registers a listener that publishes their compilation through `compile_events`.
    """
    from numba.core import event

    kernels: dict[int, Any] = {}
    n_done, n_open = 0, 0

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            nonlocal n_open
            if id(event.data["dispatcher"]) in kernels:
                n_open += 1
                compile_events.publish(n_done, n_done + max(n_open, sum(map(needs_compilation, kernels.values()))))

        def on_end(self, event: Any) -> None:
            nonlocal n_done, n_open
            if id(event.data["dispatcher"]) in kernels:
                n_done, n_open = n_done + 1, n_open - 1
                if not n_open:
                    compile_events.publish(n_done, n_done)

    library: Any = event  # without types
    library.register("numba:compile", Listener())
    return kernels


def kernels() -> list[Any]:
    """Return all kernels of the modules imported so far."""
    return list(_kernels().values())


def needs_compilation(dispatcher: Any) -> bool:
    """Return whether the kernel has not been compiled by this process and has no index file in the cache."""
    index = getattr(getattr(dispatcher._cache, "_cache_file", None), "_index_path", None)
    return not dispatcher.overloads and (index is None or not Path(index).exists())


def compiler(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a function with `numba.njit` and these options."""

    def decorate(function: F) -> F:
        compiled = njit(**options)(function)
        if options.get("cache"):
            _kernels()[id(compiled)] = compiled
        return cast("F", compiled)

    return decorate


def kernel(function: F) -> F:
    """Compile the function when it is first called, and cache the result on disk."""
    return compiler(cache=True)(function)


def float_kernel(function: F) -> F:
    """Compile like `kernel`, with unchecked division: x / 0 is infinite or NaN, so that loops can be vectorized."""
    return compiler(cache=True, error_model="numpy")(function)


@cache
def sources_digest(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder that import from a `compiled` module."""
    sources = {path.name: path.read_bytes() for path in folder.glob("*.py")}
    kernels = sorted(name for name, source in sources.items() if b".compiled import" in source)
    return sha256(b"".join(name.encode() + sources[name] for name in kernels)).hexdigest()


def bound_to_sources(folder: Path, **options: Any) -> Callable[[F], F]:
    """Return a decorator whose kernels are recompiled after any kernel file of this folder has changed.

    Args:
        folder: The folder of the kernels that call each other.
        options: Options of `numba.njit`.
    """
    decorate = compiler(cache=True, **options)

    def compile_(function: F) -> F:
        compiled = decorate(function)
        index = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if index is not None and hasattr(index, "_source_stamp"):  # private to numba: there is no public API
            index._source_stamp = sources_digest(folder)
            # Numba compares the version before it unpickles an index, which fails if a class has been renamed since.
            index._version = f"{index._version}, {index._source_stamp}"
        return compiled

    return compile_
