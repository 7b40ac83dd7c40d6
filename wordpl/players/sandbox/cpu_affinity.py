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

BLINK_S = 0.0005


@cache
def _allowed() -> set[int]:
    """Return the processors this process could use before it first shared one; none where there is no choice."""
    return os.sched_getaffinity(0) if sys.platform == "linux" else set()


def share(pid: int) -> None:
    """Put this process and the process `pid` together on one processor, the one least busy now.

    Which one is left to the system: it places a process that wakes where there is room.
    """
    if not _allowed():
        return
    release()
    time.sleep(BLINK_S)
    here = {ctypes.CDLL(None).sched_getcpu()} & _allowed() or _allowed()
    os.sched_setaffinity(0, here)
    with suppress(ProcessLookupError):  # it may have ended by itself
        os.sched_setaffinity(pid, here)


def release() -> None:
    """Let this process use all its processors again."""
    if _allowed():
        os.sched_setaffinity(0, _allowed())
