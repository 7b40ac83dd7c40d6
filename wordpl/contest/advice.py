"""Advice for a game in progress, as values that the terminal and the web page present.

A process that has not used kernels yet gives it without them: it takes half a second, and as long as loading them.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from wordpl.contest.session import Session
from wordpl.core.clues import keep_probability
from wordpl.core.words import WordLists
from wordpl.games import Game

if TYPE_CHECKING:
    import numpy as np

    from wordpl.kernels.posterior import Posterior

ANSWER_PROBABILITY = 0.9
"""The probability of the likeliest word from which to propose it as the answer."""
EPSILONS_PER_LETTER = (0.6, 0.8, 1.0, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0)
"""The epsilons to try, divided by the number of letters, as the noise of a mark depends only on this quotient."""
TYPICAL_EPSILON_PER_LETTER = 2.4
MAX_CELLS = 25_000_000
"""The maximum number of guesses times clues to rate: all guesses for up to six letters, in a fraction of a second."""


@dataclass(frozen=True)
class Suggestion:
    """A suggested move of a noisy game.

    Attributes:
        guess: The word to guess.
        epsilon: The budget to spend on it.
        bits: The expected information of its clue, in bits.
        n_rated: The number of guesses that were rated.
    """

    guess: str
    epsilon: float
    bits: float
    n_rated: int


def suggestion(game: Game, posterior: "Posterior") -> Suggestion:
    """Return the most informative guess at the epsilon with the most information per unit of budget.

    Information per unit of epsilon is low for small epsilons, which buy mostly noise, and for large ones, which pay for
    certainty about marks that reveal nothing new. The best guess hardly depends on epsilon. So epsilon is optimized for
    one good guess, and then the guess for that epsilon.
    """
    from wordpl.core.clues import RandomizedResponse
    from wordpl.kernels.clue_matrix import matrix_of
    from wordpl.solvers.noisy.clue_entropy import best_guess

    if type(game.channel) is not RandomizedResponse:
        return _generic_suggestion(game, posterior)
    lists, probabilities = game.lists, posterior.probabilities
    matrix = matrix_of(lists, game.clue_rule)
    rows = _rated_rows(posterior, lists)
    matrix = matrix if len(rows) == len(matrix) else matrix[rows]
    with without_kernels():
        first = best_guess(matrix, probabilities, TYPICAL_EPSILON_PER_LETTER * lists.length, lists.length)
        row = matrix[first : first + 1]
        epsilons = [round(lists.length * x) for x in EPSILONS_PER_LETTER]
        epsilon = max(epsilons, key=lambda epsilon: expected_bits(row, posterior, epsilon) / epsilon)
        best = best_guess(matrix, probabilities, epsilon, lists.length)
        bits = expected_bits(matrix[best : best + 1], posterior, epsilon)
    return Suggestion(lists.guesses[rows[best]], epsilon, bits, len(rows))


def without_kernels() -> AbstractContextManager[None]:
    """Return a context that calls the plain twins of kernels, unless the process has used kernels already."""
    from wordpl.kernels.compiled import plain_for_small_work
    from wordpl.solvers.noisy.clue_entropy import scan_entropies

    return plain_for_small_work(True, scan_entropies)


def _generic_suggestion(game: Game, posterior: "Posterior") -> Suggestion:
    """Return what `suggestion` returns, for any channel."""
    import numpy as np

    from wordpl.solvers.channel_information import expected_information, likeliest_first, max_rated

    probabilities, length = posterior.probabilities, game.lists.length
    guesses = likeliest_first(game, probabilities)[: max_rated(game)]
    typical = expected_information(game, probabilities, guesses, TYPICAL_EPSILON_PER_LETTER * length)
    first = guesses[int(np.argmax(typical))]
    rates = {
        epsilon: float(expected_information(game, probabilities, [first], epsilon)[0]) / epsilon
        for epsilon in (round(length * x) for x in EPSILONS_PER_LETTER)
    }
    epsilon = max(rates, key=lambda epsilon: rates[epsilon])
    bits = expected_information(game, probabilities, guesses, epsilon)
    best = int(np.argmax(bits))
    return Suggestion(guesses[best], epsilon, float(bits[best]), len(guesses))


def most_informative(session: Session, posterior: "Posterior") -> tuple[str, float]:
    """Return the most informative guess in a game whose clues may be false, and its expected information in bits.

    It is 0 if the guess is the only word left.
    """
    import numpy as np

    from wordpl.solvers.channel_information import expected_information, likeliest_first, max_rated

    game, probabilities = session.game, posterior.probabilities
    best, probability = posterior.best()
    if probability == 1:
        return best, 0.0
    guesses = likeliest_first(game, probabilities)[: max_rated(game)]
    bits = expected_information(game, probabilities, guesses)
    for index in np.argsort(-bits, kind="stable"):
        if session.allows(guesses[index]):
            return guesses[index], float(bits[index])
    raise AssertionError("a possible answer can always be guessed")


def _rated_rows(posterior: "Posterior", lists: WordLists) -> "np.ndarray":
    """Return the rows of the guesses to rate: all guesses, or only the likeliest answers if words are long."""
    import numpy as np

    from wordpl.kernels.clue_matrix import answer_rows

    max_guesses = MAX_CELLS // 3**lists.length
    if len(lists.guesses) <= max_guesses:
        return np.arange(len(lists.guesses))
    return answer_rows(lists)[np.argsort(-posterior.probabilities, kind="stable")[:max_guesses]]


def expected_bits(row: "np.ndarray", posterior: "Posterior", epsilon: float) -> float:
    """Return the expected information of a guess's noisy clue in bits: its entropy minus the entropy of the noise.

    Args:
        row: The clue number of the guess for each answer, [1, n_answers].
        posterior: The probabilities of the answers.
        epsilon: The budget spent on the guess.
    """
    from wordpl.solvers.noisy.clue_entropy import clue_entropies

    length = len(posterior.words[0])
    keep = keep_probability(epsilon, length)
    noise = -keep * log2(keep) - (1 - keep) * log2((1 - keep) / 2) if keep < 1 else 0.0
    with without_kernels():
        return float(clue_entropies(row, posterior.probabilities, epsilon, length)[0]) - length * noise


def absurdle_guess(session: Session, left: list[str]) -> tuple[str, int]:
    """Return the guess that leaves the fewest words in Absurdle, and the number of words that it leaves."""
    import numpy as np

    from wordpl.kernels.clue_matrix import answer_rows, matrix_of
    from wordpl.solvers.absurdle import best_guess, largest_groups

    lists = session.game.lists
    matrix = matrix_of(lists, session.game.clue_rule)
    columns = _columns(left, lists)
    with without_kernels():
        row = best_guess(matrix, columns, answer_rows(lists)[columns])
        return lists.guesses[row], int(largest_groups(matrix, columns, np.array([row]))[0])


def _columns(left: list[str], lists: WordLists) -> "np.ndarray":
    import numpy as np

    columns = {word: column for column, word in enumerate(lists.answers)}
    return np.array([columns[word] for word in left])


def best_allowed(session: Session, left: list[str]) -> tuple[str, float]:
    """Return the most informative allowed guess and its information in bits; ties go to possible answers."""
    import numpy as np

    from wordpl.kernels.clue_matrix import guess_rows, matrix_of
    from wordpl.solvers.entropy import information

    lists = session.game.lists
    with without_kernels():
        bits = information(matrix_of(lists, session.game.clue_rule), _columns(left, lists))
    possible = np.zeros(len(bits), bool)
    possible[[guess_rows(lists)[word] for word in left]] = True
    for row in np.lexsort((~possible, -bits)):
        if session.allows(lists.guesses[row]):
            return lists.guesses[row], float(bits[row])
    raise AssertionError("a possible answer can always be guessed")
