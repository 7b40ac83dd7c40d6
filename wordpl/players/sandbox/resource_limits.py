"""Limits the operating system holds a process to (getrlimit(2))."""

import os
import resource
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

FILE_BYTES = 256 << 20
MAX_STACK_MB = 8
ADDRESS_SPACE_MB = 16 << 10
"""What a player may map beyond its memory: libraries and reserved ranges. A 512th of it can become page tables."""
KILLED_FIRST = "1000"  # OOM_SCORE_ADJ_MAX of linux/oom.h
OPEN_MAX = 10_240  # sys/syslimits.h of macOS, where the limit itself may be infinite
MAX_THREADS = 128
"""The threads of a player, and of what runs beside it under its user's number."""
SPARE_THREADS = 512
"""What players may start where they share their user's number with everything else that this user runs."""


def of_player(memory_mb: int, open_files: int) -> dict[int, int]:
    """Return the limits of a player by their number: memory, address space, stack, open files, file size, core dumps.

    On Linux the limit of memory counts what can be written to; macOS offers and enforces less. Signals that are queued
    count for the user, who may have other players: none are, and each signal is only pending or not.
    """
    limits = {
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    if sys.platform != "linux":
        return limits | {resource.RLIMIT_AS: memory_mb << 20}
    return limits | {
        resource.RLIMIT_DATA: memory_mb << 20,
        resource.RLIMIT_AS: memory_mb + ADDRESS_SPACE_MB << 20,
        resource.RLIMIT_STACK: MAX_STACK_MB << 20,
        resource.RLIMIT_SIGPENDING: 0,
    }


def max_open_files() -> int:
    """Return how many files this process may have open: no open file has a higher number, before that is lowered."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return OPEN_MAX if soft == resource.RLIM_INFINITY else soft


def apply(limits: Mapping[int, int]) -> None:
    """Lower this process's limits, and those of its children, for good; none is raised."""
    for what, most in limits.items():
        _lower(what, most)


def be_killed_first() -> None:
    """Have the kernel end this process and its children before any other when the machine's memory runs out.

    It could end the referee else, and a game that had begun would then be played again.
    """
    with suppress(OSError):  # not Linux
        Path("/proc/self/oom_score_adj").write_text(KILLED_FIRST)


def bound_threads(*, alone: bool, most: int = MAX_THREADS) -> None:
    """Bound the threads and processes of this process's user, for good.

    alone: whether its user's number counts nothing but players; else what runs now is counted and some are added.
    Root is not held to this limit.
    """
    if sys.platform == "linux":
        _lower(resource.RLIMIT_NPROC, most if alone else running(os.getuid()) + max(most, SPARE_THREADS))


@cache
def running(user: int) -> int:
    """Return how many threads the user has now."""
    return sum(_threads(process, user) for process in Path("/proc").glob("[0-9]*"))


def _threads(process: Path, user: int) -> int:
    try:
        return len(list((process / "task").iterdir())) if process.stat().st_uid == user else 0
    except OSError:  # it has ended
        return 0


def _lower(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    try:
        resource.setrlimit(what, (most, most))
    except (ValueError, OSError):
        if sys.platform == "linux":  # macOS refuses some limits; there a player is not held by them
            raise
