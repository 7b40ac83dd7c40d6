"""Faster start-up for commands that run cached kernels and need nothing else of numba."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

OPTIONAL = ("cffi", "coverage", "scipy")
"""Packages that numba imports if they are installed, which takes a quarter of a second or more.

No kernel of wordpl uses any of them.
"""

PRIVATE = ("_guard_against_spurious_io_errors", "_load_overload")
"""Private methods of numba that other versions may not have; without them, the shortcut is skipped."""


@contextmanager
def fast_kernel_loading() -> Iterator[None]:
    """Load kernels faster in this process: import neither numba's compiler set-up nor its optional packages.

    Use it only in processes that run no kernels but those of wordpl: numba does without these packages for the rest of
    the process.
    """
    hidden = [name for name in OPTIONAL if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes an import fail
    try:
        _skip_compiler_setup()
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def _skip_compiler_setup() -> None:
    """Make numba look for a cached kernel before it sets up its compiler, which takes a quarter of a second.

    A cached kernel needs numba's runtime, but not the types and functions that the compiler registers.
    """
    from numba.core import caching, runtime

    library, numba_runtime = cast("Any", caching), cast("Any", runtime).rtsys  # untyped, to patch what follows
    set_up_and_load = library.Cache.load_overload

    def load(cache: Any, signature: Any, context: Any) -> Any:
        numba_runtime.initialize(context)
        with cache._guard_against_spurious_io_errors():
            found = cache._load_overload(signature, context)
            if found is not None:
                return found
        return set_up_and_load(cache, signature, context)

    if set_up_and_load.__name__ != load.__name__ and all(hasattr(library.Cache, name) for name in PRIVATE):
        library.Cache.load_overload = load
