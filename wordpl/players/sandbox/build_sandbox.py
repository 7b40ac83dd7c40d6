"""The sandbox of a build command: it may start other programs and write to one folder, and all it started ends with it.

The process that runs this reads a job from standard input as JSON, starts the command in the sandbox, and outlives it
to end what it leaves.
"""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from wordpl.players.sandbox import (
    capabilities,
    descendants,
    fs_policy,
    landlock,
    namespaces,
    resource_limits,
    seccomp,
)
from wordpl.players.sandbox.build_watch import BuildWatch
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.parent_death_signal import die_with_parent
from wordpl.players.sandbox.policy import SandboxPolicy, allowed

MEMORY_MB = 4096
MAX_PROCESSES = 256
OPEN_FILES = 1024
CONFINED = (Level.A, Level.B)
"""The levels at which a build is confined; at the others it could write anywhere, and only trusted ones run."""
POLL_S = 0.01
TOO_MUCH, TOO_LONG = 123, 124  # the exit codes of a build that was ended


class Job(msgspec.Struct):
    """What is built where, and how many seconds it may take; `policy.user` is the build's own."""

    policy: SandboxPolicy
    command: list[str]
    timeout_s: float


def main() -> None:
    """Do the job that standard input describes, and end with its exit code."""
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
    signal.signal(signal.SIGTERM, _end)
    if sys.platform == "linux":
        die_with_parent(os.getppid(), signal.SIGTERM)
        descendants.adopt_orphans()
    pid = _fork(job.policy)
    if pid == 0:
        _become(job)
    watch = BuildWatch(Path(job.policy.built), max(job.policy.memory_mb, MEMORY_MB))
    until = time.monotonic() + job.timeout_s
    status: int | None = None
    excess = ""
    while status is None and not excess and time.monotonic() < until:
        ended, found = os.waitpid(pid, os.WNOHANG)
        if ended:
            status = found
        else:
            time.sleep(POLL_S)
            excess = watch.excess()
    descendants.end_all()
    if excess := excess or watch.excess_built():
        os.write(2, f"The build was ended: {excess}.\n".encode())
        sys.exit(TOO_MUCH)
    sys.exit(TOO_LONG if status is None else os.waitstatus_to_exitcode(status) & 0xFF)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    descendants.end_all()
    os._exit(TOO_LONG)


def _fork(policy: SandboxPolicy) -> int:
    """Fork; where this process may, into a pid namespace, which ends with the process that is first in it."""
    if policy.level == Level.B and os.geteuid() == 0:
        try:
            return namespaces.fork_init()
        except OSError:  # root of a container
            pass
    return os.fork()


def _become(job: Job) -> NoReturn:
    """Enter the sandbox and become the command."""
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
    """Hold this process, which may start others, for good: it may write to the policy's folder `built` alone.

    At C and D nothing but its memory is bounded. Raises OSError where the level's mechanisms are missing.
    """
    limits = resource_limits.of_player(max(policy.memory_mb, MEMORY_MB), max(policy.open_files, OPEN_FILES))
    resource_limits.be_killed_first()
    resource_limits.apply(limits)
    if policy.level not in CONFINED:
        return
    seccomp.forbid_new_privileges()
    rights = [(path, right) for path, right in allowed(policy) if path != Path(policy.built)]
    others = fs_policy.by_others(path for path, _ in rights)
    facts = [(path, landlock.READ) for path in fs_policy.facts()]
    landlock.apply([*rights, *facts, (Path(policy.built), landlock.EVERYTHING)])
    changed = capabilities.drop(capabilities.user_for(policy.user) if others else None)
    resource_limits.bound_threads(alone=changed or policy.level == Level.A, most=MAX_PROCESSES)
    signals = policy.level == Level.A or changed or landlock.version() >= landlock.SCOPES_SIGNALS
    seccomp.apply_to_build(signals=signals)
