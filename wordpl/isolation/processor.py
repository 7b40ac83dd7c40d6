"""Which processor a referee and its player run on.

They work in turn, so a second processor gains nothing, and waking one that sleeps takes longer than most moves: on one
processor a question and its answer were measured to take 9 microseconds, on two 80 (virtual machine, Linux 6.18).
"""

import ctypes
import os
import sys
import time

BLINK_S = 0.0005


def allowed() -> set[int]:
    """Return the processors this process may use; none where the system offers no choice."""
    return os.sched_getaffinity(0) if sys.platform == "linux" else set()


def share(pid: int, processors: set[int]) -> None:
    """Put this process and the process `pid` together on one of the processors, the one least busy now.

    Which one is left to the system: it places a process that wakes where there is room.
    """
    if not processors:
        return
    os.sched_setaffinity(0, processors)
    time.sleep(BLINK_S)
    here = {ctypes.CDLL(None).sched_getcpu()} & processors or processors
    os.sched_setaffinity(0, here)
    os.sched_setaffinity(pid, here)


def release(processors: set[int]) -> None:
    """Let this process use all of the processors again."""
    if processors:
        os.sched_setaffinity(0, processors)
