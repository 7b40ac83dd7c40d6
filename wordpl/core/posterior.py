"""The exact Bayesian posterior over the answers, given noisy clues."""

from math import isfinite

import numpy as np

from wordpl.core import words
from wordpl.core.clue_matrix import agreements, clue_row
from wordpl.core.clues import MARKS, encode
from wordpl.core.compiled import kernel
from wordpl.core.words import WordLists


class Posterior:
    """The probability of each answer to be the secret, updated with each clue.

    Randomized response shows a mark unchanged e^(epsilon/length) times as often as each of the two others. So a clue
    with `length` marks subtracts epsilon/length from the log weight of a word for each mark that the word would not
    have given. Log weights still distinguish very unlikely words from impossible ones.

    Attributes:
        words: The answers, in the order of all arrays of this class.
    """

    def __init__(self, lists: WordLists, rule: str, log_weights: np.ndarray):
        """Create a posterior from log weights.

        Args:
            lists: The word lists.
            rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
            log_weights: Natural logarithms, float64[n_answers], up to a constant; the array is updated in place.
        """
        self.words = lists.answers
        self._lists = lists
        self._rule = rule
        self._log_weights = log_weights

    @classmethod
    def uniform(cls, lists: WordLists | None = None, rule: str = "anywhere") -> "Posterior":
        """Return the posterior before any clue, with equal probabilities for all answers.

        Args:
            lists: The word lists; None for the contest's (`words.here`).
            rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`; a strategy has it as `self.clue_rule`.
        """
        lists = lists or words.here()
        return cls(lists, rule, np.zeros(len(lists.answers)))

    def update(self, guess: str, epsilon: float, clues: str) -> None:
        """Update the probabilities with the clues that a guess received.

        Args:
            guess: The guess.
            epsilon: The budget spent on the guess.
            clues: The clues shown for it.

        Raises:
            ValueError: The guess is not in the list, epsilon is not a positive number, or the clues do not consist of
                one mark of '.ic' per letter.
        """
        try:
            row = clue_row(self._lists, self._rule, guess)
        except KeyError:
            raise ValueError(f"{guess!r} is not one of the {len(self._lists.guesses)} guesses") from None
        if not (epsilon > 0 and isfinite(epsilon)):
            raise ValueError(f"epsilon must be a finite number above 0, got {epsilon!r}")
        length = self._lists.length
        if len(clues) != length or clues.strip(MARKS):
            raise ValueError(f"clues must be {length} marks, each '.', 'i' or 'c', got {clues!r}")
        _update(self._log_weights, row, agreements(encode(clues), length), epsilon / length)

    def best(self) -> tuple[str, float]:
        """Return the likeliest answer and its probability; of equally likely answers, the first in the list."""
        index, probability = _best(self._log_weights)
        return self.words[index], probability

    def top(self, n_words: int) -> list[tuple[str, float]]:
        """Return the `n_words` likeliest answers with their probabilities, the likeliest first."""
        probabilities = self.probabilities
        order = np.argsort(-probabilities, kind="stable")[:n_words]
        return [(self.words[i], float(probabilities[i])) for i in order]

    @property
    def probabilities(self) -> np.ndarray:
        """The probability of each answer, float64[n_answers]."""
        weights: np.ndarray = np.exp(self._log_weights - self._log_weights.max())
        weights /= weights.sum()
        return weights

    @property
    def bits(self) -> float:
        """The entropy of the posterior in bits: log2(n_answers) before the first clue, 0 when the secret is certain."""
        probabilities = self.probabilities
        likely = probabilities[probabilities > 0]
        return max(0.0, float(-(likely * np.log2(likely)).sum()))


@kernel
def _update(log_weights: np.ndarray, clues: np.ndarray, agreements: np.ndarray, per_mark: float) -> None:
    """Add per_mark to each log weight for every mark that agrees, then shift all weights so that the largest is 0.

    Args:
        log_weights: float64[a], updated in place.
        clues: The clue number of the guess for each answer, [a].
        agreements: uint8[3**length], the number of marks that each clue shares with the clue shown.
        per_mark: epsilon / length.
    """
    top = -np.inf
    for a in range(log_weights.shape[0]):
        log_weights[a] += per_mark * agreements[clues[a]]
        top = max(top, log_weights[a])
    for a in range(log_weights.shape[0]):
        log_weights[a] -= top


@kernel
def _best(log_weights: np.ndarray) -> tuple[int, float]:
    """Return the first index of the largest log weight, and its probability."""
    best = 0
    for a in range(log_weights.shape[0]):
        if log_weights[a] > log_weights[best]:
            best = a
    total = 0.0
    for a in range(log_weights.shape[0]):
        gap = log_weights[a] - log_weights[best]
        if gap > -50.0:  # e^-50 is lost in the rounding of a sum that is at least 1
            total += np.exp(gap)
    return best, 1 / total
