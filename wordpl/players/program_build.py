"""Making what a program of a contestant's needs before it can play, once for all players below the same folder."""

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

from wordpl.core import entry_files, paths
from wordpl.core.entry_files import BUILD
from wordpl.players.sandbox import bubblewrap, build_sandbox, fs_policy
from wordpl.players.sandbox.build_sandbox import CONFINED, Job
from wordpl.players.sandbox.cgroup import Cgroup
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy, allowed
from wordpl.strategy import EntryError

BUILD_S = 600.0
LEAVING_S = 20.0  # how long the sandbox may take to end what a build left
SHOWN_CHARACTERS = 2000
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL")
BUILDER = 1 << 24
"""Added to the number of the players' user, it is that of the user who builds."""
NOT_CONFINED = (
    "its build is not run: at level {level} nothing keeps it from writing files. Builds run at levels A and B, and "
    "anywhere with --trust"
)


def build(file: Path, parent: Path, policy: SandboxPolicy, *, trusted: bool = False) -> Path:
    """Return the folder in which what the TOML file's build command makes lies; an empty one where it has none.

    trusted: whether it may be built where nothing confines it

    Raises EntryError with what the command printed where it fails, or why it was not run.
    """
    builds = parent / "builds"
    builds.mkdir(exist_ok=True)
    program, folder = entry_files.read_program(file), builds / entry_files.digest(file)
    if program.build and policy.level not in CONFINED and not trusted:
        raise EntryError(f"{NOT_CONFINED.format(level=policy.level)}.")
    with (builds / f".{folder.name}").open("a+") as notes:
        fcntl.flock(notes, fcntl.LOCK_EX)  # a second worker waits for the first
        notes.seek(0)
        outcome = notes.read()
        if not outcome:
            folder.mkdir(exist_ok=True)
            outcome = _run(program.build, file, folder, policy) if program.build else "built"
            notes.write(outcome)
    if outcome != "built":
        raise EntryError(f"its build failed: {outcome}")
    return folder


def command(file: Path, built: Path) -> list[str]:
    """Return the words that run the program."""
    return _resolved(entry_files.read_program(file).command, file, built)


def changes_user(policy: SandboxPolicy, file: Path) -> bool:
    """Return whether what is held by the policy becomes another user: where root plays, and others can read enough."""
    if os.geteuid() != 0 or not policy.user:
        return False
    bound = [*fs_policy.roots(), Path(policy.working), file.parent] if policy.level == Level.A else [Path("/")]
    return fs_policy.by_others([path for path, _ in allowed(policy)], bound)


def _resolved(words: list[str], file: Path, built: Path) -> list[str]:
    return [str(entry_files.sibling(file, word) or word.replace(BUILD, str(built))) for word in words]


def _run(words: list[str], file: Path, folder: Path, policy: SandboxPolicy) -> str:
    """Run the build and return "built", or what went wrong."""
    policy = msgspec.structs.replace(policy, built=str(folder), program=True)
    user = policy.user + BUILDER if changes_user(policy, file) else 0
    policy = msgspec.structs.replace(policy, user=user)
    job = Job(policy, _resolved(words, file, folder), BUILD_S)
    if user:
        os.chown(folder, user, user)
    group = Cgroup(build_sandbox.MEMORY_MB)
    with TemporaryFile() as output:
        code = -1
        try:
            code = _wait(group.command(_sandboxed(job, file)), job, output.fileno())
        finally:
            group.close()
            if code == 0:
                _settle(folder)
            else:
                _remove(folder)
        if code == 0:
            return "built"
        if code == build_sandbox.TOO_LONG:
            return f"it took more than {BUILD_S:g} s."
        output.seek(max(0, output.seek(0, os.SEEK_END) - 4 * SHOWN_CHARACTERS))
        said = output.read().decode(errors="replace")[-SHOWN_CHARACTERS:]
    return f"{words[0]} ended with exit code {code}.\n{said}"


def _sandboxed(job: Job, file: Path) -> list[str]:
    run = "from wordpl.players.sandbox import build_sandbox; build_sandbox.main()"
    start = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); {run}"
    words = [sys.executable, "-P", "-c", start]
    if job.policy.level != Level.A:
        return words
    hidden = [Path(one) for one in job.policy.hidden]
    view = bubblewrap.View(Path(job.policy.working), [file.parent], [Path(job.policy.built)], hidden)
    return bubblewrap.command(words, view, forks_players=False)


def _wait(words: list[str], job: Job, output: int) -> int:
    """Return the exit code of the sandbox; whatever interrupts this, the sandbox ends first."""
    variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    process = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        cwd=job.policy.working,
        env={**variables, "HOME": job.policy.built, "TMPDIR": job.policy.built},
        start_new_session=True,  # Ctrl-C is for the referee, which then ends its builds
    )
    try:
        process.communicate(msgspec.json.encode(job) + b"\n", timeout=job.timeout_s + LEAVING_S)
    except subprocess.TimeoutExpired:
        return build_sandbox.TOO_LONG
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(LEAVING_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    return process.returncode


def _remove(folder: Path) -> None:
    """Remove what a failed build left, however deep its folders are: Python's own means would not get to their ends."""
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*words, "--", folder], stderr=subprocess.DEVNULL)


def _settle(folder: Path) -> None:
    """Have everybody read what was built, and nobody own it but the referee's user; pipes and sockets are removed."""
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
        yield from (Path(name, one) for one in [*folders, *files])
