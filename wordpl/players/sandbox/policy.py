"""The four sandbox levels of players.

A player's process applies the policy of its level to itself before it runs untrusted code.
"""

import resource
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from wordpl.players.sandbox import capabilities, fs_policy, resource_limits, seccomp
from wordpl.players.sandbox.descendants import die_with_parent
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


class Prepared(NamedTuple):
    """The parts of a policy that all players share.

    Attributes:
        rights: The accessible paths with their Landlock rights.
        readable_by_others: Whether all users can read these paths.
    """

    rights: list[tuple[Path, int]]
    readable_by_others: bool


_prepared: dict[SandboxPolicy, Prepared] = {}  # only for the latest policy


def prepare(policy: SandboxPolicy) -> Prepared:
    """Return what all players with this policy share; a fork server calls this before it forks the first one."""
    if policy not in _prepared:
        _prepared.clear()
        rights = list(allowed(policy))
        readable_by_others = fs_policy.readable_by_others(path for path, _ in rights)
        _prepared[policy] = Prepared(rights, readable_by_others)
    return _prepared[policy]


def enter_sandbox(policy: SandboxPolicy, parent: int) -> None:
    """Irrevocably apply the policy to this process, which also ends when its parent ends.

    Args:
        parent: The id of the parent process.

    Raises:
        OSError: A mechanism of the level is not available.
    """
    resource_limits.prefer_for_oom_kill()
    resource_limits.apply(resource_limits.player_limits(policy.memory_mb, policy.open_files))
    if policy.level == Level.D:
        resource_limits.limit_threads(alone=False)
        die_with_parent(parent)
        return
    if policy.writes:
        # One byte more, to detect that the limit was exceeded.
        resource_limits.apply({resource.RLIMIT_FSIZE: bundle.MAX_BYTES + 1})
    seccomp.forbid_new_privileges()
    rights, readable_by_others = prepare(policy)
    if policy.level <= Level.B:
        fs_policy.restrict_files([*rights, *((path, fs_policy.READ) for path in fs_policy.info_files())])
    changed = capabilities.drop(capabilities.user_for(policy.user) if readable_by_others else None)
    resource_limits.limit_threads(alone=changed or policy.level == Level.A)
    die_with_parent(parent)  # after changing the user, which resets this setting
    seccomp.apply_to_player(programs=policy.program, writes=policy.level <= Level.B, fills=policy.writes)


def allowed(policy: SandboxPolicy) -> Iterator[tuple[Path, int]]:
    """Yield the paths that a player may access with their Landlock rights, without hidden paths and /proc."""
    code = fs_policy.RUN if policy.program else fs_policy.READ
    hidden = fs_policy.HiddenPaths(map(Path, policy.hidden))
    for root in [*fs_policy.interpreter(), *map(Path, fs_policy.SYSTEM)]:
        yield from ((path, code) for path in fs_policy.readable(root, hidden))
    shipped = [Path(policy.shipped)] if policy.shipped else []
    for root in [*fs_policy.project(), *shipped]:
        yield from ((path, fs_policy.READ) for path in fs_policy.readable(root, hidden))
    for own in filter(None, (policy.working, policy.built)):
        yield from ((path, code) for path in fs_policy.readable(Path(own), hidden))
    if policy.writes:
        yield Path(policy.working), fs_policy.FILL
    for name in fs_policy.DEVICES:
        yield Path(name), fs_policy.USE
