"""A puzzle as it is typed: rows of guesses with their marks. Puzzles are immutable; each change returns a new one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from wordpl.core.clues import MARKS

MARK_KEYS = {".": ".", "i": "i", "c": "c", "b": ".", "y": "i", "g": "c", "x": "."}
"""The mark for each typed key: the game's own marks, the letters of published trees, and x."""


@dataclass(frozen=True)
class Row:
    """A guess with its marks; both may be incomplete.

    Attributes:
        word: The letters typed so far.
        marks: The marks typed so far.
        epsilon: The epsilon in a noisy game.
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
        length: The number of letters of a word.
        rows: At least one row. Until the puzzle is solved, the last row is not done.
        at: The index of the selected row.
    """

    length: int
    rows: tuple[Row, ...] = (Row(),)
    at: int = 0

    @property
    def row(self) -> Row:
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

    def with_row(self, row: Row) -> Self:
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
        chosen = self.select(self.at if at is None else at)
        row = chosen.row
        if len(row.word) < self.length or not 0 <= place < self.length:
            return chosen
        marks = row.marks.ljust(self.length, ".")
        after = MARKS[(MARKS.index(marks[place]) + 1) % len(MARKS)]
        return chosen.with_row(replace(row, marks=marks[:place] + after + marks[place + 1 :]))

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
        at = self.at if not self.row.is_done else len(self.rows) - 1
        marks = row.marks if row.is_given else ""
        return replace(self, at=at).with_row(replace(row, word=word, marks=marks))

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
            done = replace(done, rows=(*done.rows, Row()))
        open_rows = [at for at, one in enumerate(done.rows) if not one.is_done]
        return replace(done, at=open_rows[0] if open_rows else len(done.rows) - 1)

    def remove(self) -> Self:
        """Return the puzzle without the selected row."""
        rows = (*self.rows[: self.at], *self.rows[self.at + 1 :])
        if not rows or rows[-1].is_done:
            rows = (*rows, Row())
        return replace(self, rows=rows, at=min(self.at, len(rows) - 1))

    def select(self, at: int) -> Self:
        """Return the puzzle with row `at` selected, or the nearest existing row."""
        return replace(self, at=min(max(at, 0), len(self.rows) - 1))

    def with_grid(self, rows: Sequence[tuple[str, str]]) -> Self:
        """Return a puzzle with the rows of a share grid: pairs (marks, word), with "" for unknown words."""
        given = tuple(Row(word, marks, is_done=bool(word), is_given=True) for marks, word in rows)
        if given[-1].is_done and given[-1].marks != "c" * self.length:
            given = (*given, Row())
        first_open = next((at for at, row in enumerate(given) if not row.is_done), len(given) - 1)
        return replace(self, rows=given, at=first_open)
