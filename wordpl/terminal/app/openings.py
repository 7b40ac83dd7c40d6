"""A disk cache of the ratings of first guesses, whose search is the longest one and is needed at every start."""

import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core.files import write_atomically
from wordpl.terminal.app.setups import Setup

MAX_FILES = 24
FIELDS = {
    "rating": {"guess", "expected", "bits", "chance", "worst", "n_wanted"},
    "done": {"is_optimal", "n_searched", "cpu_s"},
}
"""The required fields of the messages of a search, by kind; files of other versions may have different ones."""


def folder() -> Path:
    """Return the folder of the cache: wordpl/openings in XDG_CACHE_HOME, by default in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordpl" / "openings"


def load(setup: Setup, words: object) -> list[dict[str, Any]]:
    """Return the cached messages of the search for the first guess with this setup and these words.

    The list is empty if nothing is cached. Damaged files and files of other versions are ignored.

    Args:
        setup: The setup.
        words: The words, which belong to the key of the cache.
    """
    try:
        messages = msgspec.json.decode(_path(setup, words).read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return messages if isinstance(messages, list) and all(map(_is_message, messages)) else []


def save(setup: Setup, words: object, messages: list[dict[str, Any]]) -> None:
    """Cache the messages of this search, and delete the oldest files. Errors of the disk are ignored."""
    path = _path(setup, words)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(messages))
        for old_file in sorted(path.parent.glob("*.json"), key=lambda file: -file.stat().st_mtime)[MAX_FILES:]:
            old_file.unlink(missing_ok=True)
    except OSError:
        return


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and FIELDS.get(str(message.get("kind")), {""}) <= message.keys()


def _path(setup: Setup, words: object) -> Path:
    """Return the file for this setup, these words with their weights, and this version."""
    key = [setup, words, _version()]
    return folder() / f"{blake2b(msgspec.json.encode(key), digest_size=16).hexdigest()}.json"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and only needed here

    try:
        return version("wordpl")
    except PackageNotFoundError:
        return ""
