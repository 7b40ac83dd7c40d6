"""Messages for errors of the operating system during a run."""

import errno
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path

from wordpl.core.errors import UserError

REMEDIES = {
    errno.ENOSPC: "Free some disk space",
    errno.EDQUOT: "Free some disk space",
    errno.EFBIG: "Raise the limit on the size of files",
    errno.EROFS: "Make it writable",
    errno.EACCES: "Make it writable",
    errno.EPERM: "Make it writable",
    errno.EIO: "Check the disk",
    errno.EMFILE: "Raise the limit on open files",
    errno.ENFILE: "Raise the limit on open files",
    errno.EAGAIN: "Raise the limit on processes",
    errno.ENOMEM: "Free some memory, or use fewer --jobs",
}


@contextmanager
def explain(folder: Path) -> Iterator[None]:
    """Replace errors of the operating system by a UserError that says what to do.

    Args:
        folder: The folder to name if the error does not name a file.
    """
    try:
        yield
    except BrokenExecutor:
        raise UserError(
            "a worker was killed, probably because memory ran out. Use fewer --jobs, then resume the run."
        ) from None
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        where = error.filename or folder
        raise UserError(f"{where}: {error.strerror}. {REMEDIES[error.errno]}, then resume the run.") from None
