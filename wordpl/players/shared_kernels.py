"""The kernels that players share, which are compiled before the first player starts and cached on disk."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from functools import cache
from hashlib import sha256
from typing import IO

from wordpl.core import paths
from wordpl.core.memory import collector_paused
from wordpl.kernels import cache_folder, compile_events
from wordpl.players import warm_up
from wordpl.players.warm_up import GROUPS

STAMP = "compiled"
"""The file in the cache's folder with a digest of the sources, and the groups of kernels that were compiled from them.

It is locked while a process compiles.
"""
BACKGROUND_NICENESS = 10
"""Not the largest: another command may wait for what is compiled in the background."""
_OWN_PATH = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r})"
_ensured: set[str] = set()


def ensure_compiled(groups: Collection[str] = tuple(GROUPS)) -> None:
    """Compile groups of kernels into the cache unless they are there: in a sandbox, players can only read it.

    The first call on a machine takes up to half a minute and reports its progress through `compile_events`; later calls
    take a few milliseconds.

    Args:
        groups: Names of `warm_up.GROUPS`.
    """
    if _ensured.issuperset(groups):
        return
    _ensured.update(groups)
    folder = cache_folder.choose_folder()
    if folder is None:
        return
    try:
        folder.mkdir(exist_ok=True)
        stamp = (folder / STAMP).open("a+")
    except OSError:  # the file belongs to another user, or the disk is full
        return
    with stamp:
        _lock(stamp)
        compiled = _words_in(stamp)
        if _key() not in compiled:
            compiled = {_key()}
        missing = [name for name in GROUPS if name in groups and name not in compiled]
        if missing and _compile(missing):
            stamp.truncate(0)
            stamp.write(" ".join([_key(), *sorted({*compiled, *missing} - {_key()})]))


def are_compiled(groups: Collection[str] = tuple(GROUPS)) -> bool:
    """Return whether groups of kernels are in the cache.

    Args:
        groups: Names of `warm_up.GROUPS`.
    """
    folder = cache_folder.choose_folder()
    try:
        if folder is None:
            return False
        with (folder / STAMP).open("a+") as stamp:
            return {_key(), *groups} <= _words_in(stamp)
    except OSError:  # there is no such folder, or the file belongs to another user
        return False


def compile_in_background(groups: Collection[str] = tuple(GROUPS)) -> bool:
    """Start to compile groups of kernels in a process of low priority that outlives this one.

    Args:
        groups: Names of `warm_up.GROUPS`.

    Returns:
        Whether it was started: not if everything is compiled, if another process compiles, or if the cache is not
        writable.
    """
    folder = cache_folder.choose_folder()
    if folder is None:
        return False
    try:
        folder.mkdir(exist_ok=True)
        with (folder / STAMP).open("a+") as stamp:
            fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if {_key(), *groups} <= _words_in(stamp):
                return False
    except OSError:  # another process compiles, the file belongs to another user, or the disk is full
        return False
    start = f"{_OWN_PATH}; from wordpl.players import shared_kernels; shared_kernels.compile_quietly()"
    opened = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    command = [sys.executable, "-P", "-c", start, *groups]
    os.posix_spawn(sys.executable, command, os.environ, file_actions=opened, setsid=True)
    return True


def compile_quietly() -> None:
    """Compile the groups that are arguments at a low priority, unless another process compiles."""
    os.nice(BACKGROUND_NICENESS)
    os.chdir(paths.IMPORT_ROOT)
    with compile_events.observe(_stop_if_waiting):
        ensure_compiled(sys.argv[1:])


def _stop_if_waiting(n_done: int, n_total: int) -> None:
    if not n_total:
        raise SystemExit


def _words_in(stamp: IO[str]) -> set[str]:
    stamp.seek(0)
    return set(stamp.read().split())


def _lock(stamp: IO[str]) -> None:
    """Lock the stamp; a second process waits for the first."""
    try:
        fcntl.flock(stamp, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        compile_events.publish(0, 0)
        fcntl.flock(stamp, fcntl.LOCK_EX)


def _compile(groups: Sequence[str]) -> bool:
    """Compile groups in a separate process, which Ctrl-C stops; finished kernels stay in the cache."""
    start = f"{_OWN_PATH}; from wordpl.players import shared_kernels; shared_kernels.compile_and_report()"
    command = [sys.executable, "-P", "-c", start, *groups]
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
    """Compile the groups that are arguments, and print the number of compiled kernels and their total after each."""
    groups = sys.argv[1:]

    def report(n_done: int, n_total: int) -> None:
        try:
            os.write(1, f"{n_done} {n_total}\n".encode())
        except BrokenPipeError:  # the parent process has ended
            os._exit(1)

    warm_up.import_kernels(groups)  # import all of them first, so that the total is known from the beginning
    with compile_events.observe(report), collector_paused():
        warm_up.preload(groups)


@cache
def _key() -> str:
    """Return a digest of everything that the compiled code depends on: the sources and the versions of compilers."""
    from importlib.metadata import version

    sources = sorted(paths.PACKAGE.rglob("*.py"))
    facts = [f"{path} {path.stat().st_mtime_ns}" for path in sources]
    facts += [sys.version, version("numba"), version("numpy"), os.environ.get(cache_folder.VARIABLE, "")]
    return sha256("\n".join(facts).encode()).hexdigest()
