"""Namespaces of its own for each player at level A, made by the fork server that bubblewrap isolated (namespaces(7)).

In them, the player is process 2 and sees no process but its own init, so no process number tells one player of another.
"""

import ctypes
import os

_NEW_PIDS, _NEW_MOUNTS = 0x20000000, 0x00020000  # CLONE_NEWPID, CLONE_NEWNS of linux/sched.h
_NO_SET_UID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8  # MS_* of linux/mount.h
_RECURSIVE, _PRIVATE = 1 << 14, 1 << 18


def fork_init() -> int:
    """Fork the first process of a new pid namespace, its init; return as `os.fork` does.

    When init ends, the kernel kills every process of its namespace. Raises OSError where this is not allowed.
    """
    original = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    pid = -1
    try:
        _call("unshare", ctypes.c_int(_NEW_PIDS))
        try:
            pid = os.fork()
        finally:
            if pid != 0:  # the parent's next child is again one of its own namespace
                _call("setns", ctypes.c_int(original), ctypes.c_int(_NEW_PIDS))
    finally:
        os.close(original)
    return pid


def mount_own_proc() -> None:
    """Have /proc show this process's pid namespace, to it and its children alone."""
    _call("unshare", ctypes.c_int(_NEW_MOUNTS))
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_RECURSIVE | _PRIVATE), None)
    flags = ctypes.c_ulong(_NO_SET_UID | _NO_DEVICES | _NO_PROGRAMS)
    _call("mount", b"proc", b"/proc", b"proc", flags, None)


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
