"""Aliases of folders: the same files may be mounted in several places (mount(8), --bind)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
_ESCAPED = {r"\040": " ", r"\011": "\t", r"\012": "\n", r"\134": "\\"}


@dataclass(frozen=True)
class Mount:
    """A line of /proc/PID/mountinfo (proc(5)).

    Attributes:
        device: The file system.
        root: The mounted folder within the file system.
        point: The mount point.
    """

    device: str
    root: Path
    point: Path


def mounts(table: Path = _TABLE) -> list[Mount]:
    """Return all mounts in the order of mounting; an empty list if the system has no such table."""
    if not table.exists():
        return []
    fields = (line.split() for line in table.read_text().splitlines())
    return [Mount(words[2], Path(_unescape(words[3])), Path(_unescape(words[4]))) for words in fields if len(words) > 4]


def aliases(folders: Iterable[Path], mounted: Iterable[Mount] | None = None) -> list[Path]:
    """Return all paths at which the content of these folders, or a part of it, is accessible, including themselves."""
    known = mounts() if mounted is None else list(mounted)
    found: dict[Path, None] = {}
    for folder in folders:
        found[folder.resolve()] = None
        found.update(dict.fromkeys(_alias_paths(folder.resolve(), known)))
    return list(found)


def _alias_paths(folder: Path, mounted: list[Mount]) -> Iterator[Path]:
    around = [mount for mount in mounted if folder.is_relative_to(mount.point)]
    if not around:
        return
    # Of two file systems at the same mount point, the later one is visible.
    own = max(reversed(around), key=lambda mount: len(mount.point.parts))
    inside = own.root / folder.relative_to(own.point)
    for mount in (mount for mount in mounted if mount.device == own.device):
        if inside.is_relative_to(mount.root):
            yield mount.point / inside.relative_to(mount.root)
        elif mount.root.is_relative_to(inside):
            yield mount.point


def _unescape(text: str) -> str:
    for escape, sign in _ESCAPED.items():
        text = text.replace(escape, sign)
    return text
