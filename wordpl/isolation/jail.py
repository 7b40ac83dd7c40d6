"""All that holds a player, applied to its process by itself, before it runs a line that is not the harness's."""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from wordpl.isolation import landlock, limits, privileges, readable, seccomp
from wordpl.isolation.levels import Level
from wordpl.isolation.orphans import die_with_parent

WORKSHOP_MB = 4096


class Cell(Struct, frozen=True):
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


def lock(cell: Cell, parent: int) -> None:
    """Hold this process to the cell's terms, for good; it ends with the process `parent`.

    Raises OSError where the level's mechanisms are missing.
    """
    limits.apply(cell.memory_mb, cell.open_files)
    if cell.level == Level.D:
        die_with_parent(parent)
        return
    seccomp.forbid_new_privileges()
    rights = list(_rights(cell))
    nobody = readable.by_others(path for path, _ in rights)
    if cell.level <= Level.B:
        landlock.apply(rights)
    privileges.drop(to_nobody=nobody)
    die_with_parent(parent)  # only now: becoming another user would undo it
    seccomp.apply(programs=cell.program, writes=cell.level <= Level.B)


def lock_workshop(cell: Cell) -> None:
    """Hold this process, which may start others, to writing in the cell's folder `built` alone, for good."""
    limits.apply(max(cell.memory_mb, WORKSHOP_MB), cell.open_files)
    os.environ["TMPDIR"] = os.environ["HOME"] = cell.built
    if cell.level <= Level.B:
        seccomp.forbid_new_privileges()
        cell = structs.replace(cell, program=True)
        landlock.apply([*_rights(cell), (Path("/proc"), landlock.READ), (Path(cell.built), landlock.EVERYTHING)])


def _rights(cell: Cell) -> Iterator[tuple[Path, int]]:
    """Yield the paths a player needs with what it may do there."""
    code = landlock.RUN if cell.program else landlock.READ
    for path in [*readable.interpreter(), *map(Path, readable.SYSTEM)]:
        yield path, code
    for path in [*readable.project(), Path(cell.working), *map(Path, readable.FACTS), Path(f"/proc/{os.getpid()}")]:
        yield path, landlock.READ
    if cell.built:
        yield Path(cell.built), code
    for name in readable.DEVICES:
        yield Path(name), landlock.USE
    folder, hidden = Path(cell.folder), [Path(one) for one in cell.hidden]
    yield folder, landlock.READ_DIRECTORY
    for path in readable.beside(folder, hidden):
        yield path, code
