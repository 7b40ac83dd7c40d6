"""What holds the processes of players: limits on what they may use, the processor that they share, and their end."""

import os
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from wordpl.players.sandbox.system_calls import libc

FILE_BYTES = 256 << 20
MAX_STACK_MB = 8
ADDRESS_SPACE_MB = 16 << 10
"""The address space beyond a player's memory, for libraries and reservations; page tables can take 1/512 of it."""
MAX_OOM_SCORE = b"1000"  # OOM_SCORE_ADJ_MAX of linux/oom.h
MIN_FREE_MB = 512
OPEN_MAX = 10_240  # sys/syslimits.h of macOS, where the limit itself may be infinite
MAX_THREADS = 128
"""The maximum number of threads of a user id that only players have."""
SPARE_THREADS = 512
"""The minimum number of threads that players may add if they share the user id with other processes."""


def player_limits(memory_mb: int, open_files: int) -> dict[int, int]:
    """Return the resource limits of a player by their RLIMIT constants.

    On Linux, the memory limit applies to writable memory; macOS supports and enforces fewer limits. Queued signals are
    limited to 0, because they are counted per user, who may have other players; ordinary signals still work.
    """
    limits = {
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform != "linux":
        return limits | {resource.RLIMIT_AS: memory_mb << 20}
    return limits | {
        resource.RLIMIT_DATA: memory_mb << 20,
        resource.RLIMIT_AS: memory_mb + ADDRESS_SPACE_MB << 20,
        resource.RLIMIT_STACK: MAX_STACK_MB << 20,
        resource.RLIMIT_SIGPENDING: 0,
    }


class FreeSpace:
    """The free space of a file system, which includes that of removed files only once they are closed."""

    def __init__(self, folder: Path) -> None:
        """Note how much may be used: everything but MIN_FREE_MB or, on an almost full disk, half of the free space."""
        self._folder = folder
        self._min_free = min(MIN_FREE_MB << 20, self._free() // 2)

    def is_short(self) -> bool:
        """Return whether too little space is left."""
        return self._free() < self._min_free

    def _free(self) -> int:
        file_system = os.statvfs(self._folder)
        return file_system.f_bavail * file_system.f_frsize


def max_open_files() -> int:
    """Return the limit on open files; until it is lowered, all file descriptors are below it."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return OPEN_MAX if soft == resource.RLIM_INFINITY else soft


def apply_limits(limits: Mapping[int, int]) -> None:
    """Irrevocably lower the limits of this process and its future children; no limit is raised."""
    for kind, max_value in limits.items():
        _lower(kind, max_value)


def prefer_for_oom_kill() -> None:
    """Make this process and its children the first ones that the kernel kills when memory runs out.

    Otherwise it could kill the referee, and games in progress would have to be restarted.
    """
    with suppress(OSError):  # not on Linux
        file = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        try:
            os.write(file, MAX_OOM_SCORE)
        finally:
            os.close(file)


def limit_threads(*, alone: bool, most: int = MAX_THREADS) -> None:
    """Irrevocably limit the number of threads and processes of this process's user. The limit does not apply to root.

    Args:
        alone: Whether only players have this user id. If not, the limit is added to the current number of threads.
        most: The limit.
    """
    if sys.platform == "linux":
        _lower(resource.RLIMIT_NPROC, most if alone else n_threads(os.getuid()) + max(most, SPARE_THREADS))


@cache
def n_threads(user: int) -> int:
    """Return the number of threads of a user at the first call."""
    return sum(_threads(process, user) for process in Path("/proc").glob("[0-9]*"))


def _threads(process: Path, user: int) -> int:
    try:
        return len(list((process / "task").iterdir())) if process.stat().st_uid == user else 0
    except OSError:  # the process has ended
        return 0


def _lower(kind: int, max_value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        max_value = min(max_value, hard)
    try:
        resource.setrlimit(kind, (max_value, max_value))
    except (ValueError, OSError):
        if sys.platform == "linux":  # macOS refuses some limits, which then do not apply
            raise


GROUP_ROOT = Path("/sys/fs/cgroup")
FORK_SERVER_MB = 1024
MAX_THREADS_OF_GROUP = 512
GROUP_FILES = {
    "memory": ("memory.max", "memory.limit_in_bytes"),
    "pids": ("pids.max", "pids.max"),
}  # in versions 2 and 1
OOM_KILL_FILES = ("memory.events", "memory.oom_control")  # in versions 2 and 1: files with the number of OOM kills
GROUP_PREFIX = "wordpl-"
GROUP_END_S = 2.0


class Cgroup:
    """A control group in each hierarchy in which this user may create one; if there is none, it has no effect."""

    def __init__(self, memory_mb: int) -> None:
        """Create a control group; nothing is created on disk yet.

        Args:
            memory_mb: The memory limit of a player in MiB. At most two players run at a time: one plays, and its
                predecessor may still be ending.
        """
        self._limits = {"memory": FORK_SERVER_MB + 2 * memory_mb << 20, "pids": MAX_THREADS_OF_GROUP}
        self._folders: list[Path] = []

    def command(self, words: list[str]) -> list[str]:
        """Create the group, and return the command line that runs a command inside it."""
        self._folders = self._folders or list(_create_groups(self._limits))
        if not self._folders:
            return words
        lines = " && ".join(f'echo $$ > "{folder}/cgroup.procs"' for folder in self._folders)
        return ["/bin/sh", "-c", f'{{ {lines}; }} 2>/dev/null; exec "$@"', "sh", *words]

    def n_killed(self) -> int:
        """Return the number of the group's processes that the kernel has killed because the group ran out of memory."""
        texts = (
            path.read_text() for folder in self._folders for name in OOM_KILL_FILES if (path := folder / name).exists()
        )
        return sum(int(count) for text in texts for count in re.findall(r"^oom_kill (\d+)", text, re.MULTILINE))

    def close(self) -> None:
        """Kill the remaining processes of the group, and remove it."""
        for folder in self._folders:
            _remove_group(folder)
        self._folders = []


def _remove_group(folder: Path) -> None:
    """Remove a group, waiting for its last processes to end."""
    with suppress(OSError):
        (folder / "cgroup.kill").write_text("1")  # version 2 only; in version 1, all processes are already ending
    until = time.monotonic() + GROUP_END_S
    while folder.exists() and time.monotonic() < until:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)


def _create_groups(limits: dict[str, int]) -> Iterator[Path]:
    """Create a group below that of this process in each hierarchy with a controller in FILES, and yield its path."""
    for parent, controllers in _parent_groups():
        with suppress(OSError):
            folder = Path(mkdtemp(prefix=f"{GROUP_PREFIX}{os.getpid()}-", dir=parent))
            yield folder
            for file in (folder / name for controller in controllers for name in GROUP_FILES[controller]):
                if file.exists():
                    file.write_text(str(limits[file.name.split(".")[0]]))


def remove_abandoned_groups() -> None:
    """Remove the groups of processes that were killed before they could remove them."""
    for parent, _ in _parent_groups():
        for folder in parent.glob(f"{GROUP_PREFIX}*"):
            owner = folder.name.removeprefix(GROUP_PREFIX).partition("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                _remove_group(folder)


def _parent_groups() -> Iterator[tuple[Path, list[str]]]:
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            folder = GROUP_ROOT / path.lstrip("/") if not names else GROUP_ROOT / names / path.lstrip("/")
            offered = _controllers(folder) if not names else names.split(",")
            controllers = [name for name in offered if name in GROUP_FILES]
            if controllers and os.access(folder, os.W_OK):
                yield folder, controllers


def _controllers(folder: Path) -> list[str]:
    """Return the controllers that a group of version 2 enables for its subgroups."""
    enabled = folder / "cgroup.subtree_control"
    return enabled.read_text().split() if enabled.exists() else []


SLEEP_S = 0.0005


@cache
def own_processors() -> frozenset[int]:
    """Return the processors that this process was allowed to use at first; empty if affinity cannot be set."""
    return frozenset(os.sched_getaffinity(0) if sys.platform == "linux" else ())


def share_processor(pid: int, *, choose: bool = True) -> None:
    """Move this process and all threads of the process `pid` to one processor that is currently not busy.

    A referee and its player take turns, so that a second processor would gain nothing, and waking an idle one takes
    longer than most moves: a request and its reply took 9 microseconds on one processor and 80 on two (virtual machine,
    Linux 6.18).

    The system chooses the processor: it schedules a waking process where there is capacity. It does not always see that
    another referee and its player take turns on one, so that those of this process's siblings are left out.

    Args:
        pid: The process id.
        choose: Whether to choose a processor, which takes half a millisecond; otherwise this process stays where it is.
    """
    if not own_processors():
        return
    if choose:
        allowed = own_processors() - set(_processors_of_siblings()) or own_processors()
        os.sched_setaffinity(0, allowed)
        time.sleep(SLEEP_S)
        os.sched_setaffinity(0, {libc().sched_getcpu()} & allowed or allowed)
    _move_threads(pid, os.sched_getaffinity(0))


def _processors_of_siblings() -> Iterator[int]:
    """Yield the processors to which other processes of this process's parent, such as other referees, are pinned."""
    parent = os.getppid()
    try:
        siblings = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    except OSError:  # the kernel does not list them, or the parent has ended
        return
    for sibling in siblings:
        with suppress(ProcessLookupError):
            processors = os.sched_getaffinity(int(sibling))
            if int(sibling) != os.getpid() and len(processors) == 1:
                yield from processors


def pin_to_processor() -> None:
    """Pin this process, and all threads that it will start, to its current processor."""
    if own_processors():
        with suppress(OSError):
            os.sched_setaffinity(0, {libc().sched_getcpu()})


def release_processors() -> None:
    """Allow this process to use all its processors again."""
    if own_processors():
        os.sched_setaffinity(0, own_processors())


def _move_threads(pid: int, processors: set[int]) -> None:
    """Move all threads of the process, repeatedly, because threads that are not moved yet may start new ones."""
    moved: set[str] = set()
    with suppress(ProcessLookupError, FileNotFoundError):  # the process may have ended
        os.sched_setaffinity(pid, processors)
        moved.add(str(pid))
        while new := {task.name for task in Path(f"/proc/{pid}/task").iterdir()} - moved:
            for task in new:
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(int(task), processors)
            moved |= new


_SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
SHUTDOWN_S = 10.0


def adopt_orphans() -> None:
    """Make this process the parent of all descendants whose own parent ends (a child subreaper)."""
    libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_descendants() -> None:
    """Kill and reap all descendants of this process, which must have called `adopt_orphans`.

    All of them are suspended before the first one is killed. Because their number is limited, and a suspended process
    neither forks nor frees a slot for another one, this also stops fork bombs.
    """
    until = time.monotonic() + SHUTDOWN_S
    stopped: set[int] = set()
    while (running := set(descendants()) - stopped) and time.monotonic() < until:
        _signal(running, signal.SIGSTOP)
        stopped |= running
    while (left := set(descendants())) and time.monotonic() < until:
        _signal(left, signal.SIGKILL)
        _reap()
        time.sleep(0.001)


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def descendants() -> Iterator[int]:
    """Yield the process ids of this process's descendants, including zombies."""
    children: dict[int, list[int]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(process.name))
    pending = list(children.get(os.getpid(), []))
    while pending:
        pid = pending.pop()
        yield pid
        pending += children.get(pid, [])


def die_with_parent(parent: int, signal_: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to this process when its parent, the process `parent`, ends; on Linux only."""
    if sys.platform != "linux":
        return
    libc().prctl(_SET_PARENT_DEATH_SIGNAL, signal_)
    if os.getppid() != parent:  # the parent had already ended
        os.kill(os.getpid(), signal_)
