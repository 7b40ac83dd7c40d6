"""Files that only grow, by whole lines: a process that is killed while it writes may leave the last line torn."""

import os
from pathlib import Path


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines that have an end, without it; none where there is no file."""
    data = path.read_bytes() if path.exists() else b""
    return data.split(b"\n")[:-1]


def truncate_torn_tail(path: Path) -> None:
    """Cut off a last line that has no end, so that the next one starts on a line of its own."""
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)
