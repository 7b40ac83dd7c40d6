"""Parses typed lines into moves. Whether a move is legal is decided by the rules of the game, not here."""

from dataclasses import dataclass
from typing import Any

from wordpl.contest.session import Session
from wordpl.games import IllegalMoveError


@dataclass(frozen=True)
class TypedMove:
    """A move that may be incomplete: no word yet, a word without its epsilon, or a complete move."""

    word: str = ""
    epsilon: float | str | None = None
    is_complete: bool = False

    def proposal(self, session: Session) -> Any:
        """Return the move in the form that the game expects."""
        return (self.word, self.epsilon) if session.is_noisy else self.word


def read_move(line: str, begun: TypedMove, session: Session) -> TypedMove:
    """Return the move after another typed line.

    Args:
        line: The line.
        begun: The move that earlier lines have started.
        session: The game.

    Raises:
        IllegalMoveError: The line is not a move.
    """
    if not session.is_noisy:
        return TypedMove(line, is_complete=True)
    if line.startswith("!"):
        return TypedMove(line[1:].strip(), 0, is_complete=True)
    parts = line.split()
    if len(parts) > 2:
        raise IllegalMoveError(f"a guess is a word and its epsilon, got {len(parts)} parts")
    if begun.word and len(parts) == 1 and parts[0] not in session.game.lists.guess_set:
        return TypedMove(begun.word, number(parts[0]), is_complete=True)
    if len(parts) == 2:
        return TypedMove(parts[0], number(parts[1]), is_complete=True)
    session.game.check((parts[0], 1.0))  # refuses a wrong word before asking for its epsilon
    return TypedMove(parts[0])


def number(text: str) -> float | str:
    """Return the text as a number, or unchanged if it is none, so that the rules refuse it."""
    try:
        return float(text)
    except ValueError:
        return text
