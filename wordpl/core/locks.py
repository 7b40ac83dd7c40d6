"""A lock that lets only one harness at a time play a run."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wordpl.core.errors import UserError

LOCK = ".lock"
"""The lock file in a run's folder; it contains the id of the process that holds the lock."""


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder while the context lasts; the system releases it if the process is killed.

    Raises:
        UserError: Another process holds the lock, or the folder is not writable.
    """
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}. To resume a run, make it writable.") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 20).decode().strip() or "unknown"
            raise UserError(
                f"{folder} is in use by another process, {holder}: wait until it has ended, or stop it."
            ) from None
        with suppress(OSError):  # for example, the disk is full; the process id is only informative
            os.truncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(file)
