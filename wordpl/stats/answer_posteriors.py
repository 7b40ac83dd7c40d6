"""The posterior probabilities of the answers of many noisy games, given their clues."""

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.core.clue_matrix import clue_row
from wordpl.core.clues import encode
from wordpl.core.compiled import kernel
from wordpl.core.words import WordLists
from wordpl.stats.scores.score import Floats
from wordpl.stats.text_numbers import TextNumbers

MARKS_PER_NUMBER = 8
"""The marks packed into a 16-bit integer, two bits each; longer words need several integers."""
MAX_UNSCALED_SPREAD = 400.0
"""The maximum spread of log weights without scaling; e^-400 is far above the smallest float."""

Marks = NDArray[np.uint16]


def answer_posteriors(played: Sequence[Sequence[Any]], lists: WordLists, clue_rule: str) -> Floats:
    """Return the posterior of the word proposed in each game, float[n]; 0 if a game ended without an answer.

    Args:
        played: The moves of each game as in record files: [guess, epsilon, clues], with the answer last.
        clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
    """
    return AnswerPosteriors(lists, clue_rule).posteriors(played)


class AnswerPosteriors:
    """Computes the posteriors of answers for blocks of games, with tables that grow with new guesses and clues."""

    def __init__(self, lists: WordLists, clue_rule: str):
        """Create empty tables.

        Args:
            clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
        """
        self._lists, self._clue_rule = lists, clue_rule
        self._answers = {answer: index for index, answer in enumerate(lists.answers)}
        self._guesses, self._clues = TextNumbers(), TextNumbers()
        n_parts = -(-lists.length // MARKS_PER_NUMBER)
        self._true: Marks = np.zeros((n_parts, 0, len(lists.answers)), np.uint16)
        self._shown: Marks = np.zeros((n_parts, 0), np.uint16)

    def posteriors(self, played: Sequence[Sequence[Sequence[Any]]]) -> Floats:
        """Return the posterior of the word proposed in each game, float[n]; 0 if a game ended without an answer.

        Args:
            played: The moves of each game: guess, epsilon and clues, with the answer last.
        """
        answered = [moves if len(moves) and moves[-1][1] == 0 else () for moves in played]
        answers = np.array([self._answers.get(moves[-1][0], -1) if moves else -1 for moves in answered], np.int64)
        starts = np.zeros(len(played) + 1, np.int64)
        np.cumsum([max(0, len(moves) - 1) for moves in answered], out=starts[1:])
        noisy_moves = list(chain.from_iterable([moves[:-1] for moves in answered]))
        guesses = self._guesses.numbers_of(map(itemgetter(0), noisy_moves), len(noisy_moves))
        clues = self._clues.numbers_of(map(itemgetter(2), noisy_moves), len(noisy_moves))
        epsilons = np.fromiter(map(itemgetter(1), noisy_moves), float, len(noisy_moves))
        self._extend()
        chances = np.zeros(len(played))
        marks = self._true, np.ascontiguousarray(self._shown[:, clues])
        _answer_posteriors(marks, (guesses, epsilons / self._lists.length, starts), answers, chances)
        return chances

    def _extend(self) -> None:
        """Add the marks of new guesses and clues to the tables."""
        length = self._lists.length
        rows = [clue_row(self._lists, self._clue_rule, guess) for guess in list(self._guesses)[self._true.shape[1] :]]
        if rows:
            self._true = np.concatenate([self._true, _packed_marks(np.array(rows), length)], axis=1)
        clues = [encode(clue) for clue in list(self._clues)[self._shown.shape[1] :]]
        if clues:
            self._shown = np.concatenate([self._shown, _packed_marks(np.array(clues), length)], axis=1)


def _packed_marks(codes: NDArray[Any], length: int) -> Marks:
    """Return the marks of clues in packed form, uint16[parts, ...].

    Args:
        codes: Clue numbers, an array of any shape.
        length: The length of words.
    """
    packed = np.zeros((-(-length // MARKS_PER_NUMBER), *codes.shape), np.uint16)
    for place in range(length):
        marks = (codes // 3**place % 3).astype(np.uint16)
        packed[place // MARKS_PER_NUMBER] |= marks << np.uint16(2 * (place % MARKS_PER_NUMBER))
    return packed


@kernel
def _answer_posteriors(
    marks: tuple[np.ndarray, np.ndarray],
    moves: tuple[np.ndarray, np.ndarray, np.ndarray],
    answers: np.ndarray,
    found: np.ndarray,
) -> None:
    """Write the posterior of each game's answer into `found`.

    Agreeing marks of all moves with the same epsilon are counted before the weights are multiplied, which saves
    exponentials.

    Args:
        marks: Packed marks as returned by `_packed_marks`: the true ones of each guess for each answer,
            [parts, guesses, answers], and the shown ones, [parts, moves].
        moves: The guess of each move, its epsilon per mark, and `starts`: game g has moves starts[g] to starts[g + 1].
        answers: The index of each game's answer, -1 if there is none.
        found: The output, zeros.
    """
    true, shown = marks
    guesses, per_mark, starts = moves
    weights, agreed = np.empty(true.shape[2]), np.empty(true.shape[2], np.uint16)
    for game in range(len(answers)):
        if answers[game] < 0:
            continue
        weights[:] = 1.0
        spread = 0.0
        for move in range(starts[game], starts[game + 1]):
            if not (per_mark[starts[game] : move] == per_mark[move]).any():
                agreed[:] = 0
                for other in range(move, starts[game + 1]):
                    if per_mark[other] == per_mark[move]:
                        for part in range(len(true)):
                            _add_agreement(true[part, guesses[other]], shown[part, other], agreed)
                most = agreed.max()
                spread += per_mark[move] * most
                _multiply(weights, agreed, per_mark[move], most)
                if spread > MAX_UNSCALED_SPREAD:
                    _scale(weights)
        total = _total(weights)
        found[game] = weights[answers[game]] / total if total > 0 else 0.0


@kernel
def _add_agreement(true: np.ndarray, shown: np.uint16, agreed: np.ndarray) -> None:
    """Add to agreed[a] the number of marks that are the same in true[a] and `shown`; padding counts as the same.

    It uses only 16-bit integer arithmetic, which the compiler can vectorize.
    """
    for a in range(len(true)):
        differ = true[a] ^ shown
        differ = (differ | (differ >> 1)) & np.uint16(0x5555)
        differ = (differ & np.uint16(0x3333)) + ((differ >> 2) & np.uint16(0x3333))
        differ = (differ & np.uint16(0x0F0F)) + ((differ >> 4) & np.uint16(0x0F0F))
        agreed[a] += np.uint16(8 - ((differ + (differ >> 8)) & np.uint16(0x1F)))


@kernel
def _multiply(weights: np.ndarray, agreed: np.ndarray, per_mark: float, most: int) -> None:
    """Multiply each weight by e^(per_mark * (agreed - most))."""
    factors = np.empty(most + 1)
    for n in range(most + 1):
        factors[n] = np.exp(per_mark * (n - most))
    for a in range(len(weights)):
        weights[a] *= factors[agreed[a]]


@kernel
def _scale(weights: np.ndarray) -> None:
    """Scale the weights so that the largest is 1; if all are 0 because of rounding, they stay 0."""
    top = weights.max()
    if 0 < top < 1:
        weights /= top


@kernel
def _total(weights: np.ndarray) -> float:
    """Return the sum, computed in four independent partial sums so that additions can overlap."""
    n = len(weights) // 4 * 4
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    for a in range(0, n, 4):
        one += weights[a]
        two += weights[a + 1]
        three += weights[a + 2]
        four += weights[a + 3]
    for a in range(n, len(weights)):
        one += weights[a]
    return (one + two) + (three + four)
