"""A puzzle as it is typed or pasted: rows of guesses with their marks, the undo history, and the saved puzzle."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import msgspec

from wordpl.apps.terminal.app import user_files
from wordpl.apps.terminal.app.setups import Setup
from wordpl.core.clues import MARKS, SQUARES
from wordpl.core.messages import UserError, amount

_SQUARES = "".join(SQUARES)
_HEADING = re.compile(r"\bWordle\W[^\n/]{0,20}?([1-9Xx])/\d")
"""The heading of a shared game, such as Wordle 1,234 3/6."""
_EPSILON = re.compile(r"ε\s*(\d+(?:\.\d+)?)")


def read_pasted(text: str, length: int) -> list[tuple[str, str]]:
    """Return the rows of a pasted text as pairs (marks, word), with "" for rows without a word.

    The text may be a shared game with its heading, rows of coloured squares, or rows such as `tares:....i` or
    `tares BBBBY`.

    Raises:
        UserError: The text has no such row, or its grid contradicts its heading.

    >>> read_pasted("Wordle 226 2/6\\n\\n⬛🟨⬛⬛⬛\\n🟩🟩🟩🟩🟩", 5)
    [('.i...', ''), ('ccccc', '')]
    >>> read_pasted("tares:....i", 5)
    [('....i', 'tares')]
    """
    before, *shared = _HEADING.split(text.replace("\ufe0f", ""))
    rows = [row for line in (shared[1] if shared else before).splitlines() if (row := _row(line, length))]
    if not rows:
        raise UserError("cannot read the pasted text: copy a shared game, rows of squares, or rows like tares:....i.")
    is_won = not shared or shared[0] not in "Xx"
    if shared and is_won and len(rows) != int(shared[0]):
        raise UserError(
            f"the pasted game is inconsistent: its grid has {amount(len(rows), 'row')} instead of {shared[0]}."
        )
    solved = [marks == "c" * length for marks, _ in rows]
    if shared and (any(solved[:-1]) or solved[-1] != is_won):
        raise UserError("the pasted game is inconsistent: its grid contradicts its heading.")
    return rows


def pasted_epsilons(text: str, n_rows: int) -> list[float | None]:
    """Return the epsilon of each row of a pasted text, which a shared noisy game has after its squares.

    >>> pasted_epsilons("⬛🟨⬛⬛⬛ ε8\\n🟨🟨⬛⬛⬛ ε9.5", 2), pasted_epsilons("⬛🟨⬛⬛⬛", 1)
    ([8.0, 9.5], [None])
    """
    found = [float(number) for number in _EPSILON.findall(text)]
    return (
        [*found] if len(found) == n_rows and all(0 < epsilon <= MAX_EPSILON for epsilon in found) else [None] * n_rows
    )


def read_typed(text: str, guesses: frozenset[str], *, has_epsilon: bool = False) -> tuple[str, str, float | None]:
    """Return a guess, its clue and its epsilon from a text such as tares:....i, or tares:....i:8 in a noisy game.

    Raises:
        UserError: The text is invalid, or has an epsilon where the game has none or the other way round.
    """
    word, *rest = text.split(":")
    row = _row(":".join([word, *rest[:1]]), len(word))
    if row is None or not word or len(rest) > 2:
        raise UserError(f"{text[:40]!r} must be a guess with its clue, as in tares:....i or tares:BBBBY.")
    if row[1] not in guesses:
        raise UserError(f"{row[1]!r} is not one of the {len(guesses):,} allowed guesses.")
    if has_epsilon != (len(rest) == 2):
        needed = f"{text[:40]!r} needs its epsilon, as in {row[1]}:{row[0]}:8"
        raise UserError(
            f"{needed}: what the clue says depends on it."
            if has_epsilon
            else f"{text[:40]!r} has an epsilon, but the game has none: write {row[1]}:{row[0]}."
        )
    return row[1], row[0], EpsilonText(rest[1]).value() if has_epsilon else None


def _row(line: str, length: int) -> tuple[str, str] | None:
    colon = re.fullmatch(rf"\s*([A-Za-z]{{{length}}}):([{_SQUARES}]{{{length}}})\s*", line)
    if colon:
        return "".join(SQUARES[square] for square in colon[2]), colon[1].lower()
    squares = re.search(rf"([{_SQUARES}]{{{length}}})\s*(?:\|\|)?\s*([A-Za-z]{{{length}}})?", line)
    if squares:
        return "".join(SQUARES[square] for square in squares[1]), (squares[2] or "").lower()
    typed = re.fullmatch(rf"\s*([A-Za-z]{{{length}}})\s*[:\s]\s*([.icBYG]{{{length}}})\s*", line)
    if typed:
        return typed[2].translate(str.maketrans("BYG", ".ic")), typed[1].lower()
    return None


MARK_KEYS = {".": ".", "i": "i", "c": "c", "b": ".", "y": "i", "g": "c", "x": "."}
"""The mark for each typed key: the game's own marks, the letters of published trees, and x."""
MAX_UNDO = 200
MAX_EPSILON = 1000.0
MAX_AGE = timedelta(hours=20)
"""The age at which a saved puzzle is considered yesterday's and is not continued."""


@dataclass(frozen=True)
class PuzzleRow:
    """A guess with its marks; both may be incomplete.

    Attributes:
        word: The letters typed so far.
        marks: The marks typed so far.
        is_done: Whether the row is complete and counts.
        is_given: Whether the marks come from a share grid, before the word.
    """

    word: str = ""
    marks: str = ""
    epsilon: float | None = None
    is_done: bool = False
    is_given: bool = False


@dataclass(frozen=True)
class Puzzle:
    """The rows of a puzzle, one of which is selected and receives typed keys.

    Attributes:
        rows: At least one row. Until the puzzle is solved, the last row is not done.
        at: The index of the selected row.
    """

    length: int
    rows: tuple[PuzzleRow, ...] = (PuzzleRow(),)
    at: int = 0

    @classmethod
    def from_rows(cls, length: int, rows: Sequence[tuple[str, str, float | None]]) -> Self:
        """Return the puzzle with these complete rows of (word, marks, epsilon)."""
        done_rows = tuple(PuzzleRow(word, marks, epsilon, is_done=True) for word, marks, epsilon in rows)
        puzzle = cls(length, (*done_rows, PuzzleRow()), len(done_rows))
        return cls(length, done_rows, len(done_rows) - 1) if puzzle.is_solved else puzzle

    @property
    def row(self) -> PuzzleRow:
        """The selected row."""
        return self.rows[self.at]

    @property
    def hints(self) -> list[tuple[str, str]]:
        """The complete guesses with their clues."""
        return [(row.word, row.marks) for row in self.rows if row.is_done]

    @property
    def noisy_hints(self) -> list[tuple[str, float, str]]:
        """The complete guesses with their epsilons and clues."""
        return [(row.word, row.epsilon or 0.0, row.marks) for row in self.rows if row.is_done]

    @property
    def is_solved(self) -> bool:
        """Whether the last complete row has all letters right."""
        return bool(self.hints) and self.hints[-1][1] == "c" * self.length

    def with_row(self, row: PuzzleRow) -> Self:
        """Return the puzzle with the selected row replaced."""
        return replace(self, rows=(*self.rows[: self.at], row, *self.rows[self.at + 1 :]))

    def press(self, character: str, key: str) -> Self:
        """Return the puzzle after a key: a letter, a mark, the number of a tile, or backspace."""
        if key == "backspace":
            return self.erase()
        if character in "123456789":
            return self.cycle(int(character) - 1)
        return self.type(character.lower())

    def type(self, key: str) -> Self:
        """Return the puzzle after a letter or a mark; marks are accepted once the word is complete."""
        row = self.row
        if row.is_done:
            return self
        if len(row.word) < self.length:
            is_letter = len(key) == 1 and key.isascii() and key.isalpha()
            return self.with_row(replace(row, word=row.word + key.lower())) if is_letter else self
        if key in MARK_KEYS and len(row.marks) < self.length:
            return self.with_row(replace(row, marks=row.marks + MARK_KEYS[key]))
        return self

    def cycle(self, place: int, at: int | None = None) -> Self:
        """Return the puzzle with the next mark in a place of row `at`, by default of the selected row."""
        puzzle = self.select(self.at if at is None else at)
        row = puzzle.row
        if len(row.word) < self.length or not 0 <= place < self.length:
            return puzzle
        marks = row.marks.ljust(self.length, ".")
        next_mark = MARKS[(MARKS.index(marks[place]) + 1) % len(MARKS)]
        return puzzle.with_row(replace(row, marks=marks[:place] + next_mark + marks[place + 1 :]))

    def erase(self) -> Self:
        """Return the puzzle without the last mark or letter of the selected row, which then is no longer done."""
        row = self.row
        if row.marks and not row.is_given:
            shorter = replace(row, marks=row.marks[:-1], is_done=False)
        else:
            shorter = replace(row, word=row.word[:-1], is_done=False)
        return self.with_row(shorter)

    def set_word(self, word: str) -> Self:
        """Return the puzzle with a word in the selected row, or in the last row if the selected one is done."""
        row = self.row if not self.row.is_done else self.rows[-1]
        index = self.at if not self.row.is_done else len(self.rows) - 1
        marks = row.marks if row.is_given else ""
        return replace(self, at=index).with_row(replace(row, word=word, marks=marks))

    def with_epsilons(self, epsilons: Sequence[float]) -> Self:
        """Return the puzzle with these epsilons in its first rows."""
        rows = [replace(row, epsilon=epsilon) for row, epsilon in zip(self.rows, epsilons, strict=False)]
        return replace(self, rows=(*rows, *self.rows[len(rows) :]))

    def set_epsilon(self, epsilon: float) -> Self:
        """Return the puzzle with this epsilon in the selected row."""
        return self.with_row(replace(self.row, epsilon=epsilon))

    def commit(self) -> Self:
        """Return the puzzle with the selected row done; missing marks become dots."""
        row = self.row
        if len(row.word) < self.length:
            return self
        done = self.with_row(replace(row, marks=row.marks.ljust(self.length, "."), is_done=True))
        if done.rows[-1].is_done and not done.is_solved:
            done = replace(done, rows=(*done.rows, PuzzleRow()))
        open_rows = [index for index, other_row in enumerate(done.rows) if not other_row.is_done]
        return replace(done, at=open_rows[0] if open_rows else len(done.rows) - 1)

    def remove(self) -> Self:
        """Return the puzzle without the selected row."""
        rows = (*self.rows[: self.at], *self.rows[self.at + 1 :])
        if not rows or rows[-1].is_done:
            rows = (*rows, PuzzleRow())
        return replace(self, rows=rows, at=min(self.at, len(rows) - 1))

    def select(self, at: int) -> Self:
        """Return the puzzle with row `at` selected, or the nearest existing row."""
        return replace(self, at=min(max(at, 0), len(self.rows) - 1))

    def with_grid(self, rows: Sequence[tuple[str, str]]) -> Self:
        """Return a puzzle with the rows of a share grid: pairs (marks, word), with "" for unknown words."""
        given_rows = tuple(PuzzleRow(word, marks, is_done=bool(word), is_given=True) for marks, word in rows)
        if given_rows[-1].is_done and given_rows[-1].marks != "c" * self.length:
            given_rows = (*given_rows, PuzzleRow())
        first_open = next((index for index, row in enumerate(given_rows) if not row.is_done), len(given_rows) - 1)
        return replace(self, rows=given_rows, at=first_open)


@dataclass
class UndoHistory:
    """The undo and redo stacks of a puzzle."""

    _done: list[Puzzle] = field(default_factory=list)
    _undone: list[Puzzle] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been changed yet."""
        return not self._done and not self._undone

    def add(self, before: Puzzle) -> None:
        """Record the puzzle before a change."""
        self._done = [*self._done[-MAX_UNDO:], before]
        self._undone.clear()

    def undo(self, now: Puzzle) -> Puzzle:
        """Return the puzzle before the last change, or `now` if there was none."""
        if not self._done:
            return now
        self._undone.append(now)
        return self._done.pop()

    def redo(self, now: Puzzle) -> Puzzle:
        """Return the puzzle after the last undone change, or `now` if there is none."""
        if not self._undone:
            return now
        self._done.append(now)
        return self._undone.pop()


@dataclass(frozen=True)
class EpsilonText:
    """An epsilon as typed so far."""

    text: str

    def press(self, key: str, character: str | None) -> str | None:
        """Return the text after a key, or None if the key cannot be part of a number."""
        if key == "backspace":
            return self.text[:-1]
        if key == "escape":
            return self.text
        return self.text + character if character and character in "0123456789." else None

    def value(self) -> float:
        """Return the epsilon. Raises UserError if the text is not a valid one."""
        try:
            epsilon = float(self.text)
        except ValueError:
            epsilon = 0.0
        if not 0 < epsilon <= MAX_EPSILON:
            raise UserError(f"the epsilon must be a number above 0, up to {MAX_EPSILON:g}, not {self.text!r}")
        return epsilon


class _SavedPuzzle(msgspec.Struct):
    saved: datetime
    game: str
    rows: list[tuple[str, str, float | None]]


def _path() -> Path:
    return user_files.folder() / "solving.json"


def save_puzzle(puzzle: Puzzle, setup: Setup) -> None:
    """Save the complete rows of the puzzle, after each change, so that closing the terminal loses nothing."""
    rows = [(row.word, row.marks, row.epsilon) for row in puzzle.rows if row.is_done]
    user_files.write_json(_path(), _SavedPuzzle(datetime.now(UTC), setup.game, rows))


def load_puzzle(length: int, setup: Setup) -> Puzzle | None:
    """Return the saved puzzle; None if there is none, or if it is old or of another game."""
    try:
        saved_puzzle = msgspec.convert(user_files.read_json(_path()), _SavedPuzzle)
    except msgspec.ValidationError:
        return None
    too_old = datetime.now(UTC) - saved_puzzle.saved > MAX_AGE
    if too_old or saved_puzzle.game != setup.game or any(len(word) != length for word, _, _ in saved_puzzle.rows):
        return None
    return Puzzle.from_rows(length, saved_puzzle.rows)
