"""What the clues so far reveal about the secret and its letters."""

from string import ascii_lowercase
from typing import TYPE_CHECKING

from wordpl.contest.session import Session
from wordpl.core.clues import MARKS
from wordpl.core.moves import noisy

if TYPE_CHECKING:
    from wordpl.core.posterior import Posterior


def posterior_of(session: Session) -> "Posterior":
    """Return the posterior over the answers, given the clues of a noisy game."""
    from wordpl.core.posterior import Posterior  # slow to import, as it imports numba

    posterior = Posterior.uniform(session.game.lists, session.game.clue_rule)
    for move in noisy(session.moves_with_clues):
        posterior.update(*move.arguments)
    return posterior


def letter_chances(session: Session) -> dict[str, float]:
    """Return the probability of each letter to be in the secret of a noisy game."""
    posterior = posterior_of(session)
    chances = dict.fromkeys(ascii_lowercase, 0.0)
    for word, probability in zip(posterior.words, posterior.probabilities.tolist(), strict=True):
        for letter in set(word):
            chances[letter] += probability
    return chances


def best_marks(session: Session) -> dict[str, str]:
    """Return the most informative mark of each guessed letter in a game without noise."""
    best: dict[str, str] = {}
    for move in session.moves_with_clues:
        for letter, mark in zip(move.guess, move.clues, strict=True):
            best[letter] = max(best.get(letter, "."), mark, key=MARKS.index)
    return best


def candidates(session: Session) -> list[str]:
    """Return the answers that are consistent with the clues of a game without noise."""
    clue = session.game.clue
    left = list(session.game.lists.answers)
    for move in session.moves_with_clues:
        left = [word for word in left if clue(move.guess, word) == move.clues]
    return left
