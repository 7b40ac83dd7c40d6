"""All that holds a player, applied to its process by itself, before it runs a line that is not the harness's."""

import resource
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from wordpl.core import entry_caches
from wordpl.players.sandbox import capabilities, fs_policy, landlock, resource_limits, seccomp
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.parent_death_signal import die_with_parent


class SandboxPolicy(Struct, frozen=True):
    """What one player is held by.

    folder: where its file lies, which it may read; working: its working directory
    hidden: resolved paths that it must not read even where they lie inside what it may read
    program: whether it executes a program of its own instead of Python code; built: the folder made for that
    fills: whether it may write to the folder strategies/ of its working directory: no game is played yet
    user: the number of a user that nobody else has, for players of a referee that is root; 0: nobody
    """

    level: Level
    memory_mb: int
    open_files: int
    folder: str
    working: str
    hidden: tuple[str, ...] = ()
    program: bool = False
    built: str = ""
    fills: bool = False
    user: int = 0


class Prepared(NamedTuple):
    """What of a policy is the same for every player: its rights on paths, and whether any user may read these."""

    rights: list[tuple[Path, int]]
    by_others: bool


_prepared: dict[SandboxPolicy, Prepared] = {}  # of the policy that was asked for last


def prepare(policy: SandboxPolicy) -> Prepared:
    """Return what all players held by the policy share; a fork server calls this once, before it forks the first."""
    if policy not in _prepared:
        _prepared.clear()
        rights = list(allowed(policy))
        _prepared[policy] = Prepared(rights, fs_policy.by_others(path for path, _ in rights))
    return _prepared[policy]


def enter_sandbox(policy: SandboxPolicy, parent: int) -> None:
    """Hold this process to the policy's terms, for good; it ends with the process `parent`.

    Raises OSError where the level's mechanisms are missing.
    """
    resource_limits.be_killed_first()
    resource_limits.apply(resource_limits.of_player(policy.memory_mb, policy.open_files))
    if policy.level == Level.D:
        resource_limits.bound_threads(alone=False)
        die_with_parent(parent)
        return
    if policy.fills:
        resource_limits.apply({resource.RLIMIT_FSIZE: entry_caches.MAX_BYTES + 1})  # one more shows that it was reached
    seccomp.forbid_new_privileges()
    rights, others = prepare(policy)
    if policy.level <= Level.B:
        landlock.apply([*rights, *((path, landlock.READ) for path in fs_policy.facts())])
    changed = capabilities.drop(capabilities.user_for(policy.user) if others else None)
    resource_limits.bound_threads(alone=changed or policy.level == Level.A)
    die_with_parent(parent)  # only now: becoming another user would undo it
    seccomp.apply_to_player(programs=policy.program, writes=policy.level <= Level.B, fills=policy.fills)


def allowed(policy: SandboxPolicy) -> Iterator[tuple[Path, int]]:
    """Yield the paths that a player needs, without what is hidden, with what it may do there; apart from /proc."""
    code = landlock.RUN if policy.program else landlock.READ
    hidden = fs_policy.HiddenPaths(map(Path, policy.hidden))
    for root in [*fs_policy.interpreter(), *map(Path, fs_policy.SYSTEM)]:
        yield from ((path, code) for path in fs_policy.readable(root, hidden))
    for root in [*fs_policy.project(), Path(policy.working)]:
        yield from ((path, landlock.READ) for path in fs_policy.readable(root, hidden))
    if policy.built:
        yield from ((path, code) for path in fs_policy.readable(Path(policy.built), hidden))
    if policy.fills:
        yield Path(policy.working, fs_policy.STRATEGIES), landlock.FILL
    for name in fs_policy.DEVICES:
        yield Path(name), landlock.USE
    folder = Path(policy.folder)
    for place, rights in ((fs_policy.strategies(), landlock.READ), (folder, code)):
        if fs_policy.may_be_listed(place, hidden):
            yield place, landlock.READ_DIRECTORY
        yield from ((path, rights) for path in fs_policy.beside(place, hidden))
