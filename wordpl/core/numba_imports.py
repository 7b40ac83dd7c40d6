"""A quicker start for commands that need kernels and no more of numba."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

OPTIONAL = ("cffi", "coverage", "scipy")
"""What numba imports where it is installed, a quarter of a second or more; no kernel of ours uses any of it."""

PRIVATE = ("_guard_against_spurious_io_errors", "_load_overload")
"""Methods of numba's that it may rename; without them, it prepares first, as ever."""


@contextmanager
def without_optional() -> Iterator[None]:
    """Have this process's kernels loaded sooner: without what only a compiler needs, and without optional packages.

    For a process of our own: numba does without these packages in it ever after, which other people's kernels may not.
    """
    hidden = [name for name in OPTIONAL if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: an import of it fails
    try:
        _load_before_preparing()
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def _load_before_preparing() -> None:
    """Have numba look for a kernel's compiled form before it prepares to compile, which takes a quarter of a second.

    What was compiled needs numba's runtime, and nothing of the types and functions that numba can compile.
    """
    from numba.core import caching, runtime

    library, system = cast("Any", caching), cast("Any", runtime).rtsys  # no types that allow what follows
    prepare_and_load = library.Cache.load_overload

    def load(cache: Any, signature: Any, context: Any) -> Any:
        system.initialize(context)
        with cache._guard_against_spurious_io_errors():
            found = cache._load_overload(signature, context)
            if found is not None:
                return found
        return prepare_and_load(cache, signature, context)

    if prepare_and_load.__name__ != load.__name__ and all(hasattr(library.Cache, name) for name in PRIVATE):
        library.Cache.load_overload = load
