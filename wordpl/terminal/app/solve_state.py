"""The puzzle that is being solved, kept while it is: closing a terminal loses nothing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from wordpl.terminal.app import user_files
from wordpl.terminal.app.puzzle import Puzzle, Row
from wordpl.terminal.app.setups import Setup

MAX_AGE = timedelta(hours=20)
"""An older puzzle is taken for yesterday's, and a new one is begun."""


class _Kept(msgspec.Struct):
    saved: datetime
    game: str
    rows: list[tuple[str, str, float | None]]


def _path() -> Path:
    return user_files.folder() / "solving.json"


def save(puzzle: Puzzle, setup: Setup) -> None:
    """Keep the rows that count."""
    rows = [(row.word, row.marks, row.epsilon) for row in puzzle.rows if row.is_done]
    user_files.write_json(_path(), _Kept(datetime.now(UTC), setup.game, rows))


def load(length: int, setup: Setup) -> Puzzle | None:
    """Return the puzzle that was being solved; None where there is none, or an old one, or of another game."""
    try:
        kept = msgspec.convert(user_files.read_json(_path()), _Kept)
    except msgspec.ValidationError:
        return None
    too_old = datetime.now(UTC) - kept.saved > MAX_AGE
    if too_old or kept.game != setup.game or any(len(word) != length for word, _, _ in kept.rows):
        return None
    return with_rows(length, kept.rows)


def with_rows(length: int, rows: list[tuple[str, str, float | None]]) -> Puzzle:
    """Return the puzzle with these rows: words, marks, epsilons."""
    done = tuple(Row(word, marks, epsilon, is_done=True) for word, marks, epsilon in rows)
    puzzle = Puzzle(length, (*done, Row()), len(done))
    return Puzzle(length, done, len(done) - 1) if puzzle.is_solved else puzzle
