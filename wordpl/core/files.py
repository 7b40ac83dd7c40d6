"""Writing to disk so that neither a crash nor a full disk leaves half of something unnoticed."""

import os
from collections.abc import Iterable
from pathlib import Path


def read_plain(path: Path) -> bytes:
    """Return what a file holds; raises OSError where there is none, or a pipe, which would be waited for."""
    if not path.is_file():
        raise FileNotFoundError(path)
    return path.read_bytes()


def write_safely(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write the file, from one or many parts, so that a crash leaves the old one or the new one, never half of it."""
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
    """Write all of the data: in one piece, unless the disk fills up.

    Raises:
        OSError: when it is full.
    """
    while data:  # a full disk may take a part of it; the next write then raises
        data = data[os.write(file, data) :]
