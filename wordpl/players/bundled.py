"""Recognizing the bundled strategies and their tables, which all players may read."""

import os
import subprocess
from functools import cache
from pathlib import Path

from wordpl.core import paths

_LIST_TRACKED = ("git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "ls-files", "-z", "--", ".")


def is_bundled(file: Path) -> bool:
    """Return whether the file is a bundled strategy or table."""
    folder = (paths.bundled() / "strategies").resolve()
    resolved = file.resolve()
    return resolved.parent == folder and resolved.name in _names_in(folder)


def names(folder: Path) -> frozenset[str]:
    """Return the names of the bundled files in a folder.

    In a checkout, these are the files that git tracks, as contestants may add their own files to the folder. In an
    installed package, these are all files of the folder.
    """
    file_names = {path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink()}
    tracked = _tracked(folder)
    return frozenset(file_names if tracked is None else file_names & tracked)


@cache
def _names_in(folder: Path) -> frozenset[str]:
    return names(folder)


def _tracked(folder: Path) -> set[str] | None:
    """Return the files that git tracks in the folder; None if it is not in a git checkout or git is not installed."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        completed = subprocess.run(_LIST_TRACKED, cwd=folder, env=variables, capture_output=True)
    except OSError:
        return None
    if completed.returncode or not completed.stdout:  # the package may be installed inside an unrelated checkout
        return None
    return {os.fsdecode(name) for name in completed.stdout.split(b"\0")}
