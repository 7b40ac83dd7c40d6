"""The sandbox of a build, which may start other programs and write to one folder.

The process that runs this module reads a job as JSON from standard input, runs the build command in the sandbox, and
finally kills all processes that it left behind.
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
CONFINED_LEVELS = (Level.A, Level.B)
"""The levels at which a build can only write to its folder; at other levels, only trusted builds run."""
POLL_S = 0.01
EXIT_TOO_MUCH, EXIT_TOO_LONG = 123, 124  # exit codes of builds that were stopped


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
        die_with_parent(os.getppid(), signal.SIGTERM)
        descendants.adopt_orphans()
    pid = _fork(job.policy)
    if pid == 0:
        _exec_command(job)
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
    others = fs_policy.readable_by_others(path for path, _ in rights)
    facts = [(path, landlock.READ) for path in fs_policy.info_files()]
    landlock.apply([*rights, *facts, (Path(policy.built), landlock.EVERYTHING)])
    changed = capabilities.drop(capabilities.user_for(policy.user) if others else None)
    resource_limits.limit_threads(alone=changed or policy.level == Level.A, most=MAX_PROCESSES)
    signals = policy.level == Level.A or changed or landlock.version() >= landlock.SCOPES_SIGNALS
    seccomp.apply_to_build(signals=signals)
