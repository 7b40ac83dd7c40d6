"""Reading and writing files so that neither a crash nor a full disk leaves incomplete data unnoticed."""

import os
from collections.abc import Iterable
from pathlib import Path

from wordpl.core import bounded

BLOCK_BYTES = 1 << 16


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file, in one or many parts, so that a crash leaves either the old content or the new."""
    draft = path.with_name(f".{path.name}.new")
    try:
        draft.unlink(missing_ok=True)  # whoever made the folder may have put a link there
        with draft.open("xb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def open_to_append(path: Path) -> int:
    """Open a file for `append`, and create it if necessary.

    Raises:
        NotRegularError: It is a link, a folder or a pipe.
        OSError: It cannot be opened.
    """
    return bounded.open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW)


def append(file: int, data: bytes) -> None:
    """Write all of the data to an open file, in a single write unless the disk fills up.

    Raises:
        OSError: The disk is full.
    """
    while data:  # if the disk fills up, one write may be partial; the next one raises
        data = data[os.write(file, data) :]


def complete_lines(path: Path) -> list[bytes]:
    """Return the complete lines of a file without their newlines; an empty list if the file does not exist."""
    return bounded.read_if_exists(bounded.OWN_LOG, path).split(b"\n")[:-1]


def truncate_torn_tail(path: Path) -> None:
    """Remove an incomplete last line, so that the next append starts a new line."""
    file = bounded.open_regular(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        end, size = _end_of_lines(file)
        if end < size:
            os.ftruncate(file, end)
    finally:
        os.close(file)


def has_torn_tail(path: Path) -> bool:
    """Return whether the last line of a file is incomplete."""
    file = bounded.open_regular(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        end, size = _end_of_lines(file)
        return end < size
    finally:
        os.close(file)


def _end_of_lines(file: int) -> tuple[int, int]:
    """Return where the last complete line of an open file ends, and the size of the file."""
    end = size = os.fstat(file).st_size
    while end > 0:
        begin = max(0, end - BLOCK_BYTES)
        newline = os.pread(file, end - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1, size
        end = begin
    return 0, size
