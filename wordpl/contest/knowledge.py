"""What the clues so far say about the secret and its letters."""

from string import ascii_lowercase
from typing import TYPE_CHECKING

from wordpl.contest.session import Session
from wordpl.core.clues import MARKS
from wordpl.core.moves import noisy

if TYPE_CHECKING:
    from wordpl.core.posterior import Posterior


def posterior_of(session: Session) -> "Posterior":
    """Return how likely each answer is after a noisy game's clues."""
    from wordpl.core.posterior import Posterior  # brings numba, which no command's help should wait for

    posterior = Posterior.uniform(session.game.lists, session.game.clue_rule)
    for move in noisy(session.clued):
        posterior.update(*move.arguments)
    return posterior


def letter_chances(session: Session) -> dict[str, float]:
    """Return how likely each letter is to be in the secret of a noisy game."""
    posterior = posterior_of(session)
    chances = dict.fromkeys(ascii_lowercase, 0.0)
    for word, probability in zip(posterior.words, posterior.probabilities.tolist(), strict=True):
        for letter in set(word):
            chances[letter] += probability
    return chances


def marks_seen(session: Session) -> dict[str, str]:
    """Return for each letter guessed the mark that tells most about it, in a game of true clues."""
    best: dict[str, str] = {}
    for move in session.clued:
        for letter, mark in zip(move.guess, move.clues, strict=True):
            best[letter] = max(best.get(letter, "."), mark, key=MARKS.index)
    return best


def candidates(session: Session) -> list[str]:
    """Return the answers that would have given the clues of a game of true clues."""
    clue = session.game.clue
    left = list(session.game.lists.answers)
    for move in session.clued:
        left = [word for word in left if clue(move.guess, word) == move.clues]
    return left
