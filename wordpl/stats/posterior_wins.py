"""What the clues of noisy games say of their answers: P(win) with less luck, and a test for entries that know more.

Given the clues of a game, the chance that its answer is right is the posterior of that answer, whatever the strategy
does, as long as it knows nothing of the secret but its clues. So the mean posterior has the same expectation as the
share of games won, with a smaller variance (C. R. Rao 1945, D. Blackwell 1947). And the games won are independent
tosses with these chances: more wins than they allow mean that the entry knew more than its clues.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl import games
from wordpl.core.clue_matrix import agreements, clue_row
from wordpl.core.clues import encode
from wordpl.core.compiled import kernel
from wordpl.core.words import WordLists
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import Floats

FALSE_ALARM = 3e-5
"""The chance that a board of honest entries has any finding; shared among its tests."""
TINY = 1e-200


@dataclass(frozen=True)
class ClueExcess:
    """An entry that won more games within a budget than its clues allow.

    Attributes:
        entry: Its name.
        score: The percentile whose budget it is, such as "p50"; "won" for any budget.
        budget: What a game may cost.
        n_won: The games won within the budget.
        expected: The sum of the posteriors of the answers proposed within it.
        p_value: The exact chance of so many wins.
        n_tests: Among how many tests of this board.
    """

    entry: str
    score: str
    budget: float
    n_won: int
    expected: float
    p_value: float
    n_tests: int


def answer_posteriors(played: Sequence[Sequence[Any]], lists: WordLists, clue_rule: str) -> Floats:
    """Return the posterior of the word proposed in each game, float[n]; 0 where the game ended without an answer.

    Args:
        played: The moves of each game as the record files hold them: [guess, epsilon, clues], the answer last.
        lists: The words it was played with.
        clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
    """
    return AnswerPosteriors(lists, clue_rule).of(played)


class AnswerPosteriors:
    """The posteriors of the answers of many games, some at a time.

    Args:
        lists: The words they were played with.
        clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
    """

    def __init__(self, lists: WordLists, clue_rule: str):
        """Begin without a game."""
        self._lists, self._clue_rule = lists, clue_rule
        self._answers = {answer: at for at, answer in enumerate(lists.answers)}
        self._guesses: dict[str, int] = {}
        self._clues: dict[str, int] = {}
        self._matrix: NDArray[Any] = np.zeros((0, len(lists.answers)), np.uint8)
        self._agreements: NDArray[np.uint8] = np.zeros((0, 3**lists.length), np.uint8)

    def of(self, played: Sequence[Sequence[Sequence[Any]]]) -> Floats:
        """Return the posterior of the word proposed in each game, float[n]; 0 where the game ended without an answer.

        Args:
            played: The moves of each game: guess, epsilon and clues, the answer last.
        """
        answered = [moves if len(moves) and moves[-1][1] == 0 else () for moves in played]
        answers = np.array([self._answers.get(moves[-1][0], -1) if moves else -1 for moves in answered], np.int64)
        starts = np.zeros(len(played) + 1, np.int64)
        np.cumsum([max(0, len(moves) - 1) for moves in answered], out=starts[1:])
        shown = [move for moves in answered for move in moves[:-1]]
        guesses = _numbered(list(map(itemgetter(0), shown)), self._guesses)
        clues = _numbered(list(map(itemgetter(2), shown)), self._clues)
        epsilons = np.array(list(map(itemgetter(1), shown)), float)
        self._extend()
        found = np.zeros(len(played))
        result = answers, found, float(self._lists.length)
        _answer_posteriors(self._matrix, self._agreements, (guesses, epsilons, clues), starts, result)
        return found

    def _extend(self) -> None:
        """Add the rows of the guesses and clues that are new.

        The arrays are copies that can be written to: a read-only one is another type to numba, and would compile
        everything again.
        """
        rows = [clue_row(self._lists, self._clue_rule, guess) for guess in list(self._guesses)[len(self._matrix) :]]
        if rows:
            self._matrix = np.concatenate([*([self._matrix] if len(self._matrix) else []), np.array(rows)])
        clues = list(self._clues)[len(self._agreements) :]
        if clues:
            more = np.array([agreements(encode(one), self._lists.length) for one in clues], np.uint8)
            self._agreements = np.concatenate([self._agreements, more])


def _numbered(texts: Sequence[str], numbers: dict[str, int]) -> NDArray[np.int64]:
    """Return the number of each text; new ones get the next numbers."""
    for text in dict.fromkeys(texts):
        numbers.setdefault(text, len(numbers))
    return np.array(list(map(numbers.__getitem__, texts)), np.int64)


@kernel
def _answer_posteriors(
    matrix: np.ndarray,
    agreement: np.ndarray,
    moves: tuple[np.ndarray, np.ndarray, np.ndarray],
    starts: np.ndarray,
    result: tuple[np.ndarray, np.ndarray, float],
) -> None:
    """Put into result the posterior of each game's answer.

    matrix: clue numbers, [guesses, answers]; agreement: uint8[shown clues, 3**length]
    moves: the guess, the epsilon and the shown clue of each move; game g has the moves starts[g] to starts[g + 1]
    result: each game's answer, -1 for none; where the posteriors go; the number of letters
    """
    guesses, epsilons, shown = moves
    answers, found, length = result
    n_clues = agreement.shape[1]
    weights = np.empty(matrix.shape[1])
    factors = np.empty(n_clues)
    powers = np.empty(int(length) + 1)
    for game in range(len(answers)):
        if answers[game] < 0:
            continue
        weights[:] = 1.0
        for move in range(starts[game], starts[game + 1]):
            for agreed in range(len(powers)):
                powers[agreed] = np.exp(epsilons[move] * (agreed / length - 1))
            for code in range(n_clues):
                factors[code] = powers[agreement[shown[move], code]]
            row = matrix[guesses[move]]
            top = 0.0
            for a in range(len(weights)):
                weights[a] *= factors[row[a]]
                top = max(top, weights[a])
            if top < TINY:
                if top == 0.0:  # every word has been ruled out by rounding: very large budgets on wrong clues
                    break
                for a in range(len(weights)):
                    weights[a] /= top
        total = weights.sum()
        found[game] = weights[answers[game]] / total if total > 0 else 0.0


def with_posteriors(run: pd.DataFrame, lists: WordLists) -> pd.DataFrame:
    """Return the run, rows of `records.load_run`, with the column `posterior`: of the answer of each noisy game."""
    posterior = pd.Series(np.nan, index=run.index)
    for rules, rows in run[run["measure"] == "budget"].groupby("rules", sort=False):
        clue_rule = games.game_class(str(rules)).clue_rule
        posterior[rows.index] = answer_posteriors(list(rows["moves"]), lists, clue_rule)
    return run.assign(posterior=posterior)


def spent(played: Iterable[Sequence[Any]]) -> Floats:
    """Return the sum of epsilons of each game, won or not, float[n]."""
    games = list(played)
    epsilons = np.array([move[1] for moves in games for move in moves], float)
    game_of = np.repeat(np.arange(len(games)), list(map(len, games)))
    return np.asarray(np.bincount(game_of, epsilons, len(games)), float)


def clue_excesses(run: pd.DataFrame, scores: Sequence[QuantileScore]) -> list[ClueExcess]:
    """Return the entries that won more games than their clues allow, with the budget where it shows most.

    For each percentile shown, and for any budget, the games won within that budget are compared with the summed
    posteriors of the answers, by the exact Poisson-binomial tail.

    Args:
        run: Rows of `records.load_run` of one noisy game, with the column `posterior`, and `spent` or `moves`.
        scores: The percentiles shown.
    """
    if "spent" not in run:
        run = run.assign(spent=spent(run["moves"]))
    by_name = {str(name): rows for name, rows in run.groupby("entry", sort=False)}
    tests = [
        (name, label, budget)
        for name, rows in by_name.items()
        for label, budget in [*((score.name, score(score.per_game(rows)).value) for score in scores), ("won", np.inf)]
        if label == "won" or np.isfinite(budget)
    ]
    found: dict[str, ClueExcess] = {}
    for name, label, budget in tests:
        one = _excess(by_name[name], (name, label, float(budget)), len(tests))
        worst = found.get(name)
        if one.p_value < FALSE_ALARM / len(tests) and (worst is None or one.p_value < worst.p_value):
            found[name] = one
    return list(found.values())


def _excess(rows: pd.DataFrame, test: tuple[str, str, float], n_tests: int) -> ClueExcess:
    name, label, budget = test
    costs, posterior = rows["cost"].to_numpy(float), rows["posterior"].to_numpy(float)
    counted = rows["spent"].to_numpy(float) <= budget * (1 + 1e-9)
    n_won = int((counted & np.isfinite(costs)).sum())
    chances = posterior[counted]
    return ClueExcess(name, label, budget, n_won, float(chances.sum()), poisson_binomial_tail(chances, n_won), n_tests)


def poisson_binomial_tail(chances: Floats, hits: int) -> float:
    """Return P(at least `hits` hits) of independent tosses with these chances, exact up to 1e-12.

    The distribution is the product of the polynomials 1 - p + p x, multiplied two by two.

    >>> round(poisson_binomial_tail(np.array([0.5, 0.5, 0.5]), 2), 6)
    0.5
    """
    if hits <= 0:
        return 1.0
    if hits > len(chances):
        return 0.0
    products = np.array([1 - chances, chances]).T
    while len(products) > 1:
        if len(products) % 2:
            products = np.concatenate([products, np.eye(1, products.shape[1])])  # times 1
        size = 2 * products.shape[1]
        spectra = np.fft.rfft(products, size, axis=1)
        products = np.fft.irfft(spectra[::2] * spectra[1::2], size, axis=1)[:, : size - 1]
    return float(np.clip(products[0, hits:].sum(), 0, 1))
