"""Reading and writing files so that neither a crash nor a full disk leaves incomplete data unnoticed."""

import os
from collections.abc import Iterable
from pathlib import Path


def read_regular_file(path: Path) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: There is no such file, or it is something else, such as a pipe, which reading could wait for.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    return path.read_bytes()


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file, in one or many parts, so that a crash leaves either the old content or the new."""
    draft = path.with_name(f".{path.name}.new")
    try:
        with draft.open("wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def append(file: int, data: bytes) -> None:
    """Write all of the data to an open file, in a single write unless the disk fills up.

    Raises:
        OSError: The disk is full.
    """
    while data:  # if the disk fills up, one write may be partial; the next one raises
        data = data[os.write(file, data) :]


def complete_lines(path: Path) -> list[bytes]:
    """Return the complete lines of a file without their newlines; an empty list if the file does not exist."""
    data = path.read_bytes() if path.exists() else b""
    return data.split(b"\n")[:-1]


def truncate_torn_tail(path: Path) -> None:
    """Remove an incomplete last line, so that the next append starts a new line."""
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)
