"""Compiled kernels where nothing can be written: those that are kept are used, others are compiled and not kept.

Numba looks for a folder it can write to before it even loads what is there, and gives up on a function marked to be
cached when it finds none. In a jail there is none.
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


def use_what_is_kept() -> None:
    """Have numba read its cache where it cannot write it, and pass over what it cannot keep."""
    from numba.core import caching

    def accept(locator: Any) -> None:
        """Take the folder as it is."""
        with suppress(OSError):
            Path(locator.get_cache_path()).mkdir(parents=True, exist_ok=True)

    library: Any = caching  # no types that allow what follows
    library._CacheLocator.ensure_cache_path = accept
    save = library.Cache.save_overload

    @wraps(save)
    def try_to_save(cache: Any, signature: Any, data: Any) -> None:
        with suppress(OSError):
            save(cache, signature, data)

    library.Cache.save_overload = try_to_save


@cache
def ensure() -> None:
    """Compile what players share, and keep it, unless that has been done: in a sandbox they could only read it.

    Takes half a minute once, of which `compile_events` tells, and a few milliseconds ever after.
    """
    key = _key()
    try:
        STAMP.parent.mkdir(exist_ok=True)
        stamp = STAMP.open("a+")
    except OSError:  # an installation that only its owner can write to
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
    """Compile in a process of its own, which ends with this one's Ctrl-C; what was finished by then is kept."""
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
    """Compile what players share, and print how many kernels are done, and of how many."""
    from wordpl.players import warm_up

    def report(n_done: int, n_total: int) -> None:
        try:
            os.write(1, f"{n_done} {n_total}\n".encode())
        except BrokenPipeError:  # whoever waited for it has been stopped
            os._exit(1)

    warm_up.import_kernels()  # all of them first, so that their number is known from the first one on
    with compile_events.observe(report):
        warm_up.preload()


def _key() -> str:
    """Return what the compiled code depends on: the sources, and what they are compiled with."""
    from importlib.metadata import version

    sources = sorted(paths.PACKAGE.rglob("*.py"))
    facts = [f"{path} {path.stat().st_mtime_ns}" for path in sources]
    facts += [sys.version, version("numba"), version("numpy"), os.environ.get("NUMBA_CACHE_DIR", "")]
    return sha256("\n".join(facts).encode()).hexdigest()
