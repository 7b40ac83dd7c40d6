"""The processor affinity of a referee and its player, which share one processor.

They take turns, so that a second processor would gain nothing, and waking an idle processor takes longer than most
moves: a request and its reply took 9 microseconds on one processor and 80 on two (virtual machine, Linux 6.18).
"""

import ctypes
import os
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

SLEEP_S = 0.0005


@cache
def allowed() -> frozenset[int]:
    """Return the processors that this process was allowed to use at first; empty if affinity cannot be set."""
    return frozenset(os.sched_getaffinity(0) if sys.platform == "linux" else ())


def share(pid: int) -> None:
    """Move this process and all threads of the process `pid` to one processor that is currently not busy.

    The system chooses the processor: it schedules a waking process where there is capacity.
    """
    if not allowed():
        return
    release()
    time.sleep(SLEEP_S)
    processors = {ctypes.CDLL(None).sched_getcpu()} & allowed() or allowed()
    os.sched_setaffinity(0, processors)
    _move(pid, processors)


def pin() -> None:
    """Pin this process, and all threads that it will start, to its current processor."""
    if allowed():
        with suppress(OSError):
            os.sched_setaffinity(0, {ctypes.CDLL(None).sched_getcpu()})


def release() -> None:
    """Allow this process to use all its processors again."""
    if allowed():
        os.sched_setaffinity(0, allowed())


def _move(pid: int, processors: frozenset[int] | set[int]) -> None:
    """Move all threads of the process, repeatedly, because threads that are not moved yet may start new ones."""
    moved: set[str] = set()
    with suppress(ProcessLookupError, FileNotFoundError):  # the process may have ended
        os.sched_setaffinity(pid, processors)
        moved.add(str(pid))
        while new := {task.name for task in Path(f"/proc/{pid}/task").iterdir()} - moved:
            for task in new:
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(int(task), processors)
            moved |= new
