"""Exact Bayes over the answers: how likely each word is after some noisy clues."""

from math import isfinite

import numpy as np

from wordpl.core import words
from wordpl.core.clue_matrix import agreements, clue_row
from wordpl.core.clues import MARKS, encode
from wordpl.core.compiled import kernel
from wordpl.core.words import WordLists


class Posterior:
    """How likely each answer is to be the secret, updated clue by clue.

    Randomised response shows a mark as it is e^(epsilon/length) times as often as one of the two others, so a clue of
    `length` marks takes epsilon/length off the log of a word's weight for each mark that the word would not have given.
    Logs keep a word that many clues speak against apart from an impossible one.

    Attributes:
        words: the answers, in the order of every array here
    """

    def __init__(self, lists: WordLists, rule: str, log_weights: np.ndarray):
        """log_weights: natural logs, float64[n_answers], up to a constant; the array is kept and changed."""
        self.words = lists.answers
        self._lists = lists
        self._rule = rule
        self._log_weights = log_weights

    @classmethod
    def uniform(cls, lists: WordLists | None = None, rule: str = "anywhere") -> "Posterior":
        """Return the posterior before any clue, in which all answers are as likely.

        Args:
            lists: the contest's own (`words.here`) where None is given
            rule: how clues treat repeated letters, a key of `clues.CLUE_RULES`; a strategy has it as `self.clue_rule`
        """
        lists = lists or words.here()
        return cls(lists, rule, np.zeros(len(lists.answers)))

    def update(self, guess: str, epsilon: float, clues: str) -> None:
        """Take in what `guess` gave: these clues, at this epsilon.

        Raises:
            ValueError: for a guess that is not in the list, an epsilon that is no positive number, and clues that are
                not one mark of '.ic' for each letter.
        """
        try:
            row = clue_row(self._lists, self._rule, guess)
        except KeyError:
            raise ValueError(f"{guess!r} is not one of the {len(self._lists.guesses)} guesses") from None
        if not (epsilon > 0 and isfinite(epsilon)):
            raise ValueError(f"epsilon is a finite number above 0, got {epsilon!r}")
        length = self._lists.length
        if len(clues) != length or clues.strip(MARKS):
            raise ValueError(f"clues are {length} marks, each '.', 'i' or 'c', got {clues!r}")
        _update(self._log_weights, row, agreements(encode(clues), length), epsilon / length)

    def best(self) -> tuple[str, float]:
        """Return the likeliest answer, the first of the list among equals, and its probability."""
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
        """The entropy left, in bits: 0 once the secret is certain, log2(n_answers) before the first clue."""
        probabilities = self.probabilities
        likely = probabilities[probabilities > 0]
        return max(0.0, float(-(likely * np.log2(likely)).sum()))


@kernel
def _update(log_weights: np.ndarray, clues: np.ndarray, agreements: np.ndarray, per_mark: float) -> None:
    """Take per_mark off each log weight for every mark that disagrees, up to a constant; the largest becomes 0.

    Args:
        log_weights: float64[a]
        clues: each answer's clue number for the guess, [a]
        agreements: uint8[3**length], of each clue with the shown one
        per_mark: epsilon / length
    """
    top = -np.inf
    for a in range(log_weights.shape[0]):
        log_weights[a] += per_mark * agreements[clues[a]]
        top = max(top, log_weights[a])
    for a in range(log_weights.shape[0]):
        log_weights[a] -= top


@kernel
def _best(log_weights: np.ndarray) -> tuple[int, float]:
    """Return the first index of the largest log weight and its share of all weights."""
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
