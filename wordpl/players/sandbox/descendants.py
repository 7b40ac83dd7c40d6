"""The descendants of a process: listing, adopting and killing them, and ending with one's own parent."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
SHUTDOWN_S = 10.0


def adopt_orphans() -> None:
    """Make this process the parent of all descendants whose own parent ends (a child subreaper)."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_all() -> None:
    """Kill and reap all descendants of this process, which must have called `adopt_orphans`.

    All of them are suspended before the first one is killed. Because their number is limited, and a suspended process
    neither forks nor frees a slot for another one, this also stops fork bombs.
    """
    until = time.monotonic() + SHUTDOWN_S
    stopped: set[int] = set()
    while (running := set(ids()) - stopped) and time.monotonic() < until:
        _signal(running, signal.SIGSTOP)
        stopped |= running
    while (left := set(ids())) and time.monotonic() < until:
        _signal(left, signal.SIGKILL)
        _reap()
        time.sleep(0.001)


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def ids() -> Iterator[int]:
    """Yield the process ids of this process's descendants, including zombies."""
    children: dict[int, list[int]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(process.name))
    pending = list(children.get(os.getpid(), []))
    while pending:
        pid = pending.pop()
        yield pid
        pending += children.get(pid, [])


def die_with_parent(parent: int, signal_: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to this process when its parent, the process `parent`, ends; on Linux only."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal_)
    if os.getppid() != parent:  # the parent had already ended
        os.kill(os.getpid(), signal_)
