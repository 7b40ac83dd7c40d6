"""One harness at a time on a run's folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wordpl.core.errors import UserError

LOCK = ".lock"
"""The file in a run's folder that whoever plays the run holds; it names the process."""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep every other harness out of the folder while the context lasts; the system lets go of what is killed.

    Raises:
        UserError: when another is there, and when the folder cannot be written to.
    """
    try:
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}. A run goes on where it can be written.") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 20).decode().strip() or "unknown"
            raise UserError(
                f"{folder} is being played by another harness, process {holder}: wait until it has ended, or stop it."
            ) from None
        with suppress(OSError):  # a full disk; the number is for people only
            os.truncate(file, 0)
            os.write(file, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(file)
