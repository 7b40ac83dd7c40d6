"""Reads and writes the user's files in XDG_DATA_HOME, by default in ~/.local/share."""

import os
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core.files import write_atomically


def folder() -> Path:
    """Return the folder of the user's games."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "wordpl"


def read_json(path: Path) -> Any:
    """Return the contents of a JSON file, or None if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None


def write_json(path: Path, value: Any) -> bool:
    """Write the value as indented JSON; return False if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")
    except OSError:
        return False
    return True
