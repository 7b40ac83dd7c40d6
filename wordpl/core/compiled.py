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

Int: TypeAlias = Any
"""A whole number: an int to Python, an int64 or another of numpy's to a compiled kernel."""
Bool: TypeAlias = Any
"""A truth value: a bool to Python, numpy's to a compiled kernel."""

F = TypeVar("F", bound=Callable[..., Any])


def compiler(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a function as `numba.njit` does with these options."""
    return cast("Callable[[F], F]", njit(**options))


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
