"""How kernels are compiled: a decorator whose results keep the types of the functions that they compile.

Kernels use these decorators, not numba's own, so that a type checker sees their signatures in every version of numba.
"""

from collections.abc import Callable
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
