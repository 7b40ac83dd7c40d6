"""Building a contestant's program before it can play, once for all players below the same folder.

A build is kept under the digest of all files of its entry. Until it has ended, no other user can enter its folder.
"""

import fcntl
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from wordpl.core import paths
from wordpl.players.sandbox import build_sandbox, fs_policy, namespaces
from wordpl.players.sandbox.build_sandbox import CONFINED_LEVELS, Job
from wordpl.players.sandbox.policy import Level, SandboxPolicy, allowed
from wordpl.players.sandbox.resource_limits import Cgroup
from wordpl.run.bundle import BUILD, Program
from wordpl.strategy import EntryError

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


def build(file: Path, parent: Path, policy: SandboxPolicy, digest: str, *, trusted: bool = False) -> Path:
    """Run the build command of a program, unless that has been done, and return the folder with its results.

    Args:
        file: The TOML file of the program, in its working directory.
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
    program, folder = Program.read(file), builds / digest / "built"
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


def command(file: Path, built: Path) -> list[str]:
    """Return the command line that runs the program."""
    return _resolved(Program.read(file).command, file, built)


def changes_user(policy: SandboxPolicy) -> bool:
    """Return whether sandboxed processes run as another user: if this is root, and other users can read all files."""
    if os.geteuid() != 0 or not policy.user:
        return False
    bound = [*fs_policy.roots(), Path(policy.working).parent] if policy.level == Level.A else [Path("/")]
    return fs_policy.readable_by_others([path for path, _ in allowed(policy)], bound)


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
    job = Job(policy, _resolved(words, file, folder), BUILD_S)
    if user:
        for path in (folder.parent, folder):
            os.chown(path, user, user)
    group = Cgroup(build_sandbox.MEMORY_MB)
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
        if code == build_sandbox.EXIT_TOO_LONG:
            return f"it took more than {BUILD_S:g} s."
        output.seek(max(0, output.seek(0, os.SEEK_END) - 4 * SHOWN_CHARACTERS))
        printed = output.read().decode(errors="replace")[-SHOWN_CHARACTERS:]
    return f"{words[0]} ended with exit code {code}.\n{printed}"


def _sandbox_command(job: Job) -> list[str]:
    run = "from wordpl.players.sandbox import build_sandbox; build_sandbox.main()"
    start = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); {run}"
    words = [sys.executable, "-P", "-c", start]
    if job.policy.level != Level.A:
        return words
    hidden = [Path(path) for path in job.policy.hidden]
    working, built = Path(job.policy.working), Path(job.policy.built)
    view = namespaces.View(working, [Path(job.policy.shipped)] if job.policy.shipped else [], [built], hidden)
    return namespaces.bubblewrap_command(words, view, forks_players=False)


def _wait(words: list[str], job: Job, output: int) -> int:
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
        return build_sandbox.EXIT_TOO_LONG
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
    for path in [folder, *_below(folder)]:
        mode = path.lstat().st_mode
        if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            path.unlink()
            continue
        if os.geteuid() == 0:
            os.chown(path, 0, 0, follow_symlinks=False)
        if not stat.S_ISLNK(mode):
            executable = 0o111 if stat.S_ISDIR(mode) or mode & 0o111 else 0
            path.chmod(0o644 | executable)


def _below(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        yield from (Path(name, child) for child in [*folders, *files])
