"""What each guess of a game was expected to say, beside what the best guess would have said at the same price."""

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
    """A guess of a game.

    Attributes:
        game: The number of the game.
        round_: The round, from 1.
        guess: The word.
        epsilon: What it cost; 0 in a classic game.
        bits_left: The entropy of the secret before it.
        expected: The bits that its clue was expected to say.
        available: The bits of the best guess at that epsilon.
        best: That guess.
        gained: By how many bits its clue did lower the entropy; a clue that lies can raise it.
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
        """The bits that the best guess was expected to say more."""
        return self.available - self.expected


@dataclass(frozen=True)
class RoundValue:
    """The guesses of one round, on average: its number, the games that had it, and the fields of `GuessValue`."""

    round_: int
    n_games: int
    epsilon: float
    bits_left: float
    expected: float
    available: float
    gained: float

    @property
    def share(self) -> float:
        """The share of the bits that there were, which the guesses were expected to say."""
        return self.expected / self.available if self.available > 0 else 1.0


class GuessValuer:
    """Values the guesses of games with the same lists and the same rule of clues."""

    def __init__(self, lists: WordLists, clue_rule: str, *, is_noisy: bool):
        """Prepare tables; is_noisy: whether clues lie."""
        self._lists, self._rule, self._is_noisy = lists, clue_rule, is_noisy
        self._rows = guess_rows(lists)
        self._best = lru_cache(MAX_POSITIONS)(self._noisy_best if is_noisy else self._classic_best)

    def values(self, game: int, moves: Sequence[Sequence[Any]]) -> Iterator[GuessValue]:
        """Yield the guesses of a game; moves: as record files hold them, without the answer of a noisy game."""
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
            left = self._left(past)
            chances = np.zeros(len(self._lists.answers))
            chances[left] = 1 / max(1, len(left))
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
        left = self._left(past)
        if not len(left):  # clues of a game that another list of answers was played with
            return "", 0.0
        bits = entropy.information(matrix_of(self._lists, self._rule), left)
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
    """Return the guesses of each round, on average."""
    rounds: dict[int, list[GuessValue]] = {}
    for one in values:
        rounds.setdefault(one.round_, []).append(one)
    names = ("epsilon", "bits_left", "expected", "available", "gained")
    return [
        RoundValue(number, len(rows), *(float(np.mean([getattr(one, name) for one in rows])) for name in names))
        for number, rows in sorted(rounds.items())
    ]


def _entropy(chances: np.ndarray) -> float:
    there = chances[chances > 0]
    return float(-(there * np.log2(there)).sum())
