"""Namespaces of its own for the process that forks players: bubblewrap's command line (bwrap(1)).

Inside, there are no other processes, no network, and no files but those that players need, all of them read-only.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from wordpl.players.sandbox import fs_policy

NEEDED_BY_ROOT = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")  # to make players nobody, and to end them


def is_installed() -> bool:
    """Return whether bubblewrap is there."""
    return shutil.which("bwrap") is not None


def command(
    arguments: list[str], working: Path, folders: Iterable[Path] = (), written: Iterable[Path] = ()
) -> list[str]:
    """Return the command that runs another one in namespaces of its own.

    working: its working directory; folders: what it can read besides what every player needs, and what it can write to
    """
    words = ["bwrap", "--die-with-parent", "--new-session", *_namespaces()]
    shown = [*map(Path, fs_policy.SYSTEM), *fs_policy.interpreter(), *fs_policy.project()]
    bound: list[Path] = []
    for path in sorted({path for path in [*shown, working, *folders] if path.exists()}):
        if any(path.is_relative_to(other) for other in bound):
            continue
        for parent in list(reversed(path.parents))[1:]:
            words += ["--perms", "0755", "--dir", str(parent)]  # else only root could pass through
        words += ["--ro-bind", str(path), str(path)]
        bound.append(path)
    for path in written:
        words += ["--bind", str(path), str(path)]
    return [*words, "--dev", "/dev", "--proc", "/proc", "--chdir", str(working), "--", *arguments]


def _namespaces() -> list[str]:
    """Return the options for namespaces: root needs no user namespace, and in one could not change to another user."""
    if os.geteuid() != 0:
        return ["--unshare-all"]
    kinds = [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]
    return kinds + [word for one in NEEDED_BY_ROOT for word in ("--cap-add", one)]
