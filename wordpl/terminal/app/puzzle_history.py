"""The undo history of Solve, and the text field for an epsilon."""

from dataclasses import dataclass, field

from wordpl.core.errors import UserError
from wordpl.terminal.app.puzzle import Puzzle

MAX_UNDO = 200
MAX_EPSILON = 1000.0


@dataclass
class History:
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
