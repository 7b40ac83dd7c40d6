"""Whose rights a player has: where root plays, those of a user that owns nothing, or at least none of root's."""

import ctypes
import os
import secrets
from functools import cache

from wordpl.players.sandbox import system_calls

NOBODY = 65534
FIRST_USER = 0x60000000
"""From here on, a number for a user is neither a person's, nor a service's, nor usual in a container."""
N_USERS = 1 << 24
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)
_CAPABILITIES_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of linux/capability.h
_CAPSET = (126, 91)  # its number on x86_64 and arm64


def new_user() -> int:
    """Return the number of a user for what this process starts: nobody else has it, and it tells nothing."""
    return _drawn_user(os.getpid())


@cache
def _drawn_user(_process: int) -> int:
    return FIRST_USER + secrets.randbelow(N_USERS)


def user_for(number: int) -> int:
    """Return the user to become, nobody where no number was given."""
    return number or NOBODY


def drop(user: int | None) -> bool:
    """Give up root's rights and all capabilities, for good; return whether this process is now another user alone.

    user: whom to become, where this process is root; None: root without its capabilities, for what others cannot read
    """
    changed = os.geteuid() == 0 and user is not None and _become(user)
    _drop_capabilities()
    return changed


def _become(user: int) -> bool:
    os.setgroups([])
    try:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:  # a container that has no such user
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
    """Keep other processes of the same user, which players are unless root plays, from reading this one's memory."""
    if system_calls.machine() is not None:
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
