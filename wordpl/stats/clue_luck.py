"""What the clues of noisy games say about wins: the posterior of each answer, and how lucky each clue was.

Given the clues of a game, its answer is right with the posterior probability of this answer, whatever the strategy
does, as long as it knows only the clues (C. R. Rao 1945, D. Blackwell 1947). The luck of a clue is the largest
posterior probability after it, minus the expectation of this largest probability before the clue, given the guess. So
each luck term has mean zero given everything before the guess, whichever strategy chose it, and sums of luck terms with
coefficients that were fixed before the clue can be subtracted from the posterior without a bias. (N. Burch, M. Schmid,
M. Moravcik, D. Morrill and M. Bowling, "AIVAT: a new variance reduction technique for agent evaluation in imperfect
information games", AAAI 2018, use such terms in poker.)

A guess, too, is right with its posterior probability before its clue. So a bet at fair odds that the guess is the
secret gains nothing on average, unless the strategy knows more than its clues.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import chain, repeat
from math import exp
from operator import eq, itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.core.clues import encode
from wordpl.core.moves import budget_of
from wordpl.core.numbering import Numbering
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import agreements, clue_row, clue_type
from wordpl.kernels.compiled import is_loaded, kernel

Floats = NDArray[np.float64]

MIN_SCALE = 1e-100
"""The largest weight below which all weights of a game are scaled, so that products do not underflow."""
MAX_PLAIN_CLUES = 3000
"""The number of clues up to which numpy alone is as fast as loading the kernels, let alone compiling them."""

Move = Sequence[Any]
"""A move of a noisy game as in record files: guess, epsilon, clues; an answer has epsilon 0."""


@dataclass(frozen=True, eq=False)
class ClueLuck:
    """The posteriors of the answers of n games, and the luck of their m clues in the order of play.

    Attributes:
        answer: The posterior of each game's answer, 0 if it ended without a valid one, float[n].
        spent: The sum of the epsilons of each game, rounded to BUDGET_DIGITS decimals, float[n].
        starts: The clues of game g have the indices starts[g] to starts[g + 1], int[n + 1].
        luck: The luck of each clue, float[m].
        bet: What a bet of 1 that the guess is the secret gains at fair odds, before its clue, float[m]; 0 if the guess
            is no possible secret, or if the secrets are not known.
        paid: The sum of the game's epsilons up to and including the guess of each clue, float[m].
    """

    answer: Floats
    spent: Floats
    starts: NDArray[np.int64]
    luck: Floats
    bet: Floats
    paid: Floats

    @property
    def game(self) -> NDArray[np.int64]:
        """The game of each clue, int[m]."""
        return np.repeat(np.arange(len(self.answer)), np.diff(self.starts))

    @property
    def position(self) -> NDArray[np.int64]:
        """The position of each clue in its game, from 0, int[m]."""
        return np.arange(len(self.luck)) - self.starts[self.game]

    def take(self, games: NDArray[np.int64]) -> "ClueLuck":
        """Return the luck of these games, in this order."""
        counts = np.diff(self.starts)[games]
        starts = np.concatenate([[0], np.cumsum(counts)])
        clues = np.repeat(self.starts[games] - starts[:-1], counts) + np.arange(starts[-1])
        return ClueLuck(
            self.answer[games], self.spent[games], starts, self.luck[clues], self.bet[clues], self.paid[clues]
        )

    @classmethod
    def concatenate(cls, parts: Sequence["ClueLuck"]) -> "ClueLuck":
        """Return the luck of the games of all parts."""
        if not parts:
            return cls(np.zeros(0), np.zeros(0), np.zeros(1, np.int64), *np.zeros((3, 0)))
        ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
        starts = [part.starts[1:] + end for part, end in zip(parts, ends, strict=False)]
        arrays = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
            if field.name != "starts"
        }
        return cls(starts=np.concatenate([np.zeros(1, np.int64), *starts]), **arrays)


class LuckMeter:
    """Computes the luck of blocks of games under one clue rule and randomized response, with tables that grow."""

    def __init__(self, lists: WordLists, clue_rule: str):
        """Create empty tables.

        Args:
            lists: The word lists; each answer is equally likely to be the secret.
            clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
        """
        self._lists, self._clue_rule = lists, clue_rule
        self._answers = {answer: index for index, answer in enumerate(lists.answers)}
        self._guesses: Numbering[str] = Numbering()
        self._clues: Numbering[str] = Numbering()
        self._rows = np.zeros((0, len(lists.answers)), clue_type(lists.length))
        self._codes = np.zeros(0, np.int64)
        self._targets = np.zeros(0, np.int64)

    def measure(self, played: Sequence[Sequence[Move]], secrets: Sequence[str] | None = None) -> ClueLuck:
        """Return the luck of these games.

        A guess without clues, which can only be the last move of a game that was cut short, counts as not made.

        Args:
            played: The moves of each game; the answer, if there is one, comes last.
            secrets: The secret of each game; None: they are not known.
        """
        answers = np.array([self._answer(moves) for moves in played], np.int64)
        shown = [[move for move in moves if move[1] != 0 and move[2]] for moves in played]
        starts = np.zeros(len(played) + 1, np.int64)
        np.cumsum(list(map(len, shown)), out=starts[1:])
        moves = list(chain.from_iterable(shown))
        guesses = self._guesses.numbers_of(map(itemgetter(0), moves), len(moves))
        clues = self._clues.numbers_of(map(itemgetter(2), moves), len(moves))
        epsilons = np.fromiter(map(itemgetter(1), moves), float, len(moves))
        self._extend()
        result = ClueLuck(np.zeros(len(played)), _spent(played), starts, *np.zeros((3, len(moves))))
        per_mark = epsilons / self._lists.length
        is_small = len(moves) <= MAX_PLAIN_CLUES and not is_loaded(_measure)
        (_measure_plainly if is_small else _measure)(
            self._rows,
            self._lists.length,
            (guesses, self._targets[guesses], self._codes[clues], per_mark, starts, answers),
            (result.answer, result.luck, result.bet),
        )
        result.paid[:] = _running_sums(epsilons, starts)
        if secrets is None:
            result.bet[:] = 0.0
            return result
        words = chain.from_iterable(repeat(secret, len(moves)) for secret, moves in zip(secrets, shown, strict=True))
        is_secret = np.fromiter(map(eq, map(itemgetter(0), moves), words), bool, len(moves))
        with np.errstate(divide="ignore"):
            gains = np.where(is_secret, 1 / result.bet, 0.0) - 1
        result.bet[:] = np.where(result.bet > 0, gains, 0.0)
        return result

    def _answer(self, moves: Sequence[Move]) -> int:
        return self._answers.get(moves[-1][0], -1) if len(moves) and moves[-1][1] == 0 else -1

    def _extend(self) -> None:
        """Add the true clues of new guesses and the numbers of new clues to the tables."""
        new = list(self._guesses)[len(self._rows) :]
        self._lists.require_guesses(new)
        rows = [clue_row(self._lists, self._clue_rule, guess) for guess in new]
        if rows:
            self._rows = np.concatenate([self._rows, np.array(rows)])
        targets = [self._answers.get(guess, -1) for guess in new]
        self._targets = np.concatenate([self._targets, np.array(targets, np.int64)])
        codes = [encode(clue) for clue in list(self._clues)[len(self._codes) :]]
        self._codes = np.concatenate([self._codes, np.array(codes, np.int64)])


def _spent(played: Sequence[Sequence[Move]]) -> Floats:
    """Return the sum of the epsilons of each game, as `moves.total_epsilon` does."""
    return np.array([budget_of([move[1] for move in moves]) for moves in played], float)


def _running_sums(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return the sums of values from the start of each game; sums of different games are independent of each other."""
    longest = int(np.diff(starts).max(initial=0))
    sums = values.copy()
    for position in range(1, longest):
        clues = starts[:-1][np.diff(starts) > position] + position
        with np.errstate(over="ignore"):  # the sum is infinite
            sums[clues] += sums[clues - 1]
    return sums


Moves: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Found: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]


def _measure_plainly(rows: np.ndarray, length: int, moves: Moves, found: Found) -> None:
    """Do what `_measure` does without kernels, with the same result to the bit."""
    guesses, targets, shown, per_mark, starts, answers = moves
    answer, luck, chances = found
    for game in range(len(answers)):
        weights = np.ones(rows.shape[1])
        total = float(len(weights))
        for move in range(starts[game], starts[game + 1]):
            row, price = rows[guesses[move]], float(per_mark[move])
            largest = np.zeros(3**length)
            np.maximum.at(largest, row, weights)
            differing = length - agreements(int(shown[move]), length).astype(np.int64)
            least = int(differing[largest > 0].min(initial=length))
            powers = np.array([exp(price * (least - n)) if n >= least else 0.0 for n in range(length + 1)])
            chances[move] = weights[targets[move]] / total if targets[move] >= 0 else 0.0
            expected = _plain_expected_top(largest, price) / total
            weights *= powers[differing][row]
            top = float(weights.max())
            if 0 < top < MIN_SCALE:
                weights /= top
                top = 1.0
            total = _plain_total(weights)
            luck[move] = top / total - expected
        if answers[game] >= 0:
            answer[game] = weights[answers[game]] / total


def _plain_expected_top(largest: np.ndarray, price: float) -> float:
    keep = 1 / (1 + 2 * exp(-price))
    turn = exp(-price) * keep
    stride = 1
    while stride < len(largest):
        x, y, z = largest.reshape(-1, 3, stride).swapaxes(0, 1)
        kept = np.array([keep * x, keep * y, keep * z])
        turned = turn * np.array([np.maximum(y, z), np.maximum(x, z), np.maximum(x, y)])
        largest = np.maximum(kept, turned).swapaxes(0, 1).ravel()
        stride *= 3
    return _plain_total(largest)


def _plain_total(values: np.ndarray) -> float:
    n = len(values) // 4 * 4
    sums = np.add.accumulate(values[:n].reshape(-1, 4))[-1] if n else np.zeros(4)  # in the order of `_total`
    one, two, three, four = map(float, sums)
    for value in values[n:]:
        one += float(value)
    return (one + two) + (three + four)


@kernel
def _measure(rows: np.ndarray, length: int, moves: Moves, found: Found) -> None:
    """Write the posterior of each game's answer, and the luck of each clue.

    Args:
        rows: The number of the true clue of each guess for each answer, [guesses, answers].
        length: The length of words.
        moves: The guess of each move, its index among the answers or -1, the number of the clue shown, its epsilon per
            mark, `starts` as in `ClueLuck`, and the index of each game's answer, -1 if there is none.
        found: The outputs: the posterior of each answer, zeros; the luck of each clue, and the posterior of its guess
            before it.
    """
    guesses, targets, shown, per_mark, starts, answers = moves
    answer, luck, chances = found
    weights = np.empty(rows.shape[1])
    largest, kept, factors = np.empty(3**length), np.empty(3**length), np.empty(3**length)
    for game in range(len(answers)):
        weights[:] = 1.0
        total = float(len(weights))
        for move in range(starts[game], starts[game + 1]):
            row = rows[guesses[move]]
            largest[:] = 0.0
            for a in range(len(weights)):
                if weights[a] > largest[row[a]]:
                    largest[row[a]] = weights[a]
            _fill_factors(factors, largest, shown[move], per_mark[move], length)
            chances[move] = weights[targets[move]] / total if targets[move] >= 0 else 0.0
            kept[:] = largest
            expected = _expected_top(kept, per_mark[move], length) / total
            top = _multiply(weights, factors, row)
            if 0 < top < MIN_SCALE:
                weights /= top
                top = 1.0
            total = _total(weights)
            luck[move] = top / total - expected
        if answers[game] >= 0:
            answer[game] = weights[answers[game]] / total


@kernel
def _fill_factors(factors: np.ndarray, largest: np.ndarray, shown: int, per_mark: float, length: int) -> None:
    """Write e^(per_mark * (least - n)) for each true clue, where n of its marks differ from those shown.

    `least` is the smallest n of a clue that is still possible, so that not all products underflow.

    Args:
        factors: The output, [3**length].
        largest: The largest weight of an answer with each true clue.
        shown: The number of the clue shown.
        per_mark: epsilon / length.
        length: The length of words.
    """
    factors[0] = 0.0
    size, least = 1, length
    for _ in range(length):  # from the last mark, which is the least significant digit
        mark = shown // size % 3
        for code in range(size):
            n = factors[code]
            factors[code] = n + (mark != 0)
            factors[size + code] = n + (mark != 1)
            factors[2 * size + code] = n + (mark != 2)
        size *= 3
    for code in range(size):
        if largest[code] > 0 and factors[code] < least:
            least = int(factors[code])
    powers = np.empty(length + 1)
    for n in range(length + 1):
        powers[n] = exp(per_mark * (least - n)) if n >= least else 0.0
    for code in range(size):
        factors[code] = powers[int(factors[code])]


@kernel
def _expected_top(largest: np.ndarray, per_mark: float, length: int) -> float:
    """Return the sum over shown clues y of the maximum over true clues x of largest[x] P(y | x).

    P(y | x) is a product over marks, so the maximum is taken one mark after the other. `largest` is overwritten.
    """
    keep = 1 / (1 + 2 * exp(-per_mark))
    turn = exp(-per_mark) * keep
    stride = 1
    for _ in range(length):
        for start in range(0, len(largest), 3 * stride):
            for code in range(start, start + stride):
                x, y, z = largest[code], largest[code + stride], largest[code + 2 * stride]
                largest[code] = max(keep * x, turn * max(y, z))
                largest[code + stride] = max(keep * y, turn * max(x, z))
                largest[code + 2 * stride] = max(keep * z, turn * max(x, y))
        stride *= 3
    return _total(largest)


@kernel
def _multiply(weights: np.ndarray, factors: np.ndarray, row: np.ndarray) -> float:
    """Multiply each weight by the factor of its clue, and return the largest weight."""
    top = 0.0
    for a in range(len(weights)):
        weights[a] *= factors[row[a]]
        top = max(top, weights[a])
    return top


@kernel
def _total(values: np.ndarray) -> float:
    """Return the sum, computed in four independent partial sums so that additions can overlap."""
    n = len(values) // 4 * 4
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n, 4):
        one += values[i]
        two += values[i + 1]
        three += values[i + 2]
        four += values[i + 3]
    for i in range(n, len(values)):
        one += values[i]
    return (one + two) + (three + four)
