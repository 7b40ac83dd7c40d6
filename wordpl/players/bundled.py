"""Which strategies come with the project, and their tables: anybody may read them, and they keep their names."""

import os
import subprocess
from functools import cache
from pathlib import Path

from wordpl.core import paths

_LIST_TRACKED = ("git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "ls-files", "-z", "--", ".")


def is_bundled(file: Path) -> bool:
    """Return whether the file is one of the project's own strategies or tables."""
    folder = (paths.bundled() / "strategies").resolve()
    resolved = file.resolve()
    return resolved.parent == folder and resolved.name in _names_in(folder)


def names(folder: Path) -> frozenset[str]:
    """Return the names of the files in the folder that belong to the project.

    In a checkout these are the ones that git tracks: a contestant's file may lie beside them. An installed package has
    a folder of its own for them, and they are all that it holds.
    """
    found = {path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink()}
    tracked = _tracked(folder)
    return frozenset(found if tracked is None else found & tracked)


@cache
def _names_in(folder: Path) -> frozenset[str]:
    return names(folder)


def _tracked(folder: Path) -> set[str] | None:
    """Return what git tracks in the folder; None where it is in no checkout of git's, or there is no git."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(_LIST_TRACKED, cwd=folder, env=variables, capture_output=True)
    except OSError:
        return None
    if done.returncode or not done.stdout:  # the package may lie in a folder of somebody else's checkout
        return None
    return {os.fsdecode(name) for name in done.stdout.split(b"\0")}
