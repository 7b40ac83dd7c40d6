"""The expected information of each guess of a game, compared with that of the best guess at the same epsilon."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from wordpl.core.clues import Exact, RandomizedResponse, encode
from wordpl.core.intervals import mean_of
from wordpl.games import Game
from wordpl.kernels.clue_matrix import ClueTable, guess_rows, matrix_of
from wordpl.kernels.posterior import Posterior
from wordpl.solvers import entropy
from wordpl.solvers.channel_information import expected_information, likeliest_first, max_rated
from wordpl.solvers.noisy import information

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
        best: The best guess; of equally good ones, the first in the list.
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


Past = tuple[tuple[Any, ...], ...]
"""Earlier guesses with their epsilons, if they have any, and their clues."""


class GuessValuer:
    """Computes the values of guesses in one game."""

    def __init__(self, game: Game):
        """Create a valuer for games with these rules and word lists."""
        self._game, self._lists, self._rule = game, game.lists, game.clue_rule
        self._rows = guess_rows(game.lists)
        kernels = {RandomizedResponse: self._response_best, Exact: self._exact_best}
        self._best = lru_cache(MAX_POSITIONS)(kernels.get(type(game.channel), self._any_best))

    def values(self, number: int, moves: Sequence[Sequence[Any]], *, won: bool = False) -> Iterator[GuessValue]:
        """Yield the value of each guess of a game.

        Args:
            number: The number of the game.
            moves: The moves as in record files, without the answer of a noisy game.
            won: Whether the game was won.
        """
        past: Past = ()
        for round_, (guess, *epsilons, clues) in enumerate(moves, 1):
            if not clues:
                break
            epsilon = float(epsilons[0]) if epsilons else 0.0
            chances = self._chances(past)
            best, available = self._best(past, epsilon)
            expected = self._bits(guess, chances, epsilon)
            past = (*past, (guess, *map(float, epsilons), clues))
            is_found = won and round_ == len(moves) and not self._game.facts.has_answer_move
            before, after = _entropy(chances), 0.0 if is_found else _entropy(self._chances(past))
            yield GuessValue(number, round_, guess, epsilon, before, expected, max(available, expected),
                             best if available > expected else guess, before - after)  # fmt: skip

    def _chances(self, past: Past) -> np.ndarray:
        if self._game.is_exact:
            candidates = self._left(past)
            chances = np.zeros(len(self._lists.answers))
            chances[candidates] = 1 / max(1, len(candidates))
            return chances
        posterior = Posterior.of(self._game)
        for guess, *rest in past:
            posterior.update(guess, *rest)
        return np.asarray(posterior.probabilities)

    def _left(self, past: Past) -> np.ndarray:
        fits = np.ones(len(self._lists.answers), bool)
        for guess, *_, clues in past:
            fits &= matrix_of(self._lists, self._rule)[self._rows[guess]] == encode(clues)
        return np.flatnonzero(fits)

    def _response_best(self, past: Past, epsilon: float) -> tuple[str, float]:
        chances, table = self._chances(past), ClueTable.of(self._lists, self._rule)
        best = self._lists.guesses[information.best_guess(table, chances, epsilon)]
        return best, self._bits(best, chances, epsilon)

    def _exact_best(self, past: Past, epsilon: float) -> tuple[str, float]:
        candidates = self._left(past)
        if not len(candidates):  # the game was played with another list of answers
            return "", 0.0
        bits = entropy.information(matrix_of(self._lists, self._rule), candidates)
        row = int(np.argmax(bits))
        return self._lists.guesses[row], float(bits[row])

    def _any_best(self, past: Past, epsilon: float) -> tuple[str, float]:
        """Return the best of the guesses that can be rated in about a second, which include the likeliest answers."""
        chances = self._chances(past)
        guesses = likeliest_first(self._game, chances)[: max_rated(self._game)]
        bits = expected_information(self._game, chances, guesses, epsilon or None)
        best = int(np.argmax(bits))
        return guesses[best], float(bits[best])

    def _bits(self, guess: str, chances: np.ndarray, epsilon: float) -> float:
        if self._game.is_exact:
            matrix = matrix_of(self._lists, self._rule)
            return _entropy(np.bincount(matrix[self._rows[guess]], weights=chances))
        return float(expected_information(self._game, chances, [guess], epsilon or None)[0])


def by_round(values: Sequence[GuessValue]) -> list[RoundValue]:
    """Return means over the guesses of each round."""
    rounds: dict[int, list[GuessValue]] = {}
    for value in values:
        rounds.setdefault(value.round_, []).append(value)
    names = ("epsilon", "bits_left", "expected", "available", "gained")
    return [
        RoundValue(number, len(rows), *(mean_of([getattr(value, name) for value in rows]) for name in names))
        for number, rows in sorted(rounds.items())
    ]


def _entropy(chances: np.ndarray) -> float:
    positive = chances[chances > 0]
    return float(-(positive * np.log2(positive)).sum())
