"""The move that a typed line says. The rules judge it: what is here is only how a move is written."""

from dataclasses import dataclass
from typing import Any

from wordpl.contest.session import Session
from wordpl.games import IllegalMoveError


@dataclass(frozen=True)
class Draft:
    """A move as far as it has been said: no word yet, a word that waits for its epsilon, or all of it."""

    word: str = ""
    epsilon: float | str | None = None
    is_complete: bool = False

    def proposal(self, session: Session) -> Any:
        """Return the move as the game takes it."""
        return (self.word, self.epsilon) if session.is_noisy else self.word


def read_move(line: str, begun: Draft, session: Session) -> Draft:
    """Return the move after another line. Raises IllegalMoveError for a line that is no move.

    begun: what the lines before have said
    """
    if not session.is_noisy:
        return Draft(line, is_complete=True)
    if line.startswith("!"):
        return Draft(line[1:].strip(), 0, is_complete=True)
    parts = line.split()
    if len(parts) > 2:
        raise IllegalMoveError(f"a guess is a word and its epsilon, got {len(parts)} things")
    if begun.word and len(parts) == 1 and parts[0] not in session.game.lists.guess_set:
        return Draft(begun.word, number(parts[0]), is_complete=True)
    if len(parts) == 2:
        return Draft(parts[0], number(parts[1]), is_complete=True)
    session.game.check((parts[0], 1.0))  # so that nobody is asked for the epsilon of a word that is none
    return Draft(parts[0])


def number(text: str) -> float | str:
    """Return the number that a text says, or the text, for the rules to refuse."""
    try:
        return float(text)
    except ValueError:
        return text
