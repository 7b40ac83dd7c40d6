"""Faster start-up for commands that run cached kernels and need nothing else of numba."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, cast

OPTIONAL = ("cffi", "coverage", "scipy", "yaml")
"""Packages that numba imports if they are installed, which takes a quarter of a second or more.

No kernel of wordpl uses any of them.
"""

PRIVATE = ("_guard_against_spurious_io_errors", "_load_overload")
"""Private methods of numba that other versions may not have; without them, the shortcut is skipped."""


ONE_THREAD = "OPENBLAS_NUM_THREADS"
"""The environment variable without which numpy starts a thread per core, which takes a tenth of a second."""


_is_fast = False


def expect_own_kernels_only() -> None:
    """Load kernels faster in this process: import neither numba's compiler set-up nor its optional packages.

    Call it only where this process will run no kernels but those of wordpl: numba does without these packages for the
    rest of the process. Nothing changes if numba has been imported.
    """
    global _is_fast
    _is_fast = True


@contextmanager
def fast_kernel_loading() -> Iterator[None]:
    """Load kernels faster in this process, see `expect_own_kernels_only`, and import other libraries faster.

    Linear algebra of numpy that is imported in the block works without threads. Garbage is not collected meanwhile,
    since importing creates many objects and hardly any garbage.
    """
    expect_own_kernels_only()
    collects, threads = gc.isenabled(), os.environ.get(ONE_THREAD)
    gc.disable()
    os.environ.setdefault(ONE_THREAD, "1")
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()
        if threads is None:
            os.environ.pop(ONE_THREAD, None)


@contextmanager
def numba_import() -> Iterator[None]:
    """Prepare for importing numba, and set it up afterwards: see `fast_kernel_loading`."""
    if not _is_fast:
        yield
        return
    hidden = [name for name in OPTIONAL if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None makes an import fail
    try:
        yield
        _skip_compiler_setup()
    finally:
        for name in hidden:
            del sys.modules[name]


def _skip_compiler_setup() -> None:
    """Make numba look for a cached kernel before it sets up its compiler, which takes a quarter of a second.

    A cached kernel needs numba's runtime, but not the types and functions that the compiler registers.
    """
    from numba.core import caching, environment, runtime

    library, numba_runtime = cast("Any", caching), cast("Any", runtime).rtsys  # untyped, to patch what follows
    set_up_and_load = library.Cache.load_overload

    def load(cache: Any, signature: Any, context: Any) -> Any:
        numba_runtime.initialize(context)
        with cache._guard_against_spurious_io_errors():
            kernel = cache._load_overload(signature, context)
            if kernel is not None:
                return kernel
        return set_up_and_load(cache, signature, context)

    if set_up_and_load.__name__ != load.__name__ and all(hasattr(library.Cache, name) for name in PRIVATE):
        library.Cache.load_overload = load
        _skip_imports_of_inlined_functions(cast("Any", environment))


def _skip_imports_of_inlined_functions(environment: Any) -> None:
    """Make numba load a kernel without the modules of numba's functions that are compiled into it."""
    rebuild = environment._rebuild_env

    @wraps(rebuild)  # so that numba saves a kernel with a reference to its own function
    def rebuild_without_import(module: str, constants: list[Any], name: str) -> Any:
        cached = environment.lookup_environment(name)
        if cached is not None or not module.startswith("numba."):
            return cached or rebuild(module, constants, name)
        new_environment = environment.Environment({"__name__": module})
        new_environment.consts[:], new_environment.env_name = constants, name
        environment.Environment._memo[name] = new_environment
        return new_environment

    environment._rebuild_env = rebuild_without_import
