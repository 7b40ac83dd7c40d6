"""The versions of entries, and the files that they consist of, which are kept in versions/NAME@NUMBER/."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.run.bundle import PYTHON, SHARED, Bundle

FOLDER = "versions"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")


@dataclass(frozen=True)
class Version:
    """A version of an entry.

    Attributes:
        index: Its place among all versions, from 0.
        name: The name of the entry.
        number: The number of the version, from 1.
        author: Who owns the name.
        digest: The digest of its bundle.
        file: The name of its file or folder.
        make: The expression that creates the strategy; "": the only one that the file declares.
        since: When it was sent.
        is_withdrawn: Whether it was withdrawn.
        disqualified: Why it was disqualified; "" if it was not.
    """

    index: int
    name: str
    number: int
    author: str
    digest: str
    file: str
    make: str
    since: str
    is_withdrawn: bool = False
    disqualified: str = ""

    @property
    def label(self) -> str:
        """The version, such as my_bot@3."""
        return f"{self.name}@{self.number}"

    @property
    def is_active(self) -> bool:
        """Whether it can play."""
        return not (self.is_withdrawn or self.disqualified)

    def place(self, season: Path) -> Path:
        """Return the path of its file or folder."""
        return season / FOLDER / self.label / self.file


def name_of(place: Path, given: str = "") -> str:
    """Return the name that an entry is given, or that of its file.

    Raises:
        UserError: It cannot be the name of an entry.
    """
    name = given or place.stem
    if not NAME.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be the name of an entry: it should have letters, digits, points, hyphens and "
            "underscores, at most 60."
        )
    return name


def keep(bundle: Bundle, target: Path) -> None:
    """Copy the files of an entry into a new folder; a folder that a crash has left is replaced.

    Modules that the host has declared as shared, or that a shipped strategy imports, are declared there too.
    """
    draft = target.with_name(f".{target.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    bundle.copy_to(draft)
    modules = [name for name in bundle.files if "/" not in name and name.endswith(PYTHON) and name != bundle.place.name]
    if modules:
        (draft / SHARED).write_text("".join(f"{name}\n" for name in sorted(modules)), encoding="utf-8")
    draft.replace(target)
