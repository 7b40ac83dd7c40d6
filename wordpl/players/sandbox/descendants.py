"""Ending all that a process started, however it tried to get away: sessions, daemons and orphans included."""

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
PATIENCE_S = 10.0


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none leaves this process's family."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_all() -> None:
    """Kill and reap every descendant of this process, which adopts orphans.

    They are all stopped before the first is killed. Their number is bounded, and a stopped process neither forks nor
    makes room for one that does, so that a fork bomb comes to an end.
    """
    until = time.monotonic() + PATIENCE_S
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
    """Yield the ids of this process's descendants, those included that have ended and wait to be reaped."""
    children: dict[int, list[int]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(process.name))
    found = list(children.get(os.getpid(), []))
    while found:
        pid = found.pop()
        yield pid
        found += children.get(pid, [])
