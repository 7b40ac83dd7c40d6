"""Ratings of a puzzle's first guess, kept on disk: the one search that is asked for at every start, and the longest."""

import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wordpl.core.files import write_atomically
from wordpl.terminal.app.setups import Setup

if TYPE_CHECKING:
    from wordpl.terminal.app.word_choice import WordChoice

MAX_KEPT = 24
FIELDS = {
    "rating": {"guess", "expected", "bits", "chance", "worst", "n_wanted"},
    "done": {"is_optimal", "n_searched", "cpu_s"},
}
"""What the messages of a search hold, by their kind; a file that another version wrote may hold something else."""


def folder() -> Path:
    """Return the folder of the ratings: wordpl/openings below XDG_CACHE_HOME, by default ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordpl" / "openings"


def load(setup: Setup, choice: "WordChoice") -> list[dict[str, Any]]:
    """Return the messages of the search for the first guess with this setup and these words; none where not kept.

    A file that is damaged, or that another version wrote, counts as not kept: the search is run again.
    """
    try:
        kept = msgspec.json.decode(_path(setup, choice).read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return kept if isinstance(kept, list) and all(map(_is_message, kept)) else []


def save(setup: Setup, choice: "WordChoice", messages: list[dict[str, Any]]) -> None:
    """Keep the messages of this search, and forget the oldest ones; a disk that is full or read-only is no error."""
    path = _path(setup, choice)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(messages))
        for old in sorted(path.parent.glob("*.json"), key=lambda one: -one.stat().st_mtime)[MAX_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and FIELDS.get(str(message.get("kind")), {""}) <= message.keys()


def _path(setup: Setup, choice: "WordChoice") -> Path:
    """Return the file for the whole question: the words with their weights, the rules, the effort and the version."""
    question = [setup, choice.answers, choice.guesses, choice.weights, _version()]
    return folder() / f"{blake2b(msgspec.json.encode(question), digest_size=16).hexdigest()}.json"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and needed by the search alone

    try:
        return version("wordpl")
    except PackageNotFoundError:
        return ""
