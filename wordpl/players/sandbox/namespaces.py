"""The namespaces of each player at level A, created by the fork server inside bubblewrap (namespaces(7)).

The player is process 2 and sees no other process than its init, so that process ids reveal nothing about other players.
"""

import ctypes
import os

from wordpl.players.sandbox import descendants

_NEW_PIDS, _NEW_MOUNTS = 0x20000000, 0x00020000  # CLONE_NEWPID, CLONE_NEWNS of linux/sched.h
_NO_SET_UID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8  # MS_* of linux/mount.h
_RECURSIVE, _PRIVATE = 1 << 14, 1 << 18


def fork_init() -> int:
    """Fork the init process of a new pid namespace; return like `os.fork`.

    When init ends, the kernel kills all processes of its namespace. A helper process creates the namespace, because an
    unprivileged process could not leave it; when the helper ends, init becomes a child of this process.

    Raises:
        OSError: The namespace cannot be created.
    """
    descendants.adopt_orphans()
    reader, writer = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(reader)
        if _fork_in_new_namespace(writer) == 0:
            os.close(writer)
            return 0
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as reply:
        line = reply.read()
    os.waitpid(helper, 0)
    if not line.isdigit():
        raise OSError(f"cannot create a pid namespace: {line.decode() or 'its helper ended'}")
    return int(line)


def _fork_in_new_namespace(writer: int) -> int:
    """Fork init in the helper process, and write its process id, or an error message, to the pipe."""
    try:
        _call("unshare", ctypes.c_int(_NEW_PIDS))
        pid = os.fork()
    except OSError as error:
        os.write(writer, str(error.strerror).encode())
        return -1
    if pid != 0:
        os.write(writer, b"%d" % pid)
    return pid


def mount_own_proc() -> None:
    """Mount a /proc of this process's pid namespace, visible only to this process and its children."""
    _call("unshare", ctypes.c_int(_NEW_MOUNTS))
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_RECURSIVE | _PRIVATE), None)
    flags = ctypes.c_ulong(_NO_SET_UID | _NO_DEVICES | _NO_PROGRAMS)
    _call("mount", b"proc", b"/proc", b"proc", flags, None)


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")
