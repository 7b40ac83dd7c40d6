"""Decorators for kernels: functions that numba compiles when they are first called.

Until a kernel is called, numba is not imported, which takes a third of a second: a program that imports a module with
kernels and calls none of them pays nothing for it.

Numba recompiles a kernel when its own file changes, but not when the file of a kernel that it calls changes, so that
part of a computation would use stale code. In a folder whose kernels call each other, `bound_to_sources` makes each
kernel depend on all kernel files of the folder.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from threading import RLock
from types import CodeType
from typing import Any, TypeAlias, TypeVar, cast

from wordpl.kernels import cache_folder, compile_events, loading

Int: TypeAlias = Any
"""An integer: an int in Python, a numpy integer in a compiled kernel."""
Bool: TypeAlias = Any
"""A Boolean: a bool in Python, a numpy Boolean in a compiled kernel."""

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
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], sources: Path | None = None):
        """Create a kernel; it is neither compiled nor loaded yet.

        Args:
            function: The function to compile.
            options: Options of `numba.njit`.
            sources: The folder whose kernel files it depends on; None: its own file alone.
        """
        self.py_func, self.targetoptions, self._sources = function, options, sources
        self._compiled: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function, or the plain one: see `plain_for_small_work`."""
        if self._compiled is None and _is_plain.get():
            return self.py_func(*arguments)
        return self.compiled(*arguments)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of numba's dispatcher."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled, name)

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher of the function. Kernels that the function calls are replaced by theirs."""
        if self._compiled is None:
            with _lock:
                if self._compiled is None:
                    self._compiled = self._decorated()
                    self._replace_called()
        return self._compiled

    def _decorated(self) -> Any:
        dispatcher = _numba().njit(**self.targetoptions)(self.py_func)
        index: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if self._sources is not None and hasattr(index, "_source_stamp"):  # private to numba: there is no public API
            index._source_stamp = sources_digest(self._sources)
            # Numba compares the version before it unpickles an index, which fails if a class has been renamed since.
            index._version = f"{index._version}, {index._source_stamp}"
        return dispatcher

    def _replace_called(self) -> None:
        """Replace this kernel, and those that it calls, in its module: numba compiles no calls of other objects."""
        variables = self.py_func.__globals__
        for name in (self.py_func.__name__, *_names(self.py_func.__code__)):
            if isinstance(variables.get(name), Kernel):
                variables[name] = variables[name].compiled


def use_for_all_work() -> None:
    """Use kernels for small work, too, from now on: what follows compiles them, or is forked when they are loaded."""
    global _for_all_work
    _for_all_work = True


def is_loaded(kernel: object) -> bool:
    """Return whether to use a kernel without asking how small the work is: this process has used it already."""
    dispatcher: Any = kernel._compiled if isinstance(kernel, Kernel) else kernel
    return _for_all_work or (dispatcher is not None and bool(dispatcher.overloads))


@contextmanager
def plain_for_small_work(is_small: bool) -> Iterator[None]:
    """Call kernels that this process has not used yet as plain Python in the block, if the work there is small.

    This is faster than importing numba and loading the kernels, let alone compiling them. Use it for kernels whose
    plain functions return the same bytes: those that take elementary functions from `math` rather than from numpy.
    """
    token = _is_plain.set(is_small and not _for_all_work)
    try:
        yield
    finally:
        _is_plain.reset(token)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names of the global variables and attributes that a function uses."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _numba() -> Any:
    """Import numba, choose its cache's folder, and publish the compilation of kernels through `compile_events`."""
    if cache_folder.choose_folder() is None:
        cache_folder.accept_read_only()
    with loading.numba_import():
        import numba
        from numba.core import event

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


def compiler(sources: Path | None = None, **options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a function with `numba.njit` and these options when it is first called.

    Args:
        sources: See `Kernel`.
        options: Options of `numba.njit`.
    """

    def decorate(function: F) -> F:
        kernel = Kernel(function, options, sources)
        if options.get("cache"):
            _kernels.append(kernel)
        return cast("F", kernel)

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
    return compiler(folder, cache=True, **options)
