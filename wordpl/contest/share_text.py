"""The result of a game as text for sharing: the outcome, and the clues as coloured squares without letters."""

from collections.abc import Mapping, Sequence

from wordpl.contest.session import Session
from wordpl.core.game_kinds import Measure
from wordpl.core.moves import Move, NoisyMove
from wordpl.core.records import Verdict

SQUARES = {"c": "🟩", "i": "🟨", ".": "⬛"}


def emoji_rows(moves: Sequence[Move], squares: Mapping[str, str] = SQUARES) -> list[str]:
    """Return the clues of each move as squares, followed by the epsilon in a noisy game."""
    return [_row(move, squares) for move in moves]


def share_text(session: Session, day: str = "", squares: Mapping[str, str] = SQUARES) -> str:
    """Return the text for a finished game.

    Args:
        session: The game.
        day: The day of a daily puzzle; "" for other games.
        squares: The square for each mark.
    """
    title = " ".join(part for part in ("wordpl", session.game.name, day) if part)
    return "\n".join([f"{title} {_outcome(session)}", "", *emoji_rows(session.moves_with_clues, squares)])


def _outcome(session: Session) -> str:
    won, n_guesses = session.verdict == Verdict.WON, len(session.moves_with_clues)
    game = session.game
    if game.measure == Measure.BUDGET:
        return f"{f'budget {session.spent:g}' if won else 'X'}, {n_guesses} guess{'' if n_guesses == 1 else 'es'}"
    limit = f"/{game.max_guesses}" if game.measure == Measure.GUESSES and game.max_guesses else ""
    return f"{n_guesses if won else 'X'}{limit}{game.share_mark}"


def _row(move: Move, squares: Mapping[str, str]) -> str:
    row = "".join(squares[mark] for mark in move.clues)
    return f"{row} ε{move.epsilon:g}" if isinstance(move, NoisyMove) else row
