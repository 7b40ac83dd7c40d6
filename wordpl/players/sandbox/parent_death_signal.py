"""Ending a process when its parent ends."""

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def die_with_parent(parent: int, signal_: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to this process when its parent, the process `parent`, ends; on Linux only."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal_)
    if os.getppid() != parent:  # the parent had already ended
        os.kill(os.getpid(), signal_)
