"""Posterior probabilities of answers: P(win) with a smaller variance, and a test for entries that know more than clues.

Given the clues of a game, the probability that its answer is right is the posterior of the answer, whatever the
strategy does, as long as it knows only the clues. So the mean posterior has the same expectation as the share of games
won, but a smaller variance (C. R. Rao 1945, D. Blackwell 1947). Moreover, wins are independent Bernoulli trials with
these probabilities: significantly more wins than expected show that the entry knew more than its clues.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wordpl import games
from wordpl.core.words import WordLists
from wordpl.stats.answer_posteriors import answer_posteriors
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import Floats

MAX_FALSE_ALARM = 3e-5
"""The probability of a false positive on a board, divided equally among its tests."""
EXACT = 1e-12
"""The maximum rounding error of a tail probability."""


@dataclass(frozen=True)
class ClueExcess:
    """An entry that won significantly more games within a budget than its clues allow.

    Attributes:
        entry: The name of the entry.
        score: The percentile whose budget was tested, such as "p50"; "won" for any budget.
        budget: The budget.
        n_won: The number of games won within the budget.
        expected: The expected number: the sum of the posteriors of the answers proposed within the budget.
        p_value: The exact probability of at least this many wins.
        n_tests: The number of tests on this board.
    """

    entry: str
    score: str
    budget: float
    n_won: int
    expected: float
    p_value: float
    n_tests: int


def with_posteriors(run: pd.DataFrame, lists: WordLists) -> pd.DataFrame:
    """Return the run, rows of `load_run`, with an additional column `posterior`: that of each noisy game's answer."""
    posterior = pd.Series(np.nan, index=run.index)
    for rules, rows in run[run["measure"] == "budget"].groupby("rules", sort=False, observed=True):
        clue_rule = games.game_class(str(rules)).clue_rule
        posterior[rows.index] = answer_posteriors(list(rows["moves"]), lists, clue_rule)
    return run.assign(posterior=posterior)


def spent(played: Iterable[Sequence[Any]]) -> Floats:
    """Return the sum of epsilons of each game, whether or not it was won, float[n]."""
    games = list(played)
    epsilons = np.array([move[1] for moves in games for move in moves], float)
    game_of = np.repeat(np.arange(len(games)), list(map(len, games)))
    return np.asarray(np.bincount(game_of, epsilons, len(games)), float)


def clue_excesses(run: pd.DataFrame, scores: Sequence[QuantileScore]) -> list[ClueExcess]:
    """Return the entries that won significantly more games than their clues allow, with the most significant budget.

    For the budget of each percentile, and for any budget, the number of games won within it is compared with the sum of
    the posteriors of the answers, by the exact tail of the Poisson binomial distribution.

    Args:
        run: Rows of `load_run` of one noisy game, with the column `posterior`, and `spent` or `moves`.
        scores: The percentiles.
    """
    if "spent" not in run:
        run = run.assign(spent=spent(run["moves"]))
    by_name = {str(name): rows for name, rows in run.groupby("entry", sort=False, observed=True)}
    tests = [
        (name, label, budget)
        for name, rows in by_name.items()
        for label, budget in [*((score.name, score(score.per_game(rows)).value) for score in scores), ("won", np.inf)]
        if label == "won" or np.isfinite(budget)
    ]
    excesses: dict[str, ClueExcess] = {}
    for name, label, budget in tests:
        excess = _excess(by_name[name], (name, label, float(budget)), len(tests))
        worst = excesses.get(name)
        if excess and (worst is None or excess.p_value < worst.p_value):
            excesses[name] = excess
    return list(excesses.values())


def _excess(rows: pd.DataFrame, test: tuple[str, str, float], n_tests: int) -> ClueExcess | None:
    """Return the excess of an entry's wins within a budget; None if it is not significant."""
    name, label, budget = test
    costs, posterior = rows["cost"].to_numpy(float), rows["posterior"].to_numpy(float)
    counted = rows["spent"].to_numpy(float) <= budget * (1 + 1e-9)
    n_won = int((counted & np.isfinite(costs)).sum())
    chances, level = posterior[counted], MAX_FALSE_ALARM / n_tests
    if tail_lower_bound(chances, n_won) > level:
        return None
    p_value = poisson_binomial_tail(chances, n_won)
    return ClueExcess(name, label, budget, n_won, float(chances.sum()), p_value, n_tests) if p_value < level else None


def tail_lower_bound(chances: Floats, hits: int) -> float:
    """Return a fast lower bound of P(at least `hits` hits) for independent trials with these probabilities.

    By the Berry-Esseen theorem, the normal approximation errs by at most 0.56 divided by the standard deviation
    (I. G. Shevtsova, Doklady Mathematics 82, 2010).
    """
    from scipy.special import ndtr  # slow to import

    deviation = float(np.sqrt((chances * (1 - chances)).sum()))
    if deviation == 0:
        return 0.0
    return float(ndtr((chances.sum() - hits) / deviation) - 0.56 / deviation)


def poisson_binomial_tail(chances: Floats, hits: int) -> float:
    """Return P(at least `hits` hits) for independent trials with these probabilities, with an error of at most EXACT.

    The distribution is the product of the polynomials 1 - p + p x, computed pairwise with FFTs. If the tail is below
    EXACT, an upper bound is returned (W. Hoeffding, Annals of Mathematical Statistics 27, 1956).

    >>> round(poisson_binomial_tail(np.array([0.5, 0.5, 0.5]), 2), 6)
    0.5
    """
    if hits <= 0:
        return 1.0
    if hits > len(chances):
        return 0.0
    if (bound := _tail_upper_bound(chances, hits)) < EXACT:
        return bound
    products = np.array([1 - chances, chances]).T
    while len(products) > 1:
        if len(products) % 2:
            products = np.concatenate([products, np.eye(1, products.shape[1])])  # times 1
        size = 2 * products.shape[1]
        spectra = np.fft.rfft(products, size, axis=1)
        products = np.fft.irfft(spectra[::2] * spectra[1::2], size, axis=1)[:, : size - 1]
    return float(np.clip(products[0, hits:].sum(), 0, 1))


def _tail_upper_bound(chances: Floats, hits: int) -> float:
    """Return an upper bound of the tail: e^(-n D), with the divergence D of the share of hits from the mean chance."""
    from scipy.special import rel_entr  # slow to import

    share, mean = hits / len(chances), float(chances.mean())
    if share <= mean:
        return 1.0
    return float(np.exp(-len(chances) * (rel_entr(share, mean) + rel_entr(1 - share, 1 - mean))))
