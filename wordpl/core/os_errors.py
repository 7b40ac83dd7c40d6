"""Errors of the operating system during a run, explained in a sentence."""

import errno
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path

from wordpl.core.errors import UserError

REMEDIES = {
    errno.ENOSPC: "Make room",
    errno.EDQUOT: "Make room",
    errno.EFBIG: "Raise the limit on the size of files",
    errno.EROFS: "Make it writable",
    errno.EACCES: "Make it writable",
    errno.EPERM: "Make it writable",
    errno.EIO: "Check the disk",
    errno.EMFILE: "Raise the limit on open files",
    errno.ENFILE: "Raise the limit on open files",
    errno.EAGAIN: "Raise the limit on processes",
    errno.ENOMEM: "Free some memory, or give fewer --jobs",
}


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Raise UserError, with what to do, when the system refuses something to a harness that works on `folder`."""
    try:
        yield
    except BrokenExecutor:
        raise UserError(
            "a worker was killed, as the system does when memory runs out. Give fewer --jobs, then play the rest."
        ) from None
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = error.filename or folder
        raise UserError(f"{where}: {error.strerror}. {REMEDIES[error.errno]}, then play the rest.") from None
