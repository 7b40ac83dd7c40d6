"""Where else a folder can be seen: the same files may be mounted at several places (mount(8), --bind)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TABLE = Path("/proc/self/mountinfo")
_ESCAPED = {r"\040": " ", r"\011": "\t", r"\012": "\n", r"\134": "\\"}


@dataclass(frozen=True)
class Mount:
    """A mounted file system: which one, what of it, and where (proc(5), mountinfo)."""

    device: str
    root: Path
    point: Path


def mounts(table: Path = _TABLE) -> list[Mount]:
    """Return what is mounted, in the order of mounting; nothing where the system has no such table."""
    if not table.exists():
        return []
    fields = (line.split() for line in table.read_text().splitlines())
    return [Mount(words[2], Path(_plain(words[3])), Path(_plain(words[4]))) for words in fields if len(words) > 4]


def aliases(folders: Iterable[Path], mounted: Iterable[Mount] | None = None) -> list[Path]:
    """Return every path under which what lies in these folders can be reached, the folders themselves included.

    A folder's part that is mounted elsewhere counts too.
    """
    known = mounts() if mounted is None else list(mounted)
    found: dict[Path, None] = {}
    for folder in folders:
        found[folder.resolve()] = None
        found.update(dict.fromkeys(_seen_at(folder.resolve(), known)))
    return list(found)


def _seen_at(folder: Path, mounted: list[Mount]) -> Iterator[Path]:
    around = [mount for mount in mounted if folder.is_relative_to(mount.point)]
    if not around:
        return
    own = max(reversed(around), key=lambda mount: len(mount.point.parts))  # of two at one place, the later one
    inside = own.root / folder.relative_to(own.point)
    for mount in (mount for mount in mounted if mount.device == own.device):
        if inside.is_relative_to(mount.root):
            yield mount.point / inside.relative_to(mount.root)
        elif mount.root.is_relative_to(inside):
            yield mount.point


def _plain(text: str) -> str:
    for escape, sign in _ESCAPED.items():
        text = text.replace(escape, sign)
    return text
