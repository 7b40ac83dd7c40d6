"""Namespaces of its own for the process that forks players: bubblewrap's command line (bwrap(1)).

Inside, there are no other processes, no network, and no files but those that players need, all of them read-only.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.players.sandbox import fs_policy

NEW_NAMESPACES = "CAP_SYS_ADMIN"  # for the fork server, which gives each player a pid namespace; players have none
SEEING_ALL = ("CAP_DAC_READ_SEARCH",)  # for the process that watches a build, to see what another user makes
CHANGING_USER = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")  # to make players another user, and to end them


@dataclass(frozen=True)
class View:
    """What of the file system is seen inside.

    working: the working directory; folders: what can be read besides what every player needs; written: what can be
    written to; hidden: what is seen as an empty folder
    """

    working: Path
    folders: Sequence[Path] = ()
    written: Sequence[Path] = ()
    hidden: Sequence[Path] = ()


def is_installed() -> bool:
    """Return whether bubblewrap is there."""
    return shutil.which("bwrap") is not None


def command(arguments: list[str], view: View, *, forks_players: bool = True) -> list[str]:
    """Return the command that runs another one in namespaces of its own, with no capability that it does not need.

    forks_players: whether it gives its children namespaces of their own, and where root plays makes them another user
    """
    words = ["bwrap", "--die-with-parent", "--new-session", *_namespaces(), "--cap-drop", "ALL"]
    words += [word for one in _capabilities(forks_players) for word in ("--cap-add", one)]
    words += [*_shown(view), "--dev", "/dev", "--proc", "/proc"]
    return [*words, "--chdir", str(view.working), "--", *arguments]


def _shown(view: View) -> Iterator[str]:
    bound: list[Path] = []
    for path in sorted({path for path in [*fs_policy.roots(), view.working, *view.folders] if path.exists()}):
        if any(path.is_relative_to(other) for other in bound):
            continue
        yield from _way_to(path)
        yield from ("--ro-bind", str(path), str(path))
        bound.append(path)
    places = [path.resolve() for path in bound]
    for path in view.hidden:
        # In what this user may not look into, there is nothing to see for its players either.
        if os.path.isdir(path) and any(path.is_relative_to(place) for place in places):  # noqa: PTH112
            yield from ("--perms", "0755", "--tmpfs", str(path))
    for path in view.written:
        yield from _way_to(path)
        yield from ("--bind", str(path), str(path))


def _way_to(path: Path) -> Iterator[str]:
    for parent in list(reversed(path.parents))[1:]:
        yield from ("--perms", "0755", "--dir", str(parent))  # else only root could pass through


def _namespaces() -> list[str]:
    """Return the options for namespaces: root needs no user namespace, and in one could not change to another user."""
    if os.geteuid() != 0:
        return ["--unshare-all"]
    return [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]


def _capabilities(forks_players: bool) -> list[str]:
    changing = list(CHANGING_USER) if os.geteuid() == 0 else []
    if forks_players:
        return [*changing, NEW_NAMESPACES]
    return [*changing, *SEEING_ALL] if changing else []
