"""Append-only files of lines. A process that is killed while writing may leave an incomplete last line."""

import os
from pathlib import Path


def complete_lines(path: Path) -> list[bytes]:
    """Return the complete lines of a file without their newlines; an empty list if the file does not exist."""
    data = path.read_bytes() if path.exists() else b""
    return data.split(b"\n")[:-1]


def truncate_torn_tail(path: Path) -> None:
    """Remove an incomplete last line, so that the next append starts a new line."""
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)
