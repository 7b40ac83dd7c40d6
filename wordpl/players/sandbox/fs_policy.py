"""The files that a player may read besides its own.

Landlock (landlock(7)) restricts its process to them.
"""

import ctypes
import errno
import os
import platform
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.core import paths
from wordpl.kernels import cache_folder
from wordpl.players.sandbox import system_calls

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIRECTORY, REMOVE_FILE, MAKE_DIRECTORY, MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
TRUNCATE, DEVICE_CONTROL = 1 << 14, 1 << 15
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
READ = READ_FILE | READ_DIRECTORY
RUN = READ | EXECUTE
USE = READ_FILE | WRITE_FILE  # for devices
FILL = READ | WRITE_FILE | TRUNCATE | REMOVE_DIRECTORY | REMOVE_FILE | MAKE_DIRECTORY | MAKE_FILE
"""For creating and removing files and folders, but no links, pipes, sockets or devices."""
EVERYTHING = (1 << 16) - 1
RIGHTS_KNOWN = {1: 13, 2: 14, 3: 15, 4: 15}  # the number of rights by ABI version; later versions: all 16
TCP = 0b11  # binding and connecting
SCOPES = 0b11  # abstract sockets, and signals to processes outside
SCOPES_SIGNALS = 6  # the first ABI version that restricts signals
_ASK_VERSION, _BENEATH = 1, 1


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Rule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("rights", ctypes.c_uint64), ("beneath", ctypes.c_int32)]


def landlock_version() -> int:
    """Return the version of the kernel's Landlock ABI; 0 if there is none."""
    try:
        return system_calls.call("landlock_create_ruleset", None, 0, _ASK_VERSION)
    except OSError:
        return 0


def restrict_files(rights: Iterable[tuple[Path, int]]) -> None:
    """Irrevocably restrict this process to these rights on these paths and everything below them.

    Missing paths are skipped. Only one path is open at a time, because a folder can contain more files than a process
    may open. If the kernel supports it, TCP, abstract sockets and signals to other processes are forbidden as well.

    Raises:
        OSError: Landlock is not available.
    """
    abi = landlock_version()
    if not abi:
        raise OSError("the kernel does not support Landlock")
    handled = (1 << RIGHTS_KNOWN.get(abi, 16)) - 1
    attributes = _Ruleset(handled, TCP if abi >= 4 else 0, SCOPES if abi >= SCOPES_SIGNALS else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = system_calls.call("landlock_create_ruleset", ctypes.byref(attributes), size, 0)
    try:
        for path, allowed in rights:
            _add_rule(ruleset, path, allowed & handled)
        system_calls.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _add_rule(ruleset: int, path: Path, rights: int) -> None:
    """Add a rule with those of the rights that apply to the path."""
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):  # without the rule, the player's games could differ
            raise
        return
    try:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= ON_FILES
        if rights:
            system_calls.call("landlock_add_rule", ruleset, _BENEATH, ctypes.byref(_Rule(rights, file)), 0)
    finally:
        os.close(file)


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
