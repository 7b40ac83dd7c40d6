"""The kernels that players share, which are compiled before the first player starts and cached on disk."""

import fcntl
import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from typing import IO

from wordpl.core import compile_events, kernel_cache, paths
from wordpl.players import warm_up

STAMP = "compiled"
"""The file in the cache's folder with the digest of what was compiled last; it is locked while a process compiles."""


@cache
def ensure_compiled() -> None:
    """Compile the kernels into the cache unless it is up to date: in a sandbox, players can only read it.

    The first call on a machine takes about half a minute and reports its progress through `compile_events`; later calls
    take a few milliseconds.
    """
    folder = kernel_cache.choose_folder()
    if folder is None:
        return
    key = _key()
    try:
        folder.mkdir(exist_ok=True)
        stamp = (folder / STAMP).open("a+")
    except OSError:  # the file belongs to another user, or the disk is full
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
    """Compile the kernels, and print the number of compiled kernels and their total after each one."""

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
    facts += [sys.version, version("numba"), version("numpy"), os.environ.get(kernel_cache.VARIABLE, "")]
    return sha256("\n".join(facts).encode()).hexdigest()
