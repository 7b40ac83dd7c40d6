"""Where files are: the user's in the current folder, the project's own in its checkout or in the package."""

from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
IMPORT_ROOT = PACKAGE.parent
"""What a new process puts on its path to import this very package."""
DATA = PACKAGE / "data"
ARCHIVE = DATA / "words.xz"
"""What an installed package has in place of the word lists and the prior."""
WORD_LISTS = ("answers.txt", "valid.txt")
"""The contest's own lists, at the top of a checkout."""


@cache
def bundled() -> Path:
    """Return the folder of the project's own answers.txt, valid.txt and strategies/.

    In a checkout that is its top folder. An installed package has copies inside, the lists in `ARCHIVE`.
    """
    is_checkout = (IMPORT_ROOT / "pyproject.toml").is_file() and (IMPORT_ROOT / "answers.txt").is_file()
    return IMPORT_ROOT if is_checkout else PACKAGE / "bundled"


def strategy_folders() -> list[Path]:
    """Return the folders in which strategies are found: the user's if there is one, then the project's own."""
    own, project = Path.cwd() / "strategies", bundled() / "strategies"
    return [own, project] if own.is_dir() and own.resolve() != project else [project]


def find_file(name: str | Path, *folders: Path) -> Path:
    """Return the absolute path of a file that is named as `portable` names it.

    A relative name is looked up in the current folder, then in `folders`, then among the project's own files. A name
    that is found nowhere is one in the current folder, unless it is that of one of the project's word lists.
    """
    for folder in (Path.cwd(), *folders, bundled()):
        if (folder / name).is_file():
            return (folder / name).resolve()
    folder = bundled() if str(name) in WORD_LISTS else Path.cwd()  # an installed package has the lists in its archive
    return (folder / name).resolve()


def portable(path: Path) -> str:
    """Return a name for the file that means the same on other machines, as far as there is one.

    It is relative to the current folder or to the project's own files, and otherwise absolute.
    """
    path = path.resolve()
    for folder in (Path.cwd().resolve(), bundled()):
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return str(path)


def from_here(path: Path) -> str:
    """Return the path as one types it in the current folder."""
    path, here = path.resolve(), Path.cwd().resolve()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
