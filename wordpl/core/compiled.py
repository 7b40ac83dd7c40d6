"""How kernels are compiled: a decorator whose results keep the types of the functions that they compile.

Kernels use these decorators, not numba's own, so that a type checker sees their signatures in every version of numba.

Numba compiles a kernel again when its own file changes, not when that of a kernel it calls does; half of a computation
would then go on with the old rules of the other half. A folder whose kernels call each other binds them to all of its
kernel files with `bound_to_sources`.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from numba import njit

from wordpl.core import compile_events

Int: TypeAlias = Any
"""A whole number: an int to Python, an int64 or another of numpy's to a compiled kernel."""
Bool: TypeAlias = Any
"""A truth value: a bool to Python, numpy's to a compiled kernel."""

F = TypeVar("F", bound=Callable[..., Any])


@cache
def _kernels() -> dict[int, Any]:
    """Return the kernels that are kept on disk, by their identity; from now on, `compile_events` tells of each."""
    from numba.core import event

    kernels: dict[int, Any] = {}
    n_done, n_open = 0, 0

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            nonlocal n_open
            if id(event.data["dispatcher"]) in kernels:
                n_open += 1
                compile_events.publish(n_done, n_done + max(n_open, sum(map(is_missing, kernels.values()))))

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
    """Return all kernels of the modules that are imported."""
    return list(_kernels().values())


def is_missing(dispatcher: Any) -> bool:
    """Return whether the kernel has been compiled neither by this process nor, as far as its index tells, before."""
    index = getattr(getattr(dispatcher._cache, "_cache_file", None), "_index_path", None)
    return not dispatcher.overloads and (index is None or not Path(index).exists())


def compiler(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a function as `numba.njit` does with these options."""

    def decorate(function: F) -> F:
        compiled = njit(**options)(function)
        if options.get("cache"):
            _kernels()[id(compiled)] = compiled
        return cast("F", compiled)

    return decorate


def kernel(function: F) -> F:
    """Compile the function when it is first called, and keep the result on disk."""
    return compiler(cache=True)(function)


def float_kernel(function: F) -> F:
    """Compile as `kernel` does, with divisions that are not checked: x / 0 is infinite or NaN, and loops vectorize."""
    return compiler(cache=True, error_model="numpy")(function)


@cache
def sources_digest(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder that define kernels or say how they are compiled."""
    sources = {path.name: path.read_bytes() for path in folder.glob("*.py")}
    kernels = sorted(name for name, source in sources.items() if b".compiled import" in source)
    return sha256(b"".join(name.encode() + sources[name] for name in kernels)).hexdigest()


def bound_to_sources(folder: Path, **options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles anew once any kernel file of this folder has changed.

    Args:
        folder: Where all kernels are that call each other.
        options: Those of `numba.njit`.
    """
    decorate = compiler(cache=True, **options)

    def compile_(function: F) -> F:
        compiled = decorate(function)
        index = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if index is not None and hasattr(index, "_source_stamp"):  # numba's own, without a public way to it
            index._source_stamp = sources_digest(folder)
        return compiled

    return compile_
