"""The expected information of each guess of a game, compared with that of the best guess at the same epsilon."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import Any

import numpy as np

from wordpl.core.clue_matrix import guess_rows, matrix_of
from wordpl.core.clues import encode, keep_probability
from wordpl.core.posterior import Posterior
from wordpl.core.words import WordLists
from wordpl.solvers import entropy
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import clue_entropy, information

MAX_POSITIONS = 4096


@dataclass(frozen=True)
class GuessValue:
    """The value of a guess of a game; information and entropies are in bits.

    Attributes:
        game: The number of the game.
        round_: The number of the round, from 1.
        guess: The word.
        epsilon: The budget spent on it; 0 in a classic game.
        bits_left: The entropy of the secret before the guess.
        expected: The expected information of its clue.
        available: The expected information of the best guess at the same epsilon.
        best: The best guess.
        gained: The actual reduction of entropy by its clue, which is negative if noise was misleading.
    """

    game: int
    round_: int
    guess: str
    epsilon: float
    bits_left: float
    expected: float
    available: float
    best: str
    gained: float

    @property
    def wasted(self) -> float:
        """The expected information in bits that the guess missed, compared with the best one."""
        return self.available - self.expected


@dataclass(frozen=True)
class RoundValue:
    """Means over the guesses of one round; the fields are those of `GuessValue`, and the number of games."""

    round_: int
    n_games: int
    epsilon: float
    bits_left: float
    expected: float
    available: float
    gained: float

    @property
    def share(self) -> float:
        """The expected information of the guesses as a share of that of the best guesses."""
        return self.expected / self.available if self.available > 0 else 1.0


class GuessValuer:
    """Computes the values of guesses in games with the same word lists and clue rule."""

    def __init__(self, lists: WordLists, clue_rule: str, *, is_noisy: bool):
        """Create a valuer.

        Args:
            clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
            is_noisy: Whether clues have noise.
        """
        self._lists, self._rule, self._is_noisy = lists, clue_rule, is_noisy
        self._rows = guess_rows(lists)
        self._best = lru_cache(MAX_POSITIONS)(self._noisy_best if is_noisy else self._classic_best)

    def values(self, game: int, moves: Sequence[Sequence[Any]]) -> Iterator[GuessValue]:
        """Yield the value of each guess of a game.

        Args:
            game: The number of the game.
            moves: The moves as in record files, without the answer of a noisy game.
        """
        past: tuple[tuple[str, float, str], ...] = ()
        for number, move in enumerate(moves, 1):
            guess, epsilon, clues = move if self._is_noisy else (move[0], 0.0, move[1])
            if not clues:
                break
            chances = self._chances(past)
            best, available = self._best(past, float(epsilon))
            expected = self._bits(self._rows[guess], chances, float(epsilon))
            past = (*past, (guess, float(epsilon), clues))
            before, after = _entropy(chances), _entropy(self._chances(past))
            yield GuessValue(game, number, guess, float(epsilon), before, expected, max(available, expected),
                             best if available > expected else guess, before - after)  # fmt: skip

    def _chances(self, past: tuple[tuple[str, float, str], ...]) -> np.ndarray:
        if not self._is_noisy:
            candidates = self._left(past)
            chances = np.zeros(len(self._lists.answers))
            chances[candidates] = 1 / max(1, len(candidates))
            return chances
        posterior = Posterior.uniform(self._lists, self._rule)
        for guess, epsilon, clues in past:
            posterior.update(guess, epsilon, clues)
        return np.asarray(posterior.probabilities)

    def _left(self, past: tuple[tuple[str, float, str], ...]) -> np.ndarray:
        fits = np.ones(len(self._lists.answers), bool)
        for guess, _, clues in past:
            fits &= matrix_of(self._lists, self._rule)[self._rows[guess]] == encode(clues)
        return np.flatnonzero(fits)

    def _noisy_best(self, past: tuple[tuple[str, float, str], ...], epsilon: float) -> tuple[str, float]:
        chances, table = self._chances(past), ClueTable.of(self._lists, self._rule)
        row = information.best_guess(table, chances, epsilon)
        return self._lists.guesses[row], self._bits(row, chances, epsilon)

    def _classic_best(self, past: tuple[tuple[str, float, str], ...], epsilon: float) -> tuple[str, float]:
        candidates = self._left(past)
        if not len(candidates):  # the game was played with another list of answers
            return "", 0.0
        bits = entropy.information(matrix_of(self._lists, self._rule), candidates)
        row = int(np.argmax(bits))
        return self._lists.guesses[row], float(bits[row])

    def _bits(self, row: int, chances: np.ndarray, epsilon: float) -> float:
        matrix = matrix_of(self._lists, self._rule)[row : row + 1]
        if not self._is_noisy:
            return _entropy(np.bincount(matrix[0], weights=chances))
        length = self._lists.length
        keep = keep_probability(epsilon, length)
        noise = -keep * log2(keep) - (1 - keep) * log2((1 - keep) / 2) if keep < 1 else 0.0
        return max(0.0, float(clue_entropy.clue_entropies(matrix, chances, epsilon, length)[0]) - length * noise)


def by_round(values: Sequence[GuessValue]) -> list[RoundValue]:
    """Return means over the guesses of each round."""
    rounds: dict[int, list[GuessValue]] = {}
    for value in values:
        rounds.setdefault(value.round_, []).append(value)
    names = ("epsilon", "bits_left", "expected", "available", "gained")
    return [
        RoundValue(number, len(rows), *(float(np.mean([getattr(value, name) for value in rows])) for name in names))
        for number, rows in sorted(rounds.items())
    ]


def _entropy(chances: np.ndarray) -> float:
    positive = chances[chances > 0]
    return float(-(positive * np.log2(positive)).sum())
