"""The four sandbox levels: what holds a player back at each, and which files it may read.

A player's process applies the policy of its level to itself before it runs untrusted code (`enter_sandbox`): Landlock
(landlock(7)) restricts its files, and if the referee is root, it becomes another user, or at least loses capabilities.
The filter of system calls is in `system_calls`, limits of resources in `processes`, and what level A adds in
`namespaces`.
"""

import ctypes
import errno
import os
import platform
import resource
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, structs

from wordpl.core import paths
from wordpl.kernels import cache_folder
from wordpl.players.sandbox import processes, system_calls
from wordpl.players.sandbox.processes import die_with_parent
from wordpl.run import bundle


class Level(StrEnum):
    """A sandbox level; A is the strongest."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"

    @property
    def mechanisms(self) -> str:
        """The mechanisms of this level, as text."""
        return _MECHANISMS[self]

    @property
    def meaning(self) -> str:
        """What this level protects, as text."""
        return _MEANINGS[self]

    @property
    def is_official(self) -> bool:
        """Whether official runs may be played at this level."""
        return self <= Level.B


_MECHANISMS = {
    Level.A: "bubblewrap, Landlock, seccomp",
    Level.B: "Landlock, seccomp",
    Level.C: "seccomp",
    Level.D: "limits of a process",
}
_MEANINGS = {
    Level.A: "isolated, in namespaces of its own",
    Level.B: "isolated; a player can see which processes and files there are",
    Level.C: "files can be read by players: not for secrets on disk",
    Level.D: "NOT isolated: for code you trust",
}


class SandboxPolicy(Struct, frozen=True):
    """The sandbox policy of a player or a build.

    Attributes:
        level: The sandbox level.
        memory_mb: The memory limit in MiB.
        open_files: The maximum number of open files.
        working: The working directory, which is readable.
        shipped: The folder with the strategies that the package ships; "" if there is none.
        hidden: Resolved paths that must not be readable, even inside readable folders.
        program: Whether the process executes a program instead of Python code.
        built: The build folder of a program; "" if it has none.
        writes: Whether the working directory is writable, because the entry is being loaded.
        user: The user id to change to if the referee is root; 0: that of nobody.
    """

    level: Level
    memory_mb: int
    open_files: int
    working: str
    shipped: str = ""
    hidden: tuple[str, ...] = ()
    program: bool = False
    built: str = ""
    writes: bool = False
    user: int = 0

    def shared(self) -> "SandboxPolicy":
        """Return the part that all players share: without the folders of this one."""
        return structs.replace(self, working="", built="", writes=False)


class Prepared(NamedTuple):
    """What all players share.

    Attributes:
        rights: The accessible paths with their Landlock rights.
        readable_by_others: Whether all users can read these paths.
    """

    rights: list[tuple[str, int]]
    readable_by_others: bool


@lru_cache(maxsize=4)  # of Python files and of programs
def prepare(policy: SandboxPolicy) -> Prepared:
    """Return what all players share; a fork server calls this before it forks the first one.

    Args:
        policy: The part of the policy that they share.
    """
    rights = list(_allowed_to_all(policy))
    if policy.level < Level.D and system_calls.machine() is not None:
        _filter(policy)
    return Prepared(rights, readable_by_others(path for path, _ in rights))


def _filter(policy: SandboxPolicy) -> bytes:
    writes = policy.level <= Level.B
    return system_calls.player_filter(programs=policy.program, writes=writes, fills=policy.writes)


def enter_sandbox(policy: SandboxPolicy, parent: int) -> None:
    """Irrevocably apply the policy to this process, which also ends when its parent ends.

    Args:
        parent: The id of the parent process.

    Raises:
        OSError: A mechanism of the level is not available.
    """
    processes.prefer_for_oom_kill()
    processes.apply_limits(processes.player_limits(policy.memory_mb, policy.open_files))
    if policy.level == Level.D:
        processes.limit_threads(alone=False)
        die_with_parent(parent)
        return
    if policy.writes:
        # One byte more, to detect that the limit was exceeded.
        processes.apply_limits({resource.RLIMIT_FSIZE: bundle.MAX_BYTES + 1})
    system_calls.forbid_new_privileges()
    shared = prepare(policy.shared())
    own = list(_allowed_to_one(policy))
    if policy.level <= Level.B:
        restrict_files([*shared.rights, *own, *((path, READ) for path in INFO_FILES)])
    is_readable = shared.readable_by_others and readable_by_others(path for path, _ in own)
    changed = drop_privileges(policy.user or NOBODY if is_readable else None)
    processes.limit_threads(alone=changed or policy.level == Level.A)
    die_with_parent(parent)  # after changing the user, which resets this setting
    system_calls.restrict(_filter(policy))


def allowed(policy: SandboxPolicy) -> Iterator[tuple[str, int]]:
    """Yield the paths that a player may access with their Landlock rights, without hidden paths and /proc."""
    yield from _allowed_to_all(policy)
    yield from _allowed_to_one(policy)


def _allowed_to_all(policy: SandboxPolicy) -> Iterator[tuple[str, int]]:
    code = RUN if policy.program else READ
    hidden = HiddenPaths(map(Path, policy.hidden))
    for root in _outermost(root.resolve() for root in [*interpreter(), *map(Path, SYSTEM)]):
        yield from ((str(path), code) for path in readable(root, hidden))
    shipped = [Path(policy.shipped)] if policy.shipped else []
    for root in [*project(), *shipped]:
        yield from ((str(path), READ) for path in readable(root, hidden))
    for name in DEVICES:
        yield name, USE


def _allowed_to_one(policy: SandboxPolicy) -> Iterator[tuple[str, int]]:
    code = RUN if policy.program else READ
    yield from ((own, code) for own in (policy.working, policy.built) if own)  # the harness's own, with nothing to hide
    if policy.writes:
        yield policy.working, FILL


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
        return system_calls.system_call("landlock_create_ruleset", None, 0, _ASK_VERSION)
    except OSError:
        return 0


def restrict_files(rights: Iterable[tuple[Path | str, int]]) -> None:
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
    ruleset = system_calls.system_call("landlock_create_ruleset", ctypes.byref(attributes), size, 0)
    try:
        for path, allowed in rights:
            _add_rule(ruleset, path, allowed & handled)
        system_calls.system_call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _add_rule(ruleset: int, path: Path | str, rights: int) -> None:
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
            system_calls.system_call("landlock_add_rule", ruleset, _BENEATH, ctypes.byref(_Rule(rights, file)), 0)
    finally:
        os.close(file)


SETTINGS = ("ld.so.cache", "alternatives", "localtime", "ssl/openssl.cnf", "pki/tls/openssl.cnf")
SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", *(f"/etc/{name}" for name in SETTINGS))
SYSTEM_FILES = tuple(f"/sys/devices/system/cpu/{name}" for name in ("online", "possible", "present"))
"""Constant facts about the machine. Files that change are excluded, because they could reveal other players."""
PROC_FILES = ("maps", "stat", "statm", "status", "cmdline", "fd", "auxv", "limits", "comm")
"""What a player may read of its own /proc/PID; not mounts, sockets or scheduling statistics."""
CPU_FILES = () if platform.machine() == "x86_64" else ("/proc/cpuinfo",)  # x86_64 has an instruction for it
INFO_FILES = (*SYSTEM_FILES, *CPU_FILES, *(f"/proc/self/{name}" for name in PROC_FILES))
"""The files with information about the machine and, where they are opened, the process."""
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
    for path in _sorted_items(root):
        if path.name == COMPILED and path.is_dir():
            yield from _compiled(path, hidden)
        elif not path.is_symlink():
            yield from readable(path, hidden)


def readable_by_others(paths: Iterable[Path | str], bound: Iterable[Path | str] = ("/",)) -> bool:
    """Return whether any user can read those of these paths that exist, by the permissions of files and folders.

    Args:
        bound: The folders that bubblewrap mounts unchanged; the folders above them are accessible to all users.
    """
    mounted = [os.path.realpath(folder) for folder in bound]
    return all(_is_readable_by_others(os.path.realpath(path), mounted) for path in paths)


def _is_readable_by_others(path: str, mounted: Sequence[str]) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - this is part of the start of a player, which pathlib slows down
    except FileNotFoundError:
        return True
    required = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    modes = (os.stat(folder).st_mode for folder in _above(path, mounted))  # noqa: PTH116
    return mode & required == required and all(mode & stat.S_IXOTH for mode in modes)


def _above(path: str, mounted: Sequence[str]) -> Iterator[str]:
    """Yield the folders above a path, up to the outermost of those that are mounted."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        if any(f"{path}/".startswith(f"{folder.rstrip('/')}/") for folder in mounted):
            yield path


def _sorted_items(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _compiled(folder: Path, hidden: HiddenPaths) -> Iterator[Path]:
    """Yield the compiled files whose sources are not hidden."""
    for path in _sorted_items(folder):
        source = folder.parent / f"{path.name.partition('.')[0]}.py"
        if source not in hidden.paths and not path.is_symlink():
            yield from readable(path, hidden)


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


NOBODY = 65534
FIRST_USER = 0x60000000
"""The first of a range of user ids that neither people, services nor containers usually use."""
N_USERS = 1 << 24
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE of prctl(2)
_CAPABILITIES_VERSION = 0x20080522  # _LINUX_CAPABILITY_VERSION_3 of linux/capability.h


def new_user() -> int:
    """Return a random user id for the processes that this process starts."""
    return _drawn_user(os.getpid())


@cache
def _drawn_user(_process: int) -> int:
    return FIRST_USER + secrets.randbelow(N_USERS)


def drop_privileges(user: int | None) -> bool:
    """Irrevocably drop all capabilities and, if possible, root's user id.

    Args:
        user: The user id to change to, if this process is root; None: stay root, because other users cannot read some
            of the files.

    Returns:
        Whether this process now runs as a user that no other process has.
    """
    changed = os.geteuid() == 0 and user is not None and _change_user(user)
    if system_calls.machine() is not None:
        header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
        system_calls.system_call("capset", header, none)
    return changed


def _change_user(user: int) -> bool:
    os.setgroups([])
    try:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError:  # the user does not exist in this container
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        return False
    return user != NOBODY


def hide_memory() -> None:
    """Keep other processes of the same user, such as players, from reading this process's memory."""
    if system_calls.machine() is not None:
        system_calls.libc().prctl(_SET_DUMPABLE, 0, 0, 0, 0)
