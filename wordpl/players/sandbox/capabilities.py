"""Whose rights a player has: where the referee is root, those of nobody, or at least none of root's."""

import ctypes
import os

from wordpl.players.sandbox import system_calls

NOBODY = 65534
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)
_CAPABILITIES_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of linux/capability.h
_CAPSET = (126, 91)  # its number on x86_64 and arm64


def drop(*, to_nobody: bool) -> None:
    """Give up root's rights, for good, if this process has them.

    to_nobody: become another user too, which must be able to read all that the process still needs
    """
    if os.geteuid() != 0:
        return
    if to_nobody:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _drop_capabilities()


def _drop_capabilities() -> None:
    column = system_calls.machine()
    if column is None:
        return
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(_CAPSET[column]), header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def hide_memory() -> None:
    """Keep other processes of the same user, which players are unless root plays, from reading this one's memory."""
    if system_calls.machine() is not None:
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
