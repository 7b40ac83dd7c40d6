"""Limits the operating system holds a process to."""

import resource
import sys

FILE_BYTES = 256 << 20


def apply(memory_mb: int, open_files: int) -> None:
    """Limit this process and its children, for good: memory, open files, size of a file, no core dump.

    On Linux the limit counts memory that can be written to; macOS offers and enforces less.
    """
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    for what, most in (
        (memory, memory_mb << 20),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _lower(what, most)


def _lower(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    try:
        resource.setrlimit(what, (most, most))
    except (ValueError, OSError):
        if sys.platform == "linux":  # macOS refuses some limits; there a player is not held by them
            raise
