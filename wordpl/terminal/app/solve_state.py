"""Saves the puzzle that is being solved after each change, so that closing the terminal loses nothing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from wordpl.terminal.app import user_files
from wordpl.terminal.app.puzzle import Puzzle, Row
from wordpl.terminal.app.setups import Setup

MAX_AGE = timedelta(hours=20)
"""The age at which a saved puzzle is considered yesterday's and is not continued."""


class _SavedPuzzle(msgspec.Struct):
    saved: datetime
    game: str
    rows: list[tuple[str, str, float | None]]


def _path() -> Path:
    return user_files.folder() / "solving.json"


def save(puzzle: Puzzle, setup: Setup) -> None:
    """Save the complete rows of the puzzle."""
    rows = [(row.word, row.marks, row.epsilon) for row in puzzle.rows if row.is_done]
    user_files.write_json(_path(), _SavedPuzzle(datetime.now(UTC), setup.game, rows))


def load(length: int, setup: Setup) -> Puzzle | None:
    """Return the saved puzzle; None if there is none, or if it is old or of another game."""
    try:
        kept = msgspec.convert(user_files.read_json(_path()), _SavedPuzzle)
    except msgspec.ValidationError:
        return None
    too_old = datetime.now(UTC) - kept.saved > MAX_AGE
    if too_old or kept.game != setup.game or any(len(word) != length for word, _, _ in kept.rows):
        return None
    return with_rows(length, kept.rows)


def with_rows(length: int, rows: list[tuple[str, str, float | None]]) -> Puzzle:
    """Return the puzzle with these complete rows of (word, marks, epsilon)."""
    done = tuple(Row(word, marks, epsilon, is_done=True) for word, marks, epsilon in rows)
    puzzle = Puzzle(length, (*done, Row()), len(done))
    return Puzzle(length, done, len(done) - 1) if puzzle.is_solved else puzzle
