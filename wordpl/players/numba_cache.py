"""Using numba's cache in a sandbox, where it is read-only.

Before it loads a cached kernel, numba requires a writable cache folder, and raises an error if there is none. In a
sandbox there is none: cached kernels are loaded, and others are compiled without being cached.
"""

import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from wordpl.core import compile_events, paths

STAMP = paths.PACKAGE / "__pycache__" / "compiled"


def use_cached_index() -> None:
    """Make numba read its cache even if it is not writable, and ignore errors when it saves a kernel."""
    from numba.core import caching

    def accept(locator: Any) -> None:
        """Accept the folder even if it is not writable."""
        with suppress(OSError):
            Path(locator.get_cache_path()).mkdir(parents=True, exist_ok=True)

    library: Any = caching  # untyped, to patch what follows
    library._CacheLocator.ensure_cache_path = accept
    save = library.Cache.save_overload

    @wraps(save)
    def try_to_save(cache: Any, signature: Any, data: Any) -> None:
        with suppress(OSError):
            save(cache, signature, data)

    library.Cache.save_overload = try_to_save


@cache
def ensure() -> None:
    """Compile the kernels that players share into the cache, unless it is up to date.

    The first call takes half a minute, with progress reported through `compile_events`; later calls take milliseconds.
    """
    key = _key()
    try:
        STAMP.parent.mkdir(exist_ok=True)
        stamp = STAMP.open("a+")
    except OSError:  # the installation is read-only for this user
        return
    with stamp:
        _lock(stamp)
        stamp.seek(0)
        if stamp.read() != key and _compile():
            stamp.truncate(0)
            stamp.write(key)


def _lock(stamp: IO[str]) -> None:
    """Lock the stamp; a second process waits for the first."""
    try:
        fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        compile_events.publish(0, 0)
        fcntl.flock(stamp, fcntl.LOCK_EX)


def _compile() -> bool:
    """Compile in a separate process, which Ctrl-C stops; finished kernels stay in the cache."""
    own = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r})"
    start = f"{own}; from wordpl.players import numba_cache; numba_cache.compile_and_report()"
    command = [sys.executable, "-P", "-c", start]
    process = subprocess.Popen(
        command, cwd=paths.IMPORT_ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    with process:
        try:
            for line in process.stdout or ():
                n_done, n_total = map(int, line.split())
                compile_events.publish(n_done, n_total)
        except BaseException:  # Ctrl-C, or an observer's error
            process.kill()
            raise
        compile_events.publish(1, 1)
        return process.wait() == 0


def compile_and_report() -> None:
    """Compile the kernels that players share, and print the number of compiled kernels and their total."""
    from wordpl.players import warm_up

    def report(n_done: int, n_total: int) -> None:
        try:
            os.write(1, f"{n_done} {n_total}\n".encode())
        except BrokenPipeError:  # the parent process has ended
            os._exit(1)

    warm_up.import_kernels()  # import all of them first, so that the total is known from the beginning
    with compile_events.observe(report):
        warm_up.preload()


def _key() -> str:
    """Return a digest of everything that the compiled code depends on: the sources and the versions of compilers."""
    from importlib.metadata import version

    sources = sorted(paths.PACKAGE.rglob("*.py"))
    facts = [f"{path} {path.stat().st_mtime_ns}" for path in sources]
    facts += [sys.version, version("numba"), version("numpy"), os.environ.get("NUMBA_CACHE_DIR", "")]
    return sha256("\n".join(facts).encode()).hexdigest()
