"""A player does not outlive the process that started it."""

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def die_with_parent(parent: int, signal_: signal.Signals = signal.SIGKILL) -> None:
    """Have this process get the signal when its parent, the process `parent`, ends; only Linux offers this."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal_)
    if os.getppid() != parent:  # it ended before the request was made
        os.kill(os.getpid(), signal_)
