"""Which processor a referee and its player run on.

They work in turn, so a second processor gains nothing, and waking one that sleeps takes longer than most moves: on one
processor a question and its answer were measured to take 9 microseconds, on two 80 (virtual machine, Linux 6.18).
"""

import ctypes
import os
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

BLINK_S = 0.0005


@cache
def allowed() -> frozenset[int]:
    """Return the processors this process could use before it first shared one; none where there is no choice."""
    return frozenset(os.sched_getaffinity(0) if sys.platform == "linux" else ())


def share(pid: int) -> None:
    """Put this process and the process `pid` with all its threads together on one processor, the one least busy now.

    Which one is left to the system: it places a process that wakes where there is room.
    """
    if not allowed():
        return
    release()
    time.sleep(BLINK_S)
    here = {ctypes.CDLL(None).sched_getcpu()} & allowed() or allowed()
    os.sched_setaffinity(0, here)
    _move(pid, here)


def stay() -> None:
    """Put this process on the processor it runs on, and with it all threads that it starts from now on."""
    if allowed():
        with suppress(OSError):
            os.sched_setaffinity(0, {ctypes.CDLL(None).sched_getcpu()})


def release() -> None:
    """Let this process use all its processors again."""
    if allowed():
        os.sched_setaffinity(0, allowed())


def _move(pid: int, here: frozenset[int] | set[int]) -> None:
    """Move all threads of the process; looking again finds those started meanwhile, by threads not moved yet."""
    moved: set[str] = set()
    with suppress(ProcessLookupError, FileNotFoundError):  # it may have ended by itself
        os.sched_setaffinity(pid, here)
        moved.add(str(pid))
        while new := {task.name for task in Path(f"/proc/{pid}/task").iterdir()} - moved:
            for task in new:
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(int(task), here)
            moved |= new
