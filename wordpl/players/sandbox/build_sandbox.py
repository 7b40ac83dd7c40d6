"""The sandbox of a build, which may start other programs and write to one folder.

The process that runs this module reads a job as JSON from standard input, runs the build command in the sandbox, and
finally kills all processes that it left behind.
"""

import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from math import inf
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from wordpl.players.sandbox import capabilities, descendants, fs_policy, namespaces, resource_limits, seccomp
from wordpl.players.sandbox.policy import Level, SandboxPolicy, allowed

MEMORY_MB = 4096
MAX_PROCESSES = 256
OPEN_FILES = 1024
CONFINED_LEVELS = (Level.A, Level.B)
"""The levels at which a build can only write to its folder; at other levels, only trusted builds run."""
POLL_S = 0.01
EXIT_TOO_MUCH, EXIT_TOO_LONG = 123, 124  # exit codes of builds that were stopped
MAX_BUILT_MB = 2048
MAX_FILES = 50_000
MAX_DEPTH = 60
"""The maximum depth of nested folders; the paths of deeper ones would be too long for programs."""
INTERVAL_S = 0.25
ANSWER_S = 2.0
"""The time that a child gets to read the memory of a build's processes."""
_MEMORY = re.compile(rb"^(?:Rss|Pss_)(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)


class Job(msgspec.Struct):
    """A build to run.

    Attributes:
        policy: The sandbox policy; its `user` is the user that runs the build.
        command: The build command.
        timeout_s: The time limit in seconds.
    """

    policy: SandboxPolicy
    command: list[str]
    timeout_s: float


def main() -> None:
    """Run the job described on standard input, and exit with its exit code."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    signal.signal(signal.SIGTERM, _end)
    if sys.platform == "linux":
        descendants.die_with_parent(os.getppid(), signal.SIGTERM)
        descendants.adopt_orphans()
    pid = _fork(job.policy)
    if pid == 0:
        _exec_command(job)
    user = capabilities.user_for(job.policy.user) if os.geteuid() == 0 else None
    watch = BuildWatch(Path(job.policy.built), max(job.policy.memory_mb, MEMORY_MB), user)
    until = time.monotonic() + job.timeout_s
    status: int | None = None
    excess = ""
    while status is None and not excess and time.monotonic() < until:
        ended, wait_status = os.waitpid(pid, os.WNOHANG)
        if ended:
            status = wait_status
        else:
            time.sleep(POLL_S)
            excess = watch.excess()
    descendants.kill_all()
    if excess := excess or watch.excess_built():
        os.write(2, f"The build was stopped: {excess}.\n".encode())
        sys.exit(EXIT_TOO_MUCH)
    sys.exit(EXIT_TOO_LONG if status is None else os.waitstatus_to_exitcode(status) & 0xFF)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    descendants.kill_all()
    os._exit(EXIT_TOO_LONG)


def _fork(policy: SandboxPolicy) -> int:
    """Fork, into a new pid namespace if possible, whose processes are all killed when its first process ends."""
    if policy.level == Level.B and os.geteuid() == 0:
        try:
            return namespaces.fork_init()
        except OSError:  # for example, in a container
            pass
    return os.fork()


def _exec_command(job: Job) -> NoReturn:
    """Enter the sandbox and execute the command; this function does not return."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.closerange(3, resource_limits.max_open_files())
        enter(job.policy)
        os.chdir(job.policy.built)
        os.execvp(job.command[0], job.command)
    except OSError as error:
        os.write(2, f"{job.command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def enter(policy: SandboxPolicy) -> None:
    """Irrevocably restrict this process and its descendants: they can only write to the policy's folder `built`.

    At levels C and D, only resources are limited.

    Raises:
        OSError: A mechanism of the level is not available.
    """
    limits = resource_limits.player_limits(max(policy.memory_mb, MEMORY_MB), max(policy.open_files, OPEN_FILES))
    resource_limits.prefer_for_oom_kill()
    resource_limits.apply(limits)
    if policy.level not in CONFINED_LEVELS:
        return
    seccomp.forbid_new_privileges()
    rights = [(path, right) for path, right in allowed(policy) if path != Path(policy.built)]
    readable_by_others = fs_policy.readable_by_others(path for path, _ in rights)
    facts = [(path, fs_policy.READ) for path in fs_policy.info_files()]
    fs_policy.restrict_files([*rights, *facts, (Path(policy.built), fs_policy.EVERYTHING)])
    changed = capabilities.drop(capabilities.user_for(policy.user) if readable_by_others else None)
    resource_limits.limit_threads(alone=changed or policy.level == Level.A, most=MAX_PROCESSES)
    signals = policy.level == Level.A or changed or fs_policy.landlock_version() >= fs_policy.SCOPES_SIGNALS
    seccomp.apply_to_build(signals=signals)


class BuildWatch:
    """Regularly checks the memory and disk space that all processes of a build use together.

    Resource limits apply to each process alone.
    """

    def __init__(self, folder: Path, memory_mb: int, user: int | None = None):
        """Start watching a build.

        Args:
            folder: The folder to which the build may write.
            memory_mb: The limit of its total memory in MiB.
            user: The user that runs the build, if this process is root and may not look into processes of others.
        """
        self._folder, self._max_bytes, self._user = folder, memory_mb << 20, user
        self._free = resource_limits.FreeSpace(folder)
        self._checked_at = 0.0

    def excess(self) -> str:
        """Return which limit the build exceeds; "" if none, or if the last check was less than INTERVAL_S ago."""
        now = time.monotonic()
        if now < self._checked_at + INTERVAL_S:
            return ""
        self._checked_at = now
        if self._uses_too_much():
            return f"it uses more than {self._max_bytes >> 20:,} MiB of memory"
        if self._free.is_short():
            return "it leaves too little disk space"
        return self.excess_built()

    def _uses_too_much(self) -> bool:
        pids = list(descendants.ids())
        if _memory("status", pids) <= self._max_bytes or _memory("smaps_rollup", pids) <= self._max_bytes:
            return False
        return self._user is None or _memory_as(self._user, pids) > self._max_bytes

    def excess_built(self) -> str:
        """Return which limit the content of the folder exceeds; "" if none."""
        n_files, n_bytes, unvisited = 0, 0, [(self._folder, 0)]
        while unvisited:
            folder, depth = unvisited.pop()
            if depth > MAX_DEPTH:
                return f"it creates folders nested more than {MAX_DEPTH} levels deep"
            try:
                entries = _listed(folder)
            except PermissionError:
                return "it creates a folder that cannot be read"
            for entry in entries:
                n_files += 1
                n_bytes += _size(entry)
                if entry.is_dir(follow_symlinks=False):
                    unvisited.append((Path(entry.path), depth + 1))
            if n_files > MAX_FILES:
                return f"it creates more than {MAX_FILES:,} files"
            if n_bytes > MAX_BUILT_MB << 20:
                return f"it writes more than {MAX_BUILT_MB:,} MiB"
        return ""


def _listed(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as listed:
            return list(listed)
    except (FileNotFoundError, NotADirectoryError):  # removed meanwhile
        return []


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return 512 * entry.stat(follow_symlinks=False).st_blocks
    except OSError:
        return 0


def _memory_as(user: int, pids: list[int]) -> float:
    """Return the memory of these processes as `_memory` counts it in a child that runs as their user.

    The processes may stop or kill the child, but cannot look into it. Without its answer, the memory is infinite.
    """
    answer, sender = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            capabilities.drop(user)
            os.write(sender, b"%d" % _memory("smaps_rollup", pids))
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(answer, "rb") as file:
        select.select([file], [], [], ANSWER_S)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        text = file.read()
    return int(text) if text else inf


def _memory(table: str, pids: Iterable[int]) -> int:
    """Return the memory of these processes in bytes.

    Args:
        table: The file of a process that tells it: "status" is fast, but counts a page once for each process that has
            it since a fork; "smaps_rollup" counts it once, or is as "status" where it cannot be read.
        pids: The ids of the processes.
    """
    total_kb = 0
    for pid in pids:
        for name in dict.fromkeys((table, "status")):
            with suppress(OSError):  # it has ended, or is not ours to look into
                if sizes := _MEMORY.findall(Path(f"/proc/{pid}/{name}").read_bytes()):
                    total_kb += sum(map(int, sizes))
                    break
    return total_kb << 10
