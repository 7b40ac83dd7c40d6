"""The namespaces of players.

Bubblewrap (bwrap(1)) makes those of a fork server; at level A, the fork server makes further ones for each player
inside.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.core.messages import UserError
from wordpl.players.sandbox import levels, processes
from wordpl.players.sandbox.system_calls import c_call

NAMESPACE_CAPABILITY = "CAP_SYS_ADMIN"
"""For the fork server, which creates a pid namespace for each player; players do not have it."""
READ_ALL_CAPABILITIES = ("CAP_DAC_READ_SEARCH",)
"""For the process that watches a build, to see files that another user creates."""
CHANGE_USER_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")
"""For running players as another user, and for stopping them."""


@dataclass(frozen=True)
class View:
    """The view of the file system inside the sandbox.

    Attributes:
        working: The working directory.
        folders: Readable folders besides those that every player needs.
        written: Writable folders.
        hidden: Folders that appear empty.
    """

    working: Path
    folders: Sequence[Path] = ()
    written: Sequence[Path] = ()
    hidden: Sequence[Path] = ()


def has_bubblewrap() -> bool:
    """Return whether bubblewrap is installed."""
    return shutil.which("bwrap") is not None


def bubblewrap_command(arguments: list[str], view: View, *, forks_players: bool = True) -> list[str]:
    """Return the command line that runs a command in its own namespaces with the minimal capabilities.

    Args:
        arguments: The command line to run.
        view: The view of the file system.
        forks_players: Whether the command is a fork server, which creates namespaces for its children.

    Raises:
        UserError: bubblewrap is not installed.
    """
    if not has_bubblewrap():
        raise UserError(
            "level A needs bubblewrap (bwrap), which is not installed: install the package bubblewrap, or choose "
            "another level with --isolation."
        )
    words = ["bwrap", "--die-with-parent", "--new-session", *_namespaces(), "--cap-drop", "ALL"]
    words += [word for capability in _capabilities(forks_players) for word in ("--cap-add", capability)]
    words += [*_binds(view), "--dev", "/dev", "--proc", "/proc"]
    return [*words, "--chdir", str(view.working), "--", *arguments]


def _binds(view: View) -> Iterator[str]:
    bound: list[Path] = []
    for path in sorted({path for path in [*levels.roots(), view.working, *view.folders] if path.exists()}):
        if any(path.is_relative_to(other) for other in bound):
            continue
        yield from _make_parents(path)
        yield from ("--ro-bind", str(path), str(path))
        bound.append(path)
    places = [path.resolve() for path in bound]
    for path in view.hidden:
        # Folders that this user cannot access are not accessible to players either.
        if os.path.isdir(path) and any(path.is_relative_to(place) for place in places):  # noqa: PTH112
            yield from ("--perms", "0755", "--tmpfs", str(path))
    for path in view.written:
        yield from _make_parents(path)
        yield from ("--bind", str(path), str(path))


def _make_parents(path: Path) -> Iterator[str]:
    for parent in list(reversed(path.parents))[1:]:
        yield from ("--perms", "0755", "--dir", str(parent))  # by default, only root could access it


def _namespaces() -> list[str]:
    """Return the options for namespaces; root uses no user namespace, in which it could not change to another user."""
    if os.geteuid() != 0:
        return ["--unshare-all"]
    return [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]


def _capabilities(forks_players: bool) -> list[str]:
    changing = list(CHANGE_USER_CAPABILITIES) if os.geteuid() == 0 else []
    if forks_players:
        return [*changing, NAMESPACE_CAPABILITY]
    return [*changing, *READ_ALL_CAPABILITIES] if changing else []


_NEW_PIDS, _NEW_MOUNTS = 0x20000000, 0x00020000  # CLONE_NEWPID, CLONE_NEWNS of linux/sched.h
_NO_SET_UID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8  # MS_* of linux/mount.h
_RECURSIVE, _PRIVATE = 1 << 14, 1 << 18


def fork_init() -> int:
    """Fork the init process of a new pid namespace; return like `os.fork`.

    When init ends, the kernel kills all processes of its namespace. A helper process creates the namespace, because an
    unprivileged process could not leave it; when the helper ends, init becomes a child of this process. Init waits for
    that: a process that asks for a signal when its parent ends would otherwise get it at the end of the helper.

    Raises:
        OSError: The namespace cannot be created.
    """
    processes.adopt_orphans()
    reader, writer = os.pipe()
    adopted_reader, adopted_writer = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(reader)
        os.close(adopted_writer)
        if _fork_in_new_namespace(writer) == 0:
            os.close(writer)
            os.read(adopted_reader, 1)  # until the other end is closed
            os.close(adopted_reader)
            return 0
        os._exit(0)
    os.close(writer)
    os.close(adopted_reader)
    with os.fdopen(reader, "rb") as reply:
        line = reply.read()
    os.waitpid(helper, 0)
    os.close(adopted_writer)
    if not line.isdigit():
        raise OSError(f"cannot create a pid namespace: {line.decode() or 'its helper ended'}")
    return int(line)


def _fork_in_new_namespace(writer: int) -> int:
    """Fork init in the helper process, and write its process id, or an error message, to the pipe."""
    try:
        c_call("unshare", _NEW_PIDS)
        pid = os.fork()
    except OSError as error:
        os.write(writer, str(error.strerror).encode())
        return -1
    if pid != 0:
        os.write(writer, b"%d" % pid)
    return pid


def mount_own_proc() -> None:
    """Mount a /proc of this process's pid namespace, visible only to this process and its children."""
    c_call("unshare", _NEW_MOUNTS)
    c_call("mount", b"none", b"/", None, _RECURSIVE | _PRIVATE, None)
    c_call("mount", b"proc", b"/proc", b"proc", _NO_SET_UID | _NO_DEVICES | _NO_PROGRAMS, None)
