"""All that holds a player, applied to its process by itself, before it runs a line that is not the harness's."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from wordpl.players.sandbox import capabilities, fs_policy, landlock, resource_limits, seccomp
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.parent_death_signal import die_with_parent

BUILD_MB = 4096


class SandboxPolicy(Struct, frozen=True):
    """What one player is held by.

    folder: where its file lies, which it may read; working: its working directory
    hidden: folders it must not read even where they lie inside
    program: whether it executes a program of its own instead of Python code; built: the folder made for that
    """

    level: Level
    memory_mb: int
    open_files: int
    folder: str
    working: str
    hidden: tuple[str, ...] = ()
    program: bool = False
    built: str = ""


def enter_sandbox(policy: SandboxPolicy, parent: int) -> None:
    """Hold this process to the policy's terms, for good; it ends with the process `parent`.

    Raises OSError where the level's mechanisms are missing.
    """
    resource_limits.apply(policy.memory_mb, policy.open_files)
    if policy.level == Level.D:
        die_with_parent(parent)
        return
    seccomp.forbid_new_privileges()
    rights = list(_rights(policy))
    nobody = fs_policy.by_others(path for path, _ in rights)
    if policy.level <= Level.B:
        landlock.apply(rights)
    capabilities.drop(to_nobody=nobody)
    die_with_parent(parent)  # only now: becoming another user would undo it
    seccomp.apply(programs=policy.program, writes=policy.level <= Level.B)


def enter_build_sandbox(policy: SandboxPolicy) -> None:
    """Hold this process, which may start others, to writing in the policy's folder `built` alone, for good."""
    resource_limits.apply(max(policy.memory_mb, BUILD_MB), policy.open_files)
    os.environ["TMPDIR"] = os.environ["HOME"] = policy.built
    if policy.level <= Level.B:
        seccomp.forbid_new_privileges()
        policy = structs.replace(policy, program=True)
        landlock.apply([*_rights(policy), (Path("/proc"), landlock.READ), (Path(policy.built), landlock.EVERYTHING)])


def _rights(policy: SandboxPolicy) -> Iterator[tuple[Path, int]]:
    """Yield the paths a player needs with what it may do there."""
    code = landlock.RUN if policy.program else landlock.READ
    for path in [*fs_policy.interpreter(), *map(Path, fs_policy.SYSTEM)]:
        yield path, code
    for path in [*fs_policy.project(), Path(policy.working), *map(Path, fs_policy.FACTS), Path(f"/proc/{os.getpid()}")]:
        yield path, landlock.READ
    if policy.built:
        yield Path(policy.built), code
    for name in fs_policy.DEVICES:
        yield Path(name), landlock.USE
    folder, hidden = Path(policy.folder), [Path(one) for one in policy.hidden]
    yield folder, landlock.READ_DIRECTORY
    for path in fs_policy.beside(folder, hidden):
        yield path, code
