"""What the clues of noisy games say of their answers: P(win) with less luck, and a test for entries that know more.

Given the clues of a game, the chance that its answer is right is the posterior of that answer, whatever the strategy
does, as long as it knows nothing of the secret but its clues. So the mean posterior has the same expectation as the
share of games won, with a smaller variance (C. R. Rao 1945, D. Blackwell 1947). And the games won are independent
tosses with these chances: more wins than they allow mean that the entry knew more than its clues.
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

FALSE_ALARM = 3e-5
"""The chance that a board of honest entries has any finding; shared among its tests."""
EXACT = 1e-12
"""What a tail may be off by, from rounding."""


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


def with_posteriors(run: pd.DataFrame, lists: WordLists) -> pd.DataFrame:
    """Return the run, rows of `records.load_run`, with the column `posterior`: of the answer of each noisy game."""
    posterior = pd.Series(np.nan, index=run.index)
    for rules, rows in run[run["measure"] == "budget"].groupby("rules", sort=False, observed=True):
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
    by_name = {str(name): rows for name, rows in run.groupby("entry", sort=False, observed=True)}
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
        if one and (worst is None or one.p_value < worst.p_value):
            found[name] = one
    return list(found.values())


def _excess(rows: pd.DataFrame, test: tuple[str, str, float], n_tests: int) -> ClueExcess | None:
    """Return the excess of an entry's games within a budget; None where its clues allow so many wins."""
    name, label, budget = test
    costs, posterior = rows["cost"].to_numpy(float), rows["posterior"].to_numpy(float)
    counted = rows["spent"].to_numpy(float) <= budget * (1 + 1e-9)
    n_won = int((counted & np.isfinite(costs)).sum())
    chances, level = posterior[counted], FALSE_ALARM / n_tests
    if least_tail(chances, n_won) > level:
        return None
    p_value = poisson_binomial_tail(chances, n_won)
    return ClueExcess(name, label, budget, n_won, float(chances.sum()), p_value, n_tests) if p_value < level else None


def least_tail(chances: Floats, hits: int) -> float:
    """Return a lower bound of P(at least `hits` hits) of independent tosses with these chances; it takes no time.

    The distribution is normal up to 0.56 divided by its standard deviation, by the theorem of Berry and Esseen
    (I. G. Shevtsova, Doklady Mathematics 82, 2010).
    """
    from scipy.special import ndtr  # slow to import, and playing does not need it

    deviation = float(np.sqrt((chances * (1 - chances)).sum()))
    if deviation == 0:
        return 0.0
    return float(ndtr((chances.sum() - hits) / deviation) - 0.56 / deviation)


def poisson_binomial_tail(chances: Floats, hits: int) -> float:
    """Return P(at least `hits` hits) of independent tosses with these chances, exact up to EXACT.

    The distribution is the product of the polynomials 1 - p + p x, multiplied two by two. Where that could only say
    that the tail is below EXACT, its upper bound by W. Hoeffding (Annals of Mathematical Statistics 27, 1956) is given.

    >>> round(poisson_binomial_tail(np.array([0.5, 0.5, 0.5]), 2), 6)
    0.5
    """
    if hits <= 0:
        return 1.0
    if hits > len(chances):
        return 0.0
    if (bound := _most_tail(chances, hits)) < EXACT:
        return bound
    products = np.array([1 - chances, chances]).T
    while len(products) > 1:
        if len(products) % 2:
            products = np.concatenate([products, np.eye(1, products.shape[1])])  # times 1
        size = 2 * products.shape[1]
        spectra = np.fft.rfft(products, size, axis=1)
        products = np.fft.irfft(spectra[::2] * spectra[1::2], size, axis=1)[:, : size - 1]
    return float(np.clip(products[0, hits:].sum(), 0, 1))


def _most_tail(chances: Floats, hits: int) -> float:
    """Return an upper bound of the tail: e^(-n D), D the divergence of the share of hits from the mean chance."""
    from scipy.special import rel_entr  # slow to import, and playing does not need it

    share, mean = hits / len(chances), float(chances.mean())
    if share <= mean:
        return 1.0
    return float(np.exp(-len(chances) * (rel_entr(share, mean) + rel_entr(1 - share, 1 - mean))))
