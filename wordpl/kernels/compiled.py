"""Decorators for kernels, which are functions that numba compiles when they are first called.

Commands that run cached kernels and need nothing else of numba start without its compiler.
"""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, update_wrapper, wraps
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, TypeAlias, TypeVar, cast

from wordpl.core import current_folder
from wordpl.kernels import cache_folder, compile_events

PACKAGE = Path(__file__).resolve().parent.parent
PRIVATE = ("_guard_against_spurious_io_errors", "_load_overload")
"""Private methods of numba that other versions may not have; without them, the shortcut is skipped."""


NUMBA_SETTINGS = ".numba_config.yaml"
"""A file in the current folder that numba obeys, for example about the folder from which it loads kernels."""

ONE_THREAD = "OPENBLAS_NUM_THREADS"
"""The environment variable without which numpy starts a thread per core, which takes a tenth of a second."""


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import libraries faster in the block.

    Linear algebra of numpy that is imported there works without threads. Garbage is not collected meanwhile, since
    importing creates many objects and hardly any garbage.
    """
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


def _skip_compiler_setup() -> None:
    """Make numba look for a cached kernel before it sets up its compiler, which takes six tenths of a second.

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


def set_up_compiler() -> None:
    """Set numba's compiler up in this process, so that a forked one can compile at once."""
    _numba()
    from numba.core.registry import cpu_target

    target = cast("Any", cpu_target)  # untyped
    target.typing_context.refresh()
    target.target_context.refresh()


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


Int: TypeAlias = Any
"""An integer: an int in Python, a numpy integer in a compiled kernel."""
Bool: TypeAlias = Any
"""A Boolean: a bool in Python, a numpy Boolean in a compiled kernel."""

Float: TypeAlias = Any
"""A float: a float in Python, a numpy float in a compiled kernel."""

F = TypeVar("F", bound=Callable[..., Any])
_kernels: list["Kernel"] = []
_lock = RLock()
_for_all_work = False
_is_plain = ContextVar("_is_plain", default=False)


class Kernel:
    """A function that numba compiles when it is first called, and caches on disk.

    Attributes:
        py_func: The function.
        targetoptions: Options for numba, under the name under which it looks for those of what it inlines.
        plain_twin: What does the same without compilation: see `twin_of`.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], sources: Sequence[Path] = ()):
        """Create a kernel; it is neither compiled nor loaded yet.

        Args:
            function: The function to compile.
            options: Options of `numba.njit`.
            sources: The folders whose kernel files it depends on; none: its own file alone.
        """
        self.py_func, self.targetoptions, self._sources = function, options, sources
        self.plain_twin: Callable[..., Any] = function
        self._is_inner = bool(options.get("no_cpython_wrapper"))  # Python cannot call it compiled
        self._compiled: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function, or the plain one: see `plain_for_small_work`."""
        if self._is_inner or _is_plain.get():
            return self.plain_twin(*arguments)
        return self.compiled(*arguments)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of numba's dispatcher."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled, name)

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher of the function."""
        if self._compiled is None:
            with _lock:
                if self._compiled is None:
                    self._compiled = self._decorated()
        return self._compiled

    def _decorated(self) -> Any:
        dispatcher = _numba().njit(**self.targetoptions)(self.py_func)
        index: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if self._sources and hasattr(index, "_source_stamp"):  # private to numba: there is no public API
            index._source_stamp = "".join(map(sources_digest, self._sources))
            # Numba compares the version before it unpickles an index, which fails if a class has been renamed since.
            index._version = f"{index._version}, {index._source_stamp}"
        return dispatcher


def twin_of(kernel: Callable[..., Any]) -> Callable[[F], F]:
    """Return a decorator for a function that does the same as a kernel, with numpy, where kernels are called plainly.

    A kernel without a twin is its own: numpy is worth its calls only where a kernel loops over many things.
    """

    def register(function: F) -> F:
        cast("Kernel", kernel).plain_twin = function
        return function

    return register


def use_for_all_work() -> None:
    """Use kernels for small work, too, from now on: what follows compiles them, or is forked when they are loaded."""
    global _for_all_work
    _for_all_work = True


def is_loaded(kernel: object) -> bool:
    """Return whether to use a kernel without asking how small the work is: this process has used it already."""
    dispatcher: Any = kernel._compiled if isinstance(kernel, Kernel) else kernel
    return _for_all_work or (dispatcher is not None and bool(dispatcher.overloads))


def is_cached(kernel: object) -> bool:
    """Return whether calling a kernel compiles nothing: this process has used it, or the cache on disk has it."""
    if is_loaded(kernel):
        return True
    dispatcher = cast("Kernel", kernel)._decorated()  # another one, so that the kernel can still be called plainly
    try:
        return bool(dispatcher._cache._cache_file._load_index())  # private to numba; empty if sources are newer
    except (AttributeError, OSError):
        return False


@contextmanager
def plain_for_small_work(is_small: bool, kernel: object) -> Iterator[None]:
    """Call no kernel but its plain twin in the block, if the work there is small and the process has no kernels yet.

    This is faster than importing numba and loading the kernels, let alone compiling them. Use it for kernels whose
    twins return the same bytes: those that take elementary functions from `math` rather than from numpy.

    Args:
        is_small: Whether the work is small.
        kernel: The kernel that the block calls; if the process has used it already, kernels do the work.
    """
    token = _is_plain.set(is_small and not is_loaded(kernel))
    try:
        yield
    finally:
        _is_plain.reset(token)


@cache
def _numba() -> Any:
    """Import numba, choose its cache's folder, and publish the compilation of kernels through `compile_events`."""
    with current_folder.no_settings(NUMBA_SETTINGS):
        if cache_folder.choose_folder() is None:
            cache_folder.accept_read_only()
        import numba
        from numba.core import config, event, types
        from numba.extending import typeof_impl

        _skip_compiler_setup()

    n_done, n_open = 0, 0

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            nonlocal n_open
            if _is_kernel(event.data["dispatcher"]):
                n_open += 1
                compile_events.publish(n_done, n_done + max(n_open, sum(map(needs_compilation, kernels()))))

        def on_end(self, event: Any) -> None:
            nonlocal n_done, n_open
            if _is_kernel(event.data["dispatcher"]):
                n_done, n_open = n_done + 1, n_open - 1
                if not n_open:
                    compile_events.publish(n_done, n_done)

    library: Any = event  # without types
    cast("Any", config)._config_fname = os.devnull  # numba's compiler would read NUMBA_SETTINGS again
    # To a kernel that calls it, a kernel is its dispatcher.
    typeof_impl.register(Kernel)(lambda kernel, _: types.Dispatcher(kernel.compiled))
    library.register("numba:compile", Listener())
    return numba


def _is_kernel(dispatcher: Any) -> bool:
    return any(kernel._compiled is dispatcher for kernel in _kernels)


def kernels() -> list[Any]:
    """Return numba's dispatchers of all kernels of the modules imported so far."""
    return [kernel.compiled for kernel in _kernels]


def needs_compilation(dispatcher: Any) -> bool:
    """Return whether the kernel has not been compiled by this process and has no index file in the cache."""
    index = getattr(getattr(dispatcher._cache, "_cache_file", None), "_index_path", None)
    return not dispatcher.overloads and (index is None or not Path(index).exists())


def compiler(*, is_bound: bool = False, uses: Sequence[str] = (), **options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a function with `numba.njit` and these options when it is first called.

    Args:
        is_bound: Whether the kernel calls kernels of other files in its folder: see `bound_kernel`.
        uses: Other folders of the package whose kernels it calls, if it is bound.
        options: Options of `numba.njit`.
    """
    options.setdefault("no_cfunc_wrapper", True)  # only C code would call it, and it takes as long as a small kernel

    def decorate(function: F) -> F:
        own = Path(function.__code__.co_filename).parent
        sources = (own, *(PACKAGE / folder for folder in uses)) if is_bound else ()
        kernel = Kernel(function, options, sources)
        if options.get("cache"):
            _kernels.append(kernel)
        return cast("F", kernel)

    return decorate


kernel = compiler(cache=True)
"""Compiles the function when it is first called, and caches the result on disk."""

float_kernel = compiler(cache=True, error_model="numpy")
"""Compiles like `kernel`, with unchecked division: x / 0 is infinite or NaN, so that loops can be vectorized."""

bound_kernel = compiler(is_bound=True, cache=True, nogil=True)
"""Compiles like `kernel`, and again after any kernel file of the folder has changed; threads run in parallel."""

bound_float_kernel = compiler(is_bound=True, cache=True, nogil=True, error_model="numpy")

inner = compiler(is_bound=True, cache=True, nogil=True, no_cpython_wrapper=True)
"""For a bound kernel that only kernels call: a wrapper for calls from Python would take as long to compile as it."""

inner_float = compiler(is_bound=True, cache=True, nogil=True, no_cpython_wrapper=True, error_model="numpy")

step = compiler(nogil=True, inline="always")
"""For a function that is inlined into a kernel; a separate kernel would be compiled again for each caller.

Do not call it in loops over many guesses: passing an array increments its reference count, which takes longer than the
little work done with it.
"""


@cache
def sources_digest(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder that import from this module."""
    sources = {path.name: path.read_bytes() for path in folder.glob("*.py")}
    kernels = sorted(name for name, source in sources.items() if b".compiled import" in source)
    return sha256(b"".join(name.encode() + sources[name] for name in kernels)).hexdigest()
