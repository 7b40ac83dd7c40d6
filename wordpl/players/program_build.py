"""Building programs, in a sandbox that may start other programs and write to one folder.

A program is built before it can play, once for all players below the same folder, and kept under the digest of all
files of its entry. Until the build has ended, no other user can enter its folder. It runs in a process of its own
(`run_build`), which finally kills all processes that the build left behind.
"""

import fcntl
import os
import re
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from math import inf
from pathlib import Path
from tempfile import TemporaryFile
from types import FrameType
from typing import NoReturn

import msgspec

from wordpl.core import current_folder
from wordpl.players.sandbox import levels, namespaces, processes, system_calls
from wordpl.players.sandbox.levels import Level, SandboxPolicy, allowed
from wordpl.players.sandbox.processes import Cgroup
from wordpl.run.bundle import BUILD, Program
from wordpl.strategy import EntryError

BUILD_MB = 4096
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


class BuildJob(msgspec.Struct):
    """A build to run.

    Attributes:
        policy: The sandbox policy; its `user` is the user that runs the build.
        command: The build command.
        timeout_s: The time limit in seconds.
    """

    policy: SandboxPolicy
    command: list[str]
    timeout_s: float


def run_build() -> None:
    """Run the job described on standard input, and exit with its exit code."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=BuildJob)
    signal.signal(signal.SIGTERM, _end)
    if sys.platform == "linux":
        processes.die_with_parent(os.getppid(), signal.SIGTERM)
        processes.adopt_orphans()
    pid = _fork(job.policy)
    if pid == 0:
        _exec_command(job)
    user = (job.policy.user or levels.NOBODY) if os.geteuid() == 0 else None
    watch = BuildWatch(Path(job.policy.built), max(job.policy.memory_mb, BUILD_MB), user)
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
    processes.kill_descendants()
    if excess := excess or watch.excess_built():
        os.write(2, f"The build was stopped: {excess}.\n".encode())
        sys.exit(EXIT_TOO_MUCH)
    sys.exit(EXIT_TOO_LONG if status is None else os.waitstatus_to_exitcode(status) & 0xFF)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    processes.kill_descendants()
    os._exit(EXIT_TOO_LONG)


def _fork(policy: SandboxPolicy) -> int:
    """Fork, into a new pid namespace if possible, whose processes are all killed when its first process ends."""
    if policy.level == Level.B and os.geteuid() == 0:
        try:
            return namespaces.fork_init()
        except OSError:  # for example, in a container
            pass
    return os.fork()


def _exec_command(job: BuildJob) -> NoReturn:
    """Enter the sandbox and execute the command; this function does not return."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.closerange(3, processes.max_open_files())
        enter_build_sandbox(job.policy)
        os.chdir(job.policy.built)
        os.execvp(job.command[0], job.command)
    except OSError as error:
        os.write(2, f"{job.command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def enter_build_sandbox(policy: SandboxPolicy) -> None:
    """Irrevocably restrict this process and its descendants: they can only write to the policy's folder `built`.

    At levels C and D, only resources are limited.

    Raises:
        OSError: A mechanism of the level is not available.
    """
    limits = processes.player_limits(max(policy.memory_mb, BUILD_MB), max(policy.open_files, OPEN_FILES))
    processes.prefer_for_oom_kill()
    processes.apply_limits(limits)
    if policy.level not in CONFINED_LEVELS:
        return
    system_calls.forbid_new_privileges()
    rights = [(path, right) for path, right in allowed(policy) if path != policy.built]
    readable_by_others = levels.readable_by_others(path for path, _ in rights)
    facts = [(path, levels.READ) for path in levels.INFO_FILES]
    levels.restrict_files([*rights, *facts, (policy.built, levels.EVERYTHING)])
    changed = levels.drop_privileges(policy.user or levels.NOBODY if readable_by_others else None)
    processes.limit_threads(alone=changed or policy.level == Level.A, most=MAX_PROCESSES)
    signals = policy.level == Level.A or changed or levels.landlock_version() >= levels.SCOPES_SIGNALS
    system_calls.restrict(system_calls.filter_program(*system_calls.build_calls(signals=signals)))


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
        self._free = processes.FreeSpace(folder)
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
        pids = list(processes.descendants())
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
            levels.drop_privileges(user)
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


BUILD_S = 600.0
SHUTDOWN_S = 20.0
"""The time that the sandbox may take to stop the processes of a build."""
SHOWN_CHARACTERS = 2000
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL")
BUILD_USER_OFFSET = 1 << 24
"""The difference between the user ids of builds and of players."""
UNCONFINED_MESSAGE = (
    "its build cannot run: at sandbox level {level}, it could write to any file. Builds run at levels A and B, and "
    "anywhere with --trust"
)


def build(
    program: Program, file: Path, parent: Path, policy: SandboxPolicy, digest: str, *, trusted: bool = False
) -> Path:
    """Run the build command of a program, unless that has been done, and return the folder with its results.

    Args:
        program: The program.
        file: Its TOML file, in its working directory.
        parent: The folder that contains the folder for builds.
        policy: The sandbox policy.
        digest: The digest of all files of the entry.
        trusted: Whether to run the build even if the sandbox cannot confine it.

    Returns:
        The build folder, which is empty if the program has no build command.

    Raises:
        EntryError: The build failed or cannot run; the message includes its output.
    """
    builds = parent / "builds"
    builds.mkdir(exist_ok=True)
    folder = builds / digest / "built"
    if program.build and policy.level not in CONFINED_LEVELS and not trusted:
        raise EntryError(f"{UNCONFINED_MESSAGE.format(level=policy.level)}.")
    with (builds / f".{folder.parent.name}").open("a+") as notes:
        fcntl.flock(notes, fcntl.LOCK_EX)  # only one worker builds, and the others wait
        notes.seek(0)
        outcome = notes.read()
        if not outcome:
            folder.parent.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(exist_ok=True)
            outcome = _run(program.build, file, folder, policy) if program.build else "built"
            folder.parent.chmod(0o755)
            notes.write(outcome)
    if outcome != "built":
        raise EntryError(f"its build failed: {outcome}")
    return folder


def command(program: Program, file: Path, built: Path) -> list[str]:
    """Return the command line that runs the program, which this TOML file describes."""
    return _resolved(program.command, file, built)


def changes_user(policy: SandboxPolicy) -> bool:
    """Return whether sandboxed processes run as another user: if this is root, and other users can read all files."""
    if os.geteuid() != 0 or not policy.user:
        return False
    bound = [*levels.roots(), Path(policy.working).parent] if policy.level == Level.A else [Path("/")]
    return levels.readable_by_others([path for path, _ in allowed(policy)], bound)


def _resolved(words: list[str], file: Path, built: Path) -> list[str]:
    return [str(_own_file(file, word) or word.replace(BUILD, str(built))) for word in words]


def _own_file(file: Path, word: str) -> Path | None:
    """Return the file of the entry that a word of a command names; None if it names none."""
    try:
        path = (file.parent / word).resolve()
        return path if path.is_file() and path.is_relative_to(file.parent.resolve()) else None
    except (OSError, ValueError):  # for example, the word is too long for a file name
        return None


def _run(words: list[str], file: Path, folder: Path, policy: SandboxPolicy) -> str:
    """Run the build; return "built", or a description of what went wrong."""
    user = policy.user + BUILD_USER_OFFSET if changes_user(policy) else 0
    policy = msgspec.structs.replace(policy, built=str(folder), program=True, user=user)
    job = BuildJob(policy, _resolved(words, file, folder), BUILD_S)
    if user:
        for path in (folder.parent, folder):
            os.chown(path, user, user)
    group = Cgroup(BUILD_MB)
    with TemporaryFile() as output:
        code = -1
        try:
            code = _wait(group.command(_sandbox_command(job)), job, output.fileno())
        finally:
            group.close()
            if code == 0:
                _make_readable(folder)
            else:
                _remove(folder)
            if user:
                os.chown(folder.parent, os.geteuid(), os.getegid())
        if code == 0:
            return "built"
        if code == EXIT_TOO_LONG:
            return f"it took more than {BUILD_S:g} s."
        output.seek(max(0, output.seek(0, os.SEEK_END) - 4 * SHOWN_CHARACTERS))
        printed = output.read().decode(errors="replace")[-SHOWN_CHARACTERS:]
    return f"{words[0]} ended with exit code {code}.\n{printed}"


def _sandbox_command(job: BuildJob) -> list[str]:
    words = current_folder.python_command("players.program_build", "run_build()")
    if job.policy.level != Level.A:
        return words
    hidden = [Path(path) for path in job.policy.hidden]
    working, built = Path(job.policy.working), Path(job.policy.built)
    view = namespaces.View(working, [Path(job.policy.shipped)] if job.policy.shipped else [], [built], hidden)
    return namespaces.bubblewrap_command(words, view, forks_players=False)


def _wait(words: list[str], job: BuildJob, output: int) -> int:
    """Run the sandbox and return its exit code; if this is interrupted, the sandbox is stopped first."""
    variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    process = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        cwd=job.policy.working,
        env={**variables, "HOME": job.policy.built, "TMPDIR": job.policy.built},
        start_new_session=True,  # the referee handles Ctrl-C and then stops its builds
    )
    try:
        process.communicate(msgspec.json.encode(job) + b"\n", timeout=job.timeout_s + SHUTDOWN_S)
    except subprocess.TimeoutExpired:
        return EXIT_TOO_LONG
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(SHUTDOWN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    return process.returncode


def _remove(folder: Path) -> None:
    """Remove the files of a failed build, whose folders may be too deep for Python's functions."""
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*words, "--", folder], stderr=subprocess.DEVNULL)


def _make_readable(folder: Path) -> None:
    """Make the results of a build readable for everybody and owned by the referee's user; remove special files."""
    inside = (Path(name, child) for name, folders, files in os.walk(folder) for child in [*folders, *files])
    for path in [folder, *inside]:
        mode = path.lstat().st_mode
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            path.unlink()
            continue
        if os.geteuid() == 0:
            os.chown(path, 0, 0, follow_symlinks=False)
        if not stat.S_ISLNK(mode):
            executable = 0o111 if stat.S_ISDIR(mode) or mode & 0o111 else 0
            path.chmod(0o644 | executable)
