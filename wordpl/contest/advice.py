"""What to do next in a game in progress, as values; the terminal and the web page say it in their own words."""

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from wordpl.contest.session import Session
from wordpl.core.clues import keep_probability
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    import numpy as np

    from wordpl.core.posterior import Posterior

CERTAIN = 0.9
"""A likelier word than this is worth an answer."""
PER_LETTER = (0.6, 0.8, 1.0, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0)
"""The epsilons tried, divided by the number of letters: what a mark is worth depends on nothing else."""
USUAL = 2.4
MAX_CELLS = 25_000_000
"""Guesses times clues that are rated at most: all guesses up to six letters, in a fraction of a second."""


@dataclass(frozen=True)
class Suggestion:
    """A guess, its epsilon, the bits expected of its clue, and how many guesses were rated."""

    guess: str
    epsilon: float
    bits: float
    n_rated: int


def suggestion(posterior: "Posterior", lists: WordLists, rule: str) -> Suggestion:
    """Return the guess whose noisy clue says most, at the epsilon that says most for its price.

    Bits for each unit of epsilon are few at both ends: a low epsilon buys noise, a high one pays to be sure of marks
    that tell nothing new. The best guess hardly depends on epsilon, so epsilon is chosen for one guess, then the guess
    anew.
    """
    from wordpl.core.clue_matrix import matrix_of
    from wordpl.solvers.noisy.clue_entropy import best_guess

    probabilities = posterior.probabilities
    matrix = matrix_of(lists, rule)
    rows = _rated_rows(posterior, lists)
    matrix = matrix if len(rows) == len(matrix) else matrix[rows]
    first = best_guess(matrix, probabilities, USUAL * lists.length, lists.length)
    row = matrix[first : first + 1]
    epsilons = [round(lists.length * x) for x in PER_LETTER]
    epsilon = max(epsilons, key=lambda epsilon: expected_bits(row, posterior, epsilon) / epsilon)
    best = best_guess(matrix, probabilities, epsilon, lists.length)
    bits = expected_bits(matrix[best : best + 1], posterior, epsilon)
    return Suggestion(lists.guesses[rows[best]], epsilon, bits, len(rows))


def _rated_rows(posterior: "Posterior", lists: WordLists) -> "np.ndarray":
    """Return the guesses worth rating in the time there is: all, or the likeliest answers where words are long."""
    import numpy as np

    from wordpl.core.clue_matrix import answer_rows

    most = MAX_CELLS // 3**lists.length
    if len(lists.guesses) <= most:
        return np.arange(len(lists.guesses))
    return answer_rows(lists)[np.argsort(-posterior.probabilities, kind="stable")[:most]]


def expected_bits(row: "np.ndarray", posterior: "Posterior", epsilon: float) -> float:
    """Return the information of a guess's noisy clue: its entropy, less that of the noise.

    row: the clue of each answer for the guess, [1, n_answers]
    """
    from wordpl.solvers.noisy.clue_entropy import clue_entropies

    length = len(posterior.words[0])
    keep = keep_probability(epsilon, length)
    noise = -keep * log2(keep) - (1 - keep) * log2((1 - keep) / 2)
    return float(clue_entropies(row, posterior.probabilities, epsilon, length)[0]) - length * noise


def cornering(session: Session, left: list[str]) -> tuple[str, int]:
    """Return the guess that leaves the fewest words to a game that keeps as many as it can, and how many it leaves."""
    import numpy as np

    from wordpl.core.clue_matrix import answer_rows, matrix_of
    from wordpl.solvers.absurdle import best_guess, largest_groups

    lists = session.game.lists
    matrix = matrix_of(lists, session.game.clue_rule)
    columns = _columns(left, lists)
    row = best_guess(matrix, columns, answer_rows(lists)[columns])
    return lists.guesses[row], int(largest_groups(matrix, columns, np.array([row]))[0])


def _columns(left: list[str], lists: WordLists) -> "np.ndarray":
    import numpy as np

    columns = {word: column for column, word in enumerate(lists.answers)}
    return np.array([columns[word] for word in left])


def best_allowed(session: Session, left: list[str]) -> tuple[str, float]:
    """Return the guess that says most of those allowed now, a possible answer among equals; and its bits."""
    import numpy as np

    from wordpl.core.clue_matrix import guess_rows, matrix_of
    from wordpl.solvers.entropy import information

    lists = session.game.lists
    bits = information(matrix_of(lists, session.game.clue_rule), _columns(left, lists))
    possible = np.zeros(len(bits), bool)
    possible[[guess_rows(lists)[word] for word in left]] = True
    for row in np.lexsort((~possible, -bits)):
        if session.allows(lists.guesses[row]):
            return lists.guesses[row], float(bits[row])
    raise AssertionError("a possible answer can always be guessed")
