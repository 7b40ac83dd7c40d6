"""Dropping privileges: if the referee is root, players run as another user, or at least without capabilities."""

import ctypes
import os
import secrets
from functools import cache

from wordpl.players.sandbox import system_calls

NOBODY = 65534
FIRST_USER = 0x60000000
"""The first of a range of user ids that neither people, services nor containers usually use."""
N_USERS = 1 << 24
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)
_CAPABILITIES_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of linux/capability.h
_CAPSET = (126, 91)  # the number of the system call on x86_64 and arm64


def new_user() -> int:
    """Return a random user id for the processes that this process starts."""
    return _drawn_user(os.getpid())


@cache
def _drawn_user(_process: int) -> int:
    return FIRST_USER + secrets.randbelow(N_USERS)


def user_for(number: int) -> int:
    """Return the user id to change to: this one, or that of nobody if it is 0."""
    return number or NOBODY


def drop(user: int | None) -> bool:
    """Irrevocably drop all capabilities and, if possible, root's user id.

    Args:
        user: The user id to change to, if this process is root; None: stay root, because other users cannot read some
            of the files.

    Returns:
        Whether this process now runs as a user that no other process has.
    """
    changed = os.geteuid() == 0 and user is not None and _change_user(user)
    _drop_capabilities()
    return changed


def _change_user(user: int) -> bool:
    os.setgroups([])
    try:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:  # the user does not exist in this container
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        return False
    return user != NOBODY


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
    """Keep other processes of the same user, such as players, from reading this process's memory."""
    if system_calls.machine() is not None:
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
