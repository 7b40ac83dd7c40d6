"""The exact Bayesian posterior over the answers, given clues that passed a channel."""

from itertools import accumulate, count
from math import exp, isfinite
from typing import Protocol

import numpy as np

from wordpl.core import words
from wordpl.core.clues import MARKS, Channel, RandomizedResponse, encode
from wordpl.core.moves import ClassicMove, GameFacts, Move, NoisyMove
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import agreements, clue_row
from wordpl.kernels.compiled import is_loaded, kernel

MAX_PLAIN_CALLS = 2000
"""The number of calls for which numpy alone is as fast as loading the kernels, let alone compiling them."""
MAX_ADDED = 1000.0
"""The epsilon per mark above which sums would round what earlier clues say, so that the likeliest word adds nothing."""
_calls = count()


class RulesOfClues(Protocol):
    """What a posterior needs of a `Game`."""

    lists: WordLists
    channel: Channel

    @property
    def clue_rule(self) -> str:
        """The clue rule, a key of `clues.CLUE_RULES`."""

    @property
    def facts(self) -> GameFacts:
        """The facts of the game."""


class Posterior:
    """The probability of each answer to be the secret, updated with each clue.

    In a game of any channel, a clue multiplies the weight of a word by the probability that the channel shows it for
    the clue that the word would have given. A guess that would have ended the game has the weight 0 after its clue.

    Randomized response shows a mark unchanged e^(epsilon/length) times as often as each of the two others. So a clue
    with `length` marks subtracts epsilon/length from the log weight of a word for each mark that the word would not
    have given. Log weights still distinguish very unlikely words from impossible ones.

    Attributes:
        words: The answers, in the order of all arrays of this class.
    """

    def __init__(
        self,
        lists: WordLists,
        rule: str,
        log_weights: np.ndarray,
        channel: Channel | None = None,
        *,
        guess_wins: bool = False,
    ):
        """Create a posterior from log weights.

        Args:
            lists: The word lists.
            rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
            log_weights: Natural logarithms, float64[n_answers], up to a constant; the array is updated in place.
            channel: How clues are shown; None for randomized response.
            guess_wins: Whether a right guess ends the game, so that a guess with a clue was wrong.
        """
        self.words = lists.answers
        self._lists = lists
        self._rule = rule
        self._log_weights = log_weights
        self._channel = channel or RandomizedResponse(lists.length)
        self._is_response = type(self._channel) is RandomizedResponse
        self._guess_wins = guess_wins

    @classmethod
    def of(cls, game: RulesOfClues) -> "Posterior":
        """Return the posterior of a game before any clue, with equal probabilities for all answers.

        A strategy gets that of the game being played from `Strategy.new_posterior`.
        """
        weights = np.zeros(len(game.lists.answers))
        guess_wins = not game.facts.has_answer_move
        return cls(game.lists, game.clue_rule, weights, game.channel, guess_wins=guess_wins)

    @classmethod
    def uniform(cls, lists: WordLists | None = None, rule: str = "anywhere") -> "Posterior":
        """Return the posterior before any clue, with equal probabilities for all answers.

        Args:
            lists: The word lists; None for the contest's (`words.here`).
            rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`; a strategy has it as `self.clue_rule`.
        """
        lists = lists or words.here()
        return cls(lists, rule, np.zeros(len(lists.answers)))

    def update(self, guess: str, epsilon: float | str, clues: str | None = None) -> None:
        """Update the probabilities with the clues that a guess received: the arguments of a strategy's `next_move`.

        Args:
            guess: The guess.
            epsilon: The budget spent on the guess; where guesses have none, the clues take its place.
            clues: The clues shown for it.

        Raises:
            ValueError: The guess is not in the list, epsilon is not a positive number, the clues do not consist of one
                mark of '.ic' per letter, or no answer can have led to them.
        """
        price, shown = (None, epsilon) if clues is None else (epsilon, clues)
        try:
            row = clue_row(self._lists, self._rule, guess)
        except KeyError:
            raise ValueError(f"{guess!r} is not one of the {len(self._lists.guesses)} guesses") from None
        if price is not None and (isinstance(price, str) or not (price > 0 and isfinite(price))):
            raise ValueError(f"epsilon must be a finite number above 0, got {price!r}")
        length = self._lists.length
        if not isinstance(shown, str) or len(shown) != length or shown.strip(MARKS):
            raise ValueError(f"clues must be {length} marks, each '.', 'i' or 'c', got {shown!r}")
        if self._is_response and price is not None:
            update = add_clues if _is_plain(_update) else _update
            update(self._log_weights, row, agreements(encode(shown), length), price / length)
            return
        move = ClassicMove(guess, shown) if price is None else NoisyMove(guess, price, shown)
        with np.errstate(divide="ignore"):
            weights = self._log_weights + np.log(self.likelihood(move, row))
        top = weights.max()
        if top == -np.inf:
            raise ValueError(f"no answer that is left can have led to the clues {move.clues!r} for {move.guess!r}")
        self._log_weights[:] = weights - top

    def likelihood(self, move: Move, row: np.ndarray) -> np.ndarray:
        """Return the probability of the clues of a move for each answer, float64[n_answers], for any channel.

        Args:
            move: The move with its clues, after which the game did not end.
            row: The true clue number of its guess for each answer.
        """
        chances = self._channel.chances(encode(move.clues), move, row)
        if self._guess_wins:
            chances[row == 3**self._lists.length - 1] = 0
        return chances

    def __repr__(self) -> str:
        """Return the uncertainty and the three likeliest answers."""
        likeliest = ", ".join(f"{word} {probability:.1%}" for word, probability in self.top(3))
        return f"Posterior({len(self.words):,} answers, {self.bits:.2f} bits left: {likeliest})"

    def best(self) -> tuple[str, float]:
        """Return the likeliest answer and its probability; of equally likely answers, the first in the list."""
        index, probability = (_best_plainly if _is_plain(_best) else _best)(self._log_weights)
        return self.words[index], probability

    def top(self, n_words: int) -> list[tuple[str, float]]:
        """Return the `n_words` likeliest answers with their probabilities; equally likely ones in the list's order."""
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


def _is_plain(function: object) -> bool:
    """Return whether to do a call without kernels, as none of them is loaded and calls are few."""
    return not is_loaded(function) and next(_calls) < MAX_PLAIN_CALLS


def add_clues(log_weights: np.ndarray, clues: np.ndarray, agreements: np.ndarray, per_mark: float) -> None:
    """Do what the kernel `_update` does, with the same result to the bit."""
    found = agreements[clues].astype(float)
    with np.errstate(over="ignore"):  # a word that the largest epsilons contradict is impossible
        if per_mark > MAX_ADDED:
            found -= found[(log_weights + per_mark * found).argmax()]
        log_weights += per_mark * found
        log_weights -= log_weights.max()


def _best_plainly(log_weights: np.ndarray) -> tuple[int, float]:
    """Do what `_best` does without kernels, with the same result to the bit."""
    best = int(log_weights.argmax())
    gaps = log_weights - log_weights[best]
    *_, total = accumulate(map(exp, gaps[gaps > -50.0].tolist()))
    return best, 1 / total


@kernel
def _update(log_weights: np.ndarray, clues: np.ndarray, agreements: np.ndarray, per_mark: float) -> None:
    """Add per_mark to each log weight for every mark that agrees, then shift all weights so that the largest is 0.

    Args:
        log_weights: float64[a], updated in place.
        clues: The clue number of the guess for each answer, [a].
        agreements: uint8[3**length], the number of marks that each clue shares with the clue shown.
        per_mark: epsilon / length.
    """
    most = 0.0
    if per_mark > MAX_ADDED:
        best = -np.inf
        for a in range(log_weights.shape[0]):
            weight = log_weights[a] + per_mark * agreements[clues[a]]
            if weight > best:
                best, most = weight, float(agreements[clues[a]])
    top = -np.inf
    for a in range(log_weights.shape[0]):
        log_weights[a] += per_mark * (agreements[clues[a]] - most)
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
