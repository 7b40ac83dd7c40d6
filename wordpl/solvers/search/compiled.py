"""How kernels are compiled: once, kept on disk, and without Python's lock, so that threads run side by side.

Numba compiles a kernel again when its own file changes, not when that of a kernel it calls does; one half of a search
would then go on with the old rules of the other, and find wrong totals. So what is kept is bound to all kernel files.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from wordpl.core.compiled import compiler

F = TypeVar("F", bound=Callable[..., Any])


@cache
def sources_digest(folder: Path = Path(__file__).parent) -> str:
    """Return the SHA-256 of all files of a folder that define kernels, or this way of compiling them."""
    sources = {path.name: path.read_bytes() for path in folder.glob("*.py")}
    kernels = sorted(name for name, source in sources.items() if b".compiled import" in source)
    return sha256(b"".join(name.encode() + sources[name] for name in kernels)).hexdigest()


def bound_to_sources(decorate: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that compiles anew once any kernel file of this folder has changed."""

    def compile_(function: F) -> F:
        compiled = decorate(function)
        index = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
        if index is not None and hasattr(index, "_source_stamp"):  # numba's own, without a public way to it
            index._source_stamp = sources_digest()
        return compiled

    return compile_


kernel = bound_to_sources(compiler(cache=True, nogil=True, no_cfunc_wrapper=True))

inner = bound_to_sources(compiler(cache=True, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True))
"""A kernel that only others call: what would hand it Python's values takes as long to compile as itself."""

step = compiler(nogil=True, inline="always")
"""A part of one kernel, put into it as if written there: a kernel of its own would be compiled again in each caller.

Not for loops over many guesses: an array that is handed over is counted as used once more, which takes longer than the
little that is done with it.
"""
