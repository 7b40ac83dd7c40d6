"""The bubblewrap command line (bwrap(1)) that runs a fork server in its own namespaces.

Inside, there are no other processes, no network, and only the files that players need, which are read-only.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.players.sandbox import fs_policy

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


def is_installed() -> bool:
    """Return whether bubblewrap is installed."""
    return shutil.which("bwrap") is not None


def command(arguments: list[str], view: View, *, forks_players: bool = True) -> list[str]:
    """Return the command line that runs a command in its own namespaces with the minimal capabilities.

    Args:
        arguments: The command line to run.
        view: The view of the file system.
        forks_players: Whether the command is a fork server, which creates namespaces for its children.

    Raises:
        UserError: bubblewrap is not installed.
    """
    if not is_installed():
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
    for path in sorted({path for path in [*fs_policy.roots(), view.working, *view.folders] if path.exists()}):
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
