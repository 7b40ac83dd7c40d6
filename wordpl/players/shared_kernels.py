"""The kernels that players share, compiled before the first player starts and kept on disk."""

import fcntl
import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from typing import IO

from wordpl.core import compile_events, paths
from wordpl.players import warm_up

STAMP = paths.PACKAGE / "__pycache__" / "compiled"
"""Holds the key of what was compiled last; locked while a process compiles."""


@cache
def ensure_compiled() -> None:
    """Compile the kernels unless they are kept from before: in a sandbox, players can read the cache but not write it.

    The first call on a machine takes about half a minute and reports its progress through `compile_events`; later calls
    take a few milliseconds.
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
    start = f"{own}; from wordpl.players import shared_kernels; shared_kernels.compile_and_report()"
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
    """Compile the kernels, and print a line with the numbers of finished and of all kernels after each."""

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
