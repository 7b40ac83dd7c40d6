"""Namespaces of its own for each player at level A, made by the fork server that bubblewrap isolated (namespaces(7)).

In them, the player is process 2 and sees no process but its own init, so no process number tells one player of another.
"""

import ctypes
import os

from wordpl.players.sandbox import descendants

_NEW_PIDS, _NEW_MOUNTS = 0x20000000, 0x00020000  # CLONE_NEWPID, CLONE_NEWNS of linux/sched.h
_NO_SET_UID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8  # MS_* of linux/mount.h
_RECURSIVE, _PRIVATE = 1 << 14, 1 << 18


def fork_init() -> int:
    """Fork the first process of a new pid namespace, its init; return as `os.fork` does.

    When init ends, the kernel kills every process of its namespace. A helper makes the namespace, as an ordinary user
    could not leave it again; when that ends, init becomes this process's child. Raises OSError where it is not allowed.
    """
    descendants.adopt_orphans()
    told, telling = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(told)
        if _helped(telling) == 0:
            os.close(telling)
            return 0
        os._exit(0)
    os.close(telling)
    with os.fdopen(told, "rb") as answer:
        line = answer.read()
    os.waitpid(helper, 0)
    if not line.isdigit():
        raise OSError(f"no pid namespace can be made: {line.decode() or 'its helper ended'}")
    return int(line)


def _helped(telling: int) -> int:
    """Fork the init, as its helper; tell its number, or why there is none."""
    try:
        _call("unshare", ctypes.c_int(_NEW_PIDS))
        pid = os.fork()
    except OSError as error:
        os.write(telling, str(error.strerror).encode())
        return -1
    if pid != 0:
        os.write(telling, b"%d" % pid)
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
