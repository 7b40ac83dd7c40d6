"""Making what a program of a contestant's needs before it can play, once for all players below the same folder."""

import fcntl
import subprocess
import sys
from pathlib import Path

import msgspec

from wordpl.core import entry_files
from wordpl.core.entry_files import BUILD
from wordpl.core.words import HOME
from wordpl.players.sandbox import bubblewrap
from wordpl.players.sandbox.build_sandbox import Job
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy
from wordpl.strategy import EntryError

BUILD_S = 600
SHOWN_CHARACTERS = 2000


def build(file: Path, parent: Path, policy: SandboxPolicy) -> Path:
    """Return the folder in which what the TOML file's build command makes stands; an empty one where it has none.

    Raises EntryError with what the command printed, where it fails.
    """
    builds = parent / "builds"
    builds.mkdir(exist_ok=True)
    program, folder = entry_files.read_program(file), builds / entry_files.digest(file)
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


def _resolved(words: list[str], file: Path, built: Path) -> list[str]:
    return [str(entry_files.beside(file, word) or word.replace(BUILD, str(built))) for word in words]


def _run(words: list[str], file: Path, folder: Path, policy: SandboxPolicy) -> str:
    policy = msgspec.structs.replace(policy, built=str(folder))
    run = "from wordpl.players.sandbox import build_sandbox; build_sandbox.main()"
    start = f"import sys; sys.path.insert(0, {str(HOME)!r}); {run}"
    shell = [sys.executable, "-P", "-c", start]
    if policy.level == Level.A:
        shell = bubblewrap.command(shell, Path(policy.working), [file.parent], written=[folder])
    job = msgspec.json.encode(Job(policy, _resolved(words, file, folder))) + b"\n"
    try:
        done = subprocess.run(
            shell, input=job, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUILD_S, cwd=policy.working
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {BUILD_S} s."
    said = done.stdout.decode(errors="replace")[-SHOWN_CHARACTERS:]
    return "built" if done.returncode == 0 else f"{words[0]} ended with exit code {done.returncode}.\n{said}"
