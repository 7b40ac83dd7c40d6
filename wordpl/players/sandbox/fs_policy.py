"""What a player may read: Python and the system's libraries, the project's code, and the folder of its own file.

All of it is computed as roots minus what is hidden, because Landlock and bubblewrap can only allow.
"""

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wordpl.core import paths

SETTINGS = ("ld.so.cache", "alternatives", "localtime", "ssl/openssl.cnf", "pki/tls/openssl.cnf")
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", *(f"/etc/{name}" for name in SETTINGS))
FACTS = tuple(f"/sys/devices/system/cpu/{name}" for name in ("online", "possible", "present"))
"""Facts of the machine that do not change while a run goes on: what changes could tell one player of another."""
OWN_FACTS = ("maps", "stat", "statm", "status", "cmdline", "fd", "auxv", "limits", "comm")
"""What a player may read of /proc/PID, its own; not mounts, sockets, or how the system schedules it."""
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")  # not /dev/zero: mapped, it is memory that no limit counts
STRATEGIES = "strategies"
COMPILED = "__pycache__"


class HiddenPaths:
    """Resolved paths that must not be read, with all below them."""

    def __init__(self, paths: Iterable[Path]) -> None:
        """Note the paths and the folders around them."""
        self.paths = frozenset(paths)
        self._around = frozenset(parent for path in self.paths for parent in path.parents)
        # A path that this user may not look at counts as a folder.
        folders = [path for path in self.paths if not os.path.isfile(path)]  # noqa: PTH113
        self._around_folders = frozenset(parent for path in folders for parent in (path, *path.parents))

    def covers(self, path: Path) -> bool:
        """Return whether the resolved path is hidden, or lies in what is."""
        return path in self.paths or not self.paths.isdisjoint(path.parents)

    def lies_in(self, path: Path) -> bool:
        """Return whether something hidden lies below the resolved path."""
        return path in self._around

    def has_folder_in(self, path: Path) -> bool:
        """Return whether a hidden folder is the resolved path or lies below it."""
        return path in self._around_folders


def interpreter() -> list[Path]:
    """Return where Python and its packages lie, and where compiled code is kept."""
    kept = [os.environ["NUMBA_CACHE_DIR"]] if "NUMBA_CACHE_DIR" in os.environ else []
    packages = [
        path for path in sys.path if path and Path(path).is_absolute() and not paths.IMPORT_ROOT.is_relative_to(path)
    ]
    return _outermost(Path(path).resolve() for path in [sys.prefix, sys.base_prefix, *packages, *kept])


def project() -> list[Path]:
    """Return the parts of the project that every player needs; results and strategies are not among them."""
    lists = [paths.bundled() / name for name in paths.WORD_LISTS]
    return [paths.PACKAGE, *(path for path in lists if path.exists())]


def strategies() -> Path:
    """Return the folder of the project's own strategies."""
    return paths.bundled() / STRATEGIES


def roots() -> list[Path]:
    """Return the folders and files that every player may read but for what is hidden, that of its own file apart."""
    return [*interpreter(), *map(Path, SYSTEM), *project(), strategies()]


def facts() -> list[Path]:
    """Return the files that tell a player about its machine and about itself; to be asked by the player's process."""
    described = ["/proc/cpuinfo"] if platform.machine() != "x86_64" else []  # x86_64 has an instruction for it
    return [Path(name) for name in [*FACTS, *described, *(f"/proc/{os.getpid()}/{name}" for name in OWN_FACTS)]]


def readable(root: Path, hidden: HiddenPaths) -> Iterator[Path]:
    """Yield the paths that, with all below them, make up `root` without what is hidden.

    Where something hidden lies inside, links are passed over: what they point to is readable only where it lies below a
    root itself.
    """
    root = root.resolve()
    if hidden.covers(root):
        return
    if not hidden.lies_in(root):
        yield root
        return
    for path in _listed(root):
        if path.name == COMPILED and path.is_dir():
            yield from _compiled(path, hidden)
        elif not path.is_symlink():
            yield from readable(path, hidden)


def beside(folder: Path, hidden: HiddenPaths) -> Iterator[Path]:
    """Yield what a player may read in the folder of its own file: not what is hidden, linked, or named with a dot."""
    for path in _listed(folder.resolve()):
        if path.name == COMPILED and path.is_dir():
            yield from _compiled(path, hidden)
        elif not (path.name.startswith(".") or path.is_symlink()):
            yield from readable(path, hidden)


def may_be_listed(folder: Path, hidden: HiddenPaths) -> bool:
    """Return whether the names in the folder and below it show none of what stands in a hidden folder."""
    return not hidden.has_folder_in(folder.resolve())


def by_others(paths: Iterable[Path], bound: Sequence[Path] = (Path("/"),)) -> bool:
    """Return whether any user could read these paths, as far as the permissions on the way there tell.

    bound: the folders that the view which bubblewrap makes shows as they are; all may pass through those around them
    """
    shown = [path.resolve() for path in bound]
    found = [path for path in paths if path.exists()]
    return all(_is_open(path, 0o5 if path.is_dir() else 0o4) and _is_reached(path, shown) for path in found)


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


def _is_reached(path: Path, shown: Sequence[Path]) -> bool:
    around = (parent for parent in path.resolve().parents if any(parent.is_relative_to(one) for one in shown))
    return all(_is_open(parent, 0o1) for parent in around)


def _is_open(path: Path, rights: int) -> bool:
    return path.stat().st_mode & rights == rights


def _outermost(paths: Iterable[Path]) -> list[Path]:
    kept: list[Path] = []
    for path in sorted(set(paths)):
        if path.exists() and not any(path.is_relative_to(other) for other in kept):
            kept.append(path)
    return kept
