"""Paths of the user's files in the current folder, and of files of the project or the package.

The package's scripts, styles, pages and templates are read from here.
"""

import os
import re
from functools import cache
from pathlib import Path
from typing import Literal

from wordpl.core.messages import UserError, sanitize_untrusted_text

PACKAGE = Path(__file__).resolve().parent.parent
IMPORT_ROOT = PACKAGE.parent
"""The folder that has this package: the top folder of a checkout, or one of installed packages."""
DATA = PACKAGE / "data"
WORD_LISTS = ("answers.txt", "valid.txt")
"""The contest's lists, in the top folder of a checkout."""
MAX_NAME_CHARACTERS, MAX_PART_BYTES = 400, 255
_DRIVE = re.compile(r"[A-Za-z]:")


def is_plain(name: str) -> bool:
    """Return whether a name, relative and with forward slashes, is that of a file inside a folder on every system."""
    return (
        len(name) <= MAX_NAME_CHARACTERS
        and name.isprintable()
        and "\\" not in name
        and not _DRIVE.match(name)
        and all(part not in ("", ".", "..") and len(part.encode()) <= MAX_PART_BYTES for part in name.split("/"))
    )


def inside(folder: Path, name: str) -> Path:
    """Return the path of a file to write in a folder, whose name may be untrusted: no name leads out of it.

    Args:
        folder: The folder; links on the way to it are its owner's business.
        name: The name of the file, relative to the folder, with forward slashes.

    Raises:
        UserError: The name is absolute, climbs, is too long, has a backslash, a drive or what cannot be printed, or
            leads through a link.
    """
    if not is_plain(name):
        shown = sanitize_untrusted_text(ascii(name[:MAX_NAME_CHARACTERS]), 80)
        raise UserError(f"{shown} is not the name of a file inside {folder}.")
    path = folder
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            raise UserError(f"{path} is a link: nothing is written through it.")
    return path


@cache
def bundled() -> Path:
    """Return the folder of the bundled answers.txt, valid.txt, docs/ and strategies/.

    It is a folder inside an installed package, or the top folder of a checkout. A player, which does not see all
    files, must find the same.
    """
    packaged = PACKAGE / "bundled"
    return packaged if packaged.is_dir() else IMPORT_ROOT


_left: Path | None = None


def user_folder() -> Path:
    """Return the folder from which relative names of the user's files start: the current one, until it is left."""
    return _left or Path.cwd()


def leave_user_folder(folder: str) -> None:
    """Make another folder the current one, in a process of which nobody's file may be run or obeyed."""
    global _left
    _left = user_folder()
    os.chdir(folder)


_XDG = {"cache": ".cache", "config": ".config", "data": ".local/share", "state": ".local/state"}


def xdg_folder(kind: Literal["cache", "config", "data", "state"]) -> Path:
    """Return the user's folder for files of this kind: wordpl in XDG_CACHE_HOME, by default in ~/.cache.

    As the XDG Base Directory Specification demands, a relative path in the variable is ignored.

    Raises:
        RuntimeError: The user has no home folder.
    """
    chosen = Path(os.environ.get(f"XDG_{kind.upper()}_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / _XDG[kind]) / "wordpl"


def is_checkout() -> bool:
    """Return whether this package lies in a checkout, with files of others around it."""
    return bundled() == IMPORT_ROOT


def strategy_folders() -> list[Path]:
    """Return the folders to search for strategies: ./strategies if it exists, then the bundled ones."""
    own, project = user_folder() / "strategies", bundled() / "strategies"
    return [own, project] if own.is_dir() and own.resolve() != project else [project]


def find_file(name: str | Path, *folders: Path) -> Path:
    """Return the absolute path of a file, given a name as returned by `portable_name`.

    A relative name is looked up in the current folder, then in `folders`, then among the bundled files. If it is found
    nowhere, the path in the current folder is returned.
    """
    for folder in (user_folder(), *folders, bundled()):
        if (folder / name).is_file():
            return (folder / name).resolve()
    return (user_folder() / name).resolve()


def portable_name(path: Path) -> str:
    """Return a name for a file that is valid on other machines if possible.

    It is relative if the file is in the current folder or bundled, and absolute otherwise, also for a bundled file
    whose relative name is taken in the current folder.
    """
    path = path.resolve()
    for folder in (cwd := user_folder().resolve(), bundled()):
        if path.is_relative_to(folder):
            name = path.relative_to(folder)
            return str(name if folder == cwd or not (cwd / name).exists() else path)
    return str(path)


def relative_to_cwd(path: Path) -> str:
    """Return the path relative to the current folder if it lies there, or else the absolute path."""
    path, cwd = path.resolve(), Path.cwd().resolve()
    return str(path.relative_to(cwd) if path.is_relative_to(cwd) else path)


@cache
def asset_texts(folder: str) -> dict[str, str]:
    """Return the texts in a folder of the package, such as "apps/web/static", by the names of their files."""
    files = sorted(path for path in (DATA.parent / folder).iterdir() if path.is_file())
    return {path.name: path.read_text(encoding="utf-8") for path in files}
