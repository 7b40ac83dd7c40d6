"""The files that a player may read besides its own: Python, system libraries and the project's code.

They are computed as root folders minus hidden paths, because Landlock and bubblewrap only support allow lists. A file
is hidden at all its aliases: the same files may be mounted in several places (mount(8), --bind).
"""

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.core import paths
from wordpl.kernels import cache_folder

SETTINGS = ("ld.so.cache", "alternatives", "localtime", "ssl/openssl.cnf", "pki/tls/openssl.cnf")
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", *(f"/etc/{name}" for name in SETTINGS))
SYSTEM_FILES = tuple(f"/sys/devices/system/cpu/{name}" for name in ("online", "possible", "present"))
"""Constant facts about the machine. Files that change are excluded, because they could reveal other players."""
PROC_FILES = ("maps", "stat", "statm", "status", "cmdline", "fd", "auxv", "limits", "comm")
"""What a player may read of its own /proc/PID; not mounts, sockets or scheduling statistics."""
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")  # not /dev/zero: when mapped, it is memory without a limit
COMPILED = "__pycache__"
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = {r"\040": " ", r"\011": "\t", r"\012": "\n", r"\134": "\\"}


class HiddenPaths:
    """Resolved paths that must not be read, including everything below them."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Create a set of hidden paths."""
        self.paths = frozenset(paths)
        self._around = frozenset(parent for path in self.paths for parent in path.parents)

    def covers(self, path: Path) -> bool:
        """Return whether the resolved path is hidden, or is inside a hidden folder."""
        return path in self.paths or not self.paths.isdisjoint(path.parents)

    def is_around(self, path: Path) -> bool:
        """Return whether there is a hidden path below the resolved path."""
        return path in self._around


def interpreter() -> list[Path]:
    """Return the folders of Python, its packages and numba's cache."""
    caches = [os.environ[cache_folder.VARIABLE]] if cache_folder.VARIABLE in os.environ else []
    packages = [
        path for path in sys.path if path and Path(path).is_absolute() and not paths.IMPORT_ROOT.is_relative_to(path)
    ]
    return _outermost(Path(path).resolve() for path in [sys.prefix, sys.base_prefix, *packages, *caches])


def project() -> list[Path]:
    """Return the parts of the project that every player needs, without results and strategies."""
    lists = [paths.bundled() / name for name in paths.WORD_LISTS]
    return [paths.PACKAGE, *(path for path in lists if path.exists())]


def roots() -> list[Path]:
    """Return the files and folders that every player may read except for hidden paths, besides its own folder."""
    return [*interpreter(), *map(Path, SYSTEM), *project()]


def info_files() -> list[Path]:
    """Return the files with information about the machine and this process; call this in the player's process."""
    cpu = ["/proc/cpuinfo"] if platform.machine() != "x86_64" else []  # x86_64 has an instruction for it
    return [Path(name) for name in [*SYSTEM_FILES, *cpu, *(f"/proc/{os.getpid()}/{name}" for name in PROC_FILES)]]


def readable(root: Path, hidden: HiddenPaths) -> Iterator[Path]:
    """Yield the paths that together make up `root` without hidden paths; each stands for everything below it.

    In a folder that contains hidden paths, symbolic links are skipped: their targets are readable only if they are
    below a root themselves.
    """
    root = root.resolve()
    if hidden.covers(root):
        return
    if not hidden.is_around(root):
        yield root
        return
    for path in _listed(root):
        if path.name == COMPILED and path.is_dir():
            yield from _compiled(path, hidden)
        elif not path.is_symlink():
            yield from readable(path, hidden)


def readable_by_others(paths: Iterable[Path], bound: Sequence[Path] = (Path("/"),)) -> bool:
    """Return whether any user can read these paths, according to the permissions of files and folders.

    Args:
        bound: The folders that bubblewrap mounts unchanged; the folders above them are accessible to all users.
    """
    mounted = [path.resolve() for path in bound]
    existing = [path for path in paths if path.exists()]
    return all(_is_open(path, 0o5 if path.is_dir() else 0o4) and _is_reachable(path, mounted) for path in existing)


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _compiled(folder: Path, hidden: HiddenPaths) -> Iterator[Path]:
    """Yield the compiled files whose sources are not hidden."""
    for path in _listed(folder):
        source = folder.parent / f"{path.name.partition('.')[0]}.py"
        if source not in hidden.paths and not path.is_symlink():
            yield from readable(path, hidden)


def _is_reachable(path: Path, mounted: Sequence[Path]) -> bool:
    around = (parent for parent in path.resolve().parents if any(parent.is_relative_to(folder) for folder in mounted))
    return all(_is_open(parent, 0o1) for parent in around)


def _is_open(path: Path, rights: int) -> bool:
    return path.stat().st_mode & rights == rights


def _outermost(paths: Iterable[Path]) -> list[Path]:
    outermost: list[Path] = []
    for path in sorted(set(paths)):
        if path.exists() and not any(path.is_relative_to(other) for other in outermost):
            outermost.append(path)
    return outermost


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


def mounts(table: Path = _MOUNTS) -> list[Mount]:
    """Return all mounts in the order of mounting; an empty list if the system has no such table."""
    if not table.exists():
        return []
    fields = (line.split() for line in table.read_text().splitlines())
    return [Mount(words[2], Path(_unescape(words[3])), Path(_unescape(words[4]))) for words in fields if len(words) > 4]


def aliases(folders: Iterable[Path], mounted: Iterable[Mount] | None = None) -> list[Path]:
    """Return all paths at which the content of these folders, or a part of it, is accessible, including themselves."""
    all_mounts = mounts() if mounted is None else list(mounted)
    alias_paths: dict[Path, None] = {}
    for folder in folders:
        alias_paths[folder.resolve()] = None
        alias_paths.update(dict.fromkeys(_alias_paths(folder.resolve(), all_mounts)))
    return list(alias_paths)


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
