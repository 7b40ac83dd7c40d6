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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from math import exp
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.core.clues import encode
from wordpl.core.moves import LARGEST_BUDGET
from wordpl.core.words import WordLists, letters
from wordpl.kernels.clue_matrix import agreements, clue_matrix, clue_row, clue_type
from wordpl.kernels.compiled import is_loaded, kernel
from wordpl.run.frame import Moves

Floats = NDArray[np.float64]
Worth = Callable[[Floats], Floats]
"""What a right answer is worth after these sums of epsilons, or these numbers of guesses, have been paid."""

MIN_SCALE = 1e-100
"""The largest weight below which all weights of a game are scaled, so that products do not underflow."""
MAX_SHARED = 8
"""The number of first moves that games may share; the weights after each of them are kept."""
GAMES_AT_ONCE = 100_000
"""The number of games that are measured together; more take more memory."""
MAX_PLAIN_CLUES = 3000
"""The number of clues up to which numpy alone is as fast as loading the kernels, let alone compiling them."""

OF_GAMES = ("answer", "spent")
"""The fields of `ClueLuck` that have a value for each game; those of others are for each clue."""

Move = Sequence[Any]
"""A move of a noisy game as in record files: guess, epsilon, clues; an answer has epsilon 0."""


@dataclass(frozen=True, eq=False)
class ClueLuck:
    """The posteriors of the answers of n games, and the luck of their m clues in the order of play.

    Attributes:
        answer: The posterior of each game's answer, 0 if it ended without a valid one, float[n].
        spent: The sum of the epsilons of each game, rounded to BUDGET_DIGITS decimals, float[n]; see LARGEST_BUDGET.
        starts: The clues of game g have the indices starts[g] to starts[g + 1], int[n + 1].
        luck: The luck of each clue, float[m].
        bet: What a bet of 1 that the guess is the secret gains at fair odds, before its clue, float[m]; 0 if the guess
            is no possible secret, or if the secrets are not known.
        paid: The sum of the game's epsilons up to and including the guess of each clue, float[m].
        has_answer: Whether the answer is a move of its own, so that clues alone say what the game is worth.
    """

    answer: Floats
    spent: Floats
    starts: NDArray[np.int64]
    luck: Floats
    bet: Floats
    paid: Floats
    has_answer: ClassVar[bool] = True

    def terms(self, worth: Worth) -> Floats:
        """Return the luck of each clue in games whose right answer is worth `worth` of what was paid, float[m]."""
        return np.asarray(worth(self.paid) * self.luck)

    @property
    def game(self) -> NDArray[np.int64]:
        """The game of each clue, int[m]."""
        return np.repeat(np.arange(len(self.answer)), np.diff(self.starts))

    @property
    def position(self) -> NDArray[np.int64]:
        """The position of each clue in its game, from 0, int[m]."""
        return np.arange(len(self.luck)) - self.starts[self.game]

    def take(self, games: NDArray[np.int64]) -> Self:
        """Return the luck of these games, in this order."""
        counts = np.diff(self.starts)[games]
        starts = np.concatenate([[0], np.cumsum(counts)])
        clues = np.repeat(self.starts[games] - starts[:-1], counts) + np.arange(starts[-1])
        places = {field.name: games if field.name in OF_GAMES else clues for field in fields(self)}
        taken: dict[str, Any] = {name: getattr(self, name)[own] for name, own in places.items() if name != "starts"}
        return replace(self, starts=starts, **taken)

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
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
    """Computes the luck of games under one clue rule and randomized response.

    Attributes:
        lists: The word lists.
        clue_rule: How clues treat repeated letters.
    """

    def __init__(self, lists: WordLists, clue_rule: str):
        """Create a meter.

        Args:
            lists: The word lists; each answer is equally likely to be the secret.
            clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
        """
        self.lists, self.clue_rule = lists, clue_rule
        self._answers = {answer: index for index, answer in enumerate(lists.answers)}

    def measure(self, played: Sequence[Sequence[Move]], secrets: Sequence[str] | None = None) -> ClueLuck:
        """Return the luck of these games; see `measure_moves`.

        Args:
            played: The moves of each game; the answer, if there is one, comes last.
            secrets: The secret of each game; None: they are not known.
        """
        return self.measure_moves(Moves.of_lists(played), None if secrets is None else self.indices(secrets))

    def measure_moves(self, played: Moves, secrets: NDArray[np.int64] | None = None) -> ClueLuck:
        """Return the luck of these games.

        A guess without clues, which can only be the last move of a game that was cut short, counts as not made.

        Args:
            played: The moves of each game.
            secrets: The index of each game's secret, see `indices`; None: they are not known.

        Raises:
            UserError: A guess is not in the list of guesses.
        """
        indices = np.full(len(played), -1) if secrets is None else secrets
        parts = [(first, first + GAMES_AT_ONCE) for first in range(0, len(played), GAMES_AT_ONCE)]
        return ClueLuck.concatenate([self._measured(played.part(*part), indices[slice(*part)]) for part in parts])

    def indices(self, secrets: Sequence[str]) -> NDArray[np.int64]:
        """Return the index of each secret among the answers, -1 if it is none, int[n]."""
        return np.array([self._answers.get(secret, -1) for secret in secrets], np.int64)

    def _measured(self, played: Moves, secrets: NDArray[np.int64]) -> ClueLuck:
        guesses, clues, epsilons = played.guess_codes, played.clue_codes, played.epsilons[played.epsilon_codes]
        is_shown = (epsilons != 0) & np.array([bool(text) for text in played.clues], bool)[clues]
        starts = np.concatenate([[0], np.cumsum(is_shown)])[played.starts]
        answers = self._answer_indices(played, epsilons)
        guesses, clues, epsilons = (array[is_shown] for array in (guesses, clues, epsilons))
        result = ClueLuck(np.zeros(len(played)), played.spent(), starts, *np.zeros((3, len(guesses))))
        is_small = len(guesses) <= MAX_PLAIN_CLUES and not is_loaded(_measure)
        words, of_word = np.unique(guesses, return_inverse=True)
        rows = self._rows([played.guesses[word] for word in words], is_small=is_small)
        texts, codes = np.unique(clues, return_inverse=True)
        shown = np.array([encode(played.clues[text]) for text in texts], np.int64)[codes]
        targets = np.array([self._answers.get(played.guesses[word], -1) for word in words], np.int64)[of_word]
        moves = of_word, targets, shown, epsilons / self.lists.length, starts, answers
        found = result.answer, result.luck, result.bet
        if is_small:
            _measure_plainly(rows, self.lists.length, moves, found)
        else:
            prices = np.unique(epsilons, return_inverse=True)[1]
            _measure(rows, self.lists.length, moves, sharing_of(of_word, prices, shown, starts), found)
        result.paid[:] = _running_sums(epsilons, starts)
        _settle(result.bet, targets, secrets[result.game])
        return result

    def _answer_indices(self, played: Moves, epsilons: Floats) -> NDArray[np.int64]:
        """Return the index of each game's answer, -1 if it has none, int[n]; epsilons: those of all moves."""
        indices, last = np.full(len(played), -1, np.int64), played.starts[1:] - 1
        games = np.flatnonzero(played.lengths)
        games = games[epsilons[last[games]] == 0]
        of_word = np.array([self._answers.get(word, -1) for word in played.guesses], np.int64)
        indices[games] = of_word[played.guess_codes[last[games]]]
        return indices

    def _rows(self, guesses: Sequence[str], *, is_small: bool) -> np.ndarray:
        """Return the number of the true clue of each guess for each answer, [guesses, answers].

        Args:
            guesses: The guesses.
            is_small: Whether to do it without kernels.
        """
        self.lists.require_guesses(guesses)
        if guesses and not is_small:
            return clue_matrix(letters(guesses), letters(self.lists.answers), self.clue_rule)
        rows = [clue_row(self.lists, self.clue_rule, guess) for guess in guesses]
        return np.array(rows, clue_type(self.lists.length)).reshape(-1, len(self.lists.answers))


def load_kernels(lists: WordLists) -> None:
    """Load the kernels, or compile them, by measuring a game."""
    game = [(lists.guesses[0], 1.0, "." * lists.length), (lists.answers[0], 0, "")]
    LuckMeter(lists, "counted").measure([game])


def sharing_of(
    guesses: NDArray[np.int64], prices: NDArray[np.int64], shown: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of games in which those that begin alike are neighbours, and how much each shares with the last.

    Args:
        guesses, prices, shown: The guess, the epsilon and the clue of each move, as numbers, int[m].
        starts: As in `ClueLuck`.

    Returns:
        The order, int[n], and for each game in this order twice the number of its first moves that are those of the
        game before, plus 1 if the next guess and epsilon are the same, int[n]. At most `2 * MAX_SHARED - 1` is shared.
    """
    counts = np.diff(starts)
    asked = guesses * (prices.max(initial=0) + 1) + prices
    moved = asked * (shown.max(initial=0) + 1) + shown
    n_places = min(MAX_SHARED, int(counts.max(initial=0)))
    keys = np.full((n_places + 1, 2, len(counts)), -1, np.int64)  # the last ones stay -1, which nothing shares
    for place in range(n_places):
        games = np.flatnonzero(counts > place)
        keys[place, 0, games], keys[place, 1, games] = asked[starts[games] + place], moved[starts[games] + place]
    order = np.lexsort(keys[::-1, 1])
    keys = keys.reshape(2 * n_places + 2, -1)[:, order]
    shared = ((keys[:, 1:] != keys[:, :-1]) | (keys[:, 1:] < 0)).argmax(axis=0)
    return order, np.concatenate([[0], np.minimum(shared, 2 * MAX_SHARED - 1)])[: len(order)]


def _settle(chances: Floats, guesses: NDArray[np.int64], secrets: NDArray[np.int64]) -> None:
    """Replace the probability of each guess by the gain of a bet on it; guesses and secrets: as answers, or -1."""
    with np.errstate(divide="ignore"):
        gains = np.where(guesses == secrets, 1 / chances, 0.0) - 1
    chances[:] = np.where((chances > 0) & (secrets >= 0), gains, 0.0)


def _running_sums(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """Return the sums of values from the start of each game; sums of different games are independent of each other."""
    longest = int(np.diff(starts).max(initial=0))
    sums = values.copy()
    for position in range(1, longest):
        clues = starts[:-1][np.diff(starts) > position] + position
        with np.errstate(over="ignore"):
            sums[clues] = np.minimum(sums[clues] + sums[clues - 1], LARGEST_BUDGET)
    return sums


ShownMoves: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sharing: TypeAlias = tuple[np.ndarray, np.ndarray]
Found: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]


def _measure_plainly(rows: np.ndarray, length: int, moves: ShownMoves, found: Found) -> None:
    """Do what `_measure` does without kernels, with the same result to the bit."""
    guesses, targets, shown, per_mark, starts, answers = moves
    answer, luck, chances = found
    for game in range(len(answers)):
        weights = np.ones(rows.shape[1])
        total = float(len(weights))
        for move in range(starts[game], starts[game + 1]):
            chances[move] = weights[targets[move]] / total if targets[move] >= 0 else 0.0
            row, price = rows[guesses[move]], float(per_mark[move])
            weights, total, top, expected = after_clue(weights, total, row, price, int(shown[move]), length)
            luck[move] = top - expected
        if answers[game] >= 0:
            answer[game] = weights[answers[game]] / total


def after_clue(
    weights: Floats, total: float, row: np.ndarray, per_mark: float, shown: int, length: int
) -> tuple[Floats, float, float, float]:
    """Return what a clue leaves: the weights of answers and their sum, the largest posterior, and its expectation.

    The expectation is that before the clue, given the guess.

    Args:
        weights: The weight of each answer, float[answers].
        total: Their sum.
        row: The number of the true clue of the guess for each answer.
        per_mark: epsilon / length.
        shown: The number of the clue shown.
        length: The length of words.
    """
    largest = np.zeros(3**length)
    np.maximum.at(largest, row, weights)
    differing = length - agreements(shown, length).astype(np.int64)
    least = int(differing[largest > 0].min(initial=length))
    powers = np.array([exp(per_mark * (least - n)) if n >= least else 0.0 for n in range(length + 1)])
    expected = _plain_expected_top(largest, per_mark) / total
    left = weights * powers[differing][row]
    top = float(left.max())
    if 0 < top < MIN_SCALE:
        left /= top
        top = 1.0
    total = _plain_total(left)
    return left, total, top / total, expected


def _plain_expected_top(largest: np.ndarray, price: float) -> float:
    return _plain_total(spread_largest(largest, price, len(largest)))


def spread_largest(largest: np.ndarray, per_mark: float, n_codes: int) -> np.ndarray:
    """Return the maximum over true clues x of largest[x] P(y | x) for each shown clue y of randomized response.

    P(y | x) is a product over marks, so the maximum is taken one mark after the other.

    Args:
        largest: A number for each true clue, float[n_codes], or those of several guesses, one after the other.
        per_mark: epsilon / length.
        n_codes: The number of clues.
    """
    keep = 1 / (1 + 2 * exp(-per_mark))
    turn = exp(-per_mark) * keep
    stride = 1
    while stride < n_codes:
        x, y, z = largest.reshape(-1, 3, stride).swapaxes(0, 1)
        kept = np.array([keep * x, keep * y, keep * z])
        turned = turn * np.array([np.maximum(y, z), np.maximum(x, z), np.maximum(x, y)])
        largest = np.maximum(kept, turned).swapaxes(0, 1).ravel()
        stride *= 3
    return largest


def _plain_total(values: np.ndarray) -> float:
    n = len(values) // 4 * 4
    sums = np.add.accumulate(values[:n].reshape(-1, 4))[-1] if n else np.zeros(4)  # in the order of `total_of`
    one, two, three, four = map(float, sums)
    for value in values[n:]:
        one += float(value)
    return (one + two) + (three + four)


@kernel
def _measure(rows: np.ndarray, length: int, moves: ShownMoves, sharing: Sharing, found: Found) -> None:
    """Write the posterior of each game's answer, and the luck of each clue.

    What the first moves of a game have in common with those of the game before is not computed again.

    Args:
        rows: The number of the true clue of each guess for each answer, [guesses, answers].
        length: The length of words.
        moves: The guess of each move, its index among the answers or -1, the number of the clue shown, its epsilon per
            mark, `starts` as in `ClueLuck`, and the index of each game's answer, -1 if there is none.
        sharing: The order of games, and what each shares with the one before; see `sharing_of`.
        found: The outputs: the posterior of each answer, zeros; the luck of each clue, and the posterior of its guess
            before it.
    """
    guesses, targets, shown, per_mark, starts, answers = moves
    order, shared = sharing
    answer, luck, chances = found
    n_answers, n_codes, deepest = rows.shape[1], 3**length, 0
    for game in range(len(answers)):
        deepest = max(deepest, min(MAX_SHARED, starts[game + 1] - starts[game]))
    weights = np.ones((deepest + 1, n_answers))  # after so many clues; in the last row, after at least so many
    total = np.full(deepest + 1, float(n_answers))
    largest, expected = np.empty((deepest + 1, n_codes)), np.empty(deepest + 1)
    kept, factors = np.empty(n_codes), np.empty(n_codes)
    for place in range(len(order)):
        game, n_same = order[place], shared[place] // 2
        first = starts[game]
        for move in range(n_same):  # those of the game before
            luck[first + move] = luck[starts[order[place - 1]] + move]
            chances[first + move] = chances[starts[order[place - 1]] + move]
        for move in range(first + n_same, starts[game + 1]):
            now, then = min(move - first, deepest), min(move - first + 1, deepest)
            row = rows[guesses[move]]
            if move > first + n_same or shared[place] % 2 == 0:
                largest[now] = 0.0
                fill_largest(largest[now], weights[now], row)
                for code in range(n_codes):  # numba takes two seconds to compile the assignment of an array, as below
                    kept[code] = largest[now, code]
                expected[now] = expected_top(kept, per_mark[move], length) / total[now]
            fill_factors(factors, largest[now], shown[move], per_mark[move], length)
            chances[move] = weights[now, targets[move]] / total[now] if targets[move] >= 0 else 0.0
            top = multiply(weights[now], factors, row, weights[then])
            if 0 < top < MIN_SCALE:
                for a in range(n_answers):
                    weights[then, a] /= top
                top = 1.0
            total[then] = total_of(weights[then])
            luck[move] = top / total[then] - expected[now]
        if answers[game] >= 0:
            last = min(starts[game + 1] - first, deepest)
            answer[game] = weights[last, answers[game]] / total[last]


@kernel
def fill_largest(largest: np.ndarray, weights: np.ndarray, row: np.ndarray) -> None:
    """Write the largest weight of an answer with each true clue into `largest`, which is zero before."""
    for a in range(len(weights)):
        if weights[a] > largest[row[a]]:
            largest[row[a]] = weights[a]


@kernel
def fill_factors(factors: np.ndarray, largest: np.ndarray, shown: int, per_mark: float, length: int) -> None:
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
def expected_top(largest: np.ndarray, per_mark: float, length: int) -> float:
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
    return total_of(largest)


@kernel
def multiply(weights: np.ndarray, factors: np.ndarray, row: np.ndarray, products: np.ndarray) -> float:
    """Write the product of each weight and the factor of its clue into `products`, and return the largest."""
    top = 0.0
    for a in range(len(weights)):
        products[a] = weights[a] * factors[row[a]]
        top = max(top, products[a])
    return top


@kernel
def total_of(values: np.ndarray) -> float:
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
