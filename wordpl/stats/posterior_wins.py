"""Posterior probabilities of answers: P(win) with a smaller variance, and a test for entries that know more than clues.

Given the clues of a game, the probability that its answer is right is the posterior of the answer, whatever the
strategy does, as long as it knows only the clues. So the mean posterior has the same expectation as the share of games
won, but a smaller variance (C. R. Rao 1945, D. Blackwell 1947). Moreover, wins are independent Bernoulli trials with
these probabilities: significantly more wins than expected show that the entry knew more than its clues.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import erfc, exp, log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from wordpl import games
from wordpl.core.clues import RandomizedResponse
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.words import WordLists
from wordpl.games import Game
from wordpl.kernels.posterior import Posterior
from wordpl.run.frame import Moves, rows_by
from wordpl.stats.clue_luck import ClueLuck, LuckMeter
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.hypothesis_tests import p_value as mean_p_value
from wordpl.stats.scores import facts_of
from wordpl.stats.scores.quantiles import QuantileScore
from wordpl.stats.scores.score import Floats

EXACT = 1e-12
"""The maximum rounding error of a tail probability."""


@dataclass(frozen=True)
class ClueExcess:
    """An entry that won significantly more or fewer games within a budget than its clues promise.

    Attributes:
        entry: The name of the entry.
        score: The percentile whose budget was tested, such as "p50"; "won" for any budget.
        budget: The budget.
        n_won: The number of games won within the budget.
        expected: The expected number: the sum of the posteriors of the answers proposed within the budget.
        p_value: The exact probability of at least this many wins or, if they are fewer than expected, of at most this
            many.
        n_tests: The number of tests on this board.
    """

    entry: str
    score: str
    budget: float
    n_won: int
    expected: float
    p_value: float
    n_tests: int


def with_posteriors(run: pd.DataFrame, moves: Mapping[str, Moves], lists: WordLists) -> pd.DataFrame:
    """Return the run with an additional column `posterior`: that of each game's answer.

    It is NaN in games where the answer is not a move of its own, and in a host's own game whose code is not at hand.

    Args:
        run: Rows of `load_run`.
        moves: The moves of each entry's games, by its name.
        lists: The word lists.
    """
    posterior = pd.Series(np.nan, index=run.index)
    for name, rows in rows_by(run, "entry").items():
        facts = facts_of(rows)
        if facts.has_answer_move and games.is_known(facts):
            game, played = games.make_game(facts, lists), moves[name].of_games(rows["game"].to_numpy())
            if type(game.channel) is RandomizedResponse:
                posterior[rows.index] = LuckMeter(lists, game.clue_rule).measure_moves(played).answer
            else:
                posterior[rows.index] = np.array([_answer_posterior(game, moves) for moves in played.lists()])
    return run.assign(posterior=posterior)


def _answer_posterior(game: Game, moves: Sequence[Any]) -> float:
    """Return the posterior of the word proposed in a game; 0 if it ended without an answer."""
    if not len(moves) or moves[-1][1] != 0:
        return 0.0
    posterior = Posterior.of(game)
    for move in moves[:-1]:
        posterior.update(*move)
    return float(posterior.probabilities[game.lists.answers.index(moves[-1][0])])


def clue_excesses(run: pd.DataFrame, scores: Sequence[QuantileScore]) -> list[ClueExcess]:
    """Return the entries whose wins contradict their clues, with the most significant budget.

    For the budget of each percentile, and for any budget, the number of games won within it is compared with the sum of
    the posteriors of the answers, by both exact tails of the Poisson binomial distribution. More wins show that an
    entry knows more than its clues; fewer show that the records are not those of the game.

    Args:
        run: Rows of `load_run` of one noisy game, with the columns `posterior` and `spent`.
        scores: The percentiles.
    """
    by_name = rows_by(run, "entry")
    tests = [
        (name, label, budget)
        for name, rows in by_name.items()
        for label, budget in [*((score.name, score(score.per_game(rows)).value) for score in scores), ("won", np.inf)]
        if label == "won" or np.isfinite(budget)
    ]
    excesses: dict[str, ClueExcess] = {}
    for name, label, budget in tests:
        excess = _excess(by_name[name], (name, label, float(budget)), 2 * len(tests))
        worst = excesses.get(name)
        if excess and (worst is None or excess.p_value < worst.p_value):
            excesses[name] = excess
    return list(excesses.values())


def _excess(rows: pd.DataFrame, test: tuple[str, str, float], n_tests: int) -> ClueExcess | None:
    """Return by how much an entry's wins within a budget contradict its clues; None if it is not significant."""
    name, label, budget = test
    costs, posterior = rows["cost"].to_numpy(float), rows["posterior"].to_numpy(float)
    counted = rows["spent"].to_numpy(float) <= budget
    n_won = int((counted & np.isfinite(costs)).sum())
    chances, level = posterior[counted], MAX_FALSE_ALARM / n_tests
    expected = float(chances.sum())
    hits, chances = (n_won, chances) if n_won >= expected else (len(chances) - n_won, 1 - chances)
    if tail_lower_bound(chances, hits) > level:
        return None
    p_value = poisson_binomial_tail(chances, hits)
    return ClueExcess(name, label, budget, n_won, expected, p_value, n_tests) if p_value < level else None


@dataclass(frozen=True)
class LuckExcess:
    """An entry whose clues were luckier than chance: it seems to choose guesses by what it knows of the secret.

    Attributes:
        entry: The name of the entry.
        luck: The mean sum of the luck terms of a game, which is 0 for an entry that knows only its clues.
        error: Its standard error.
        p_value: The probability of at least this mean for such an entry.
        n_tests: The number of tests on the board.
        unit: The unit of the luck with a space before it; "" for a probability.
    """

    entry: str
    luck: float
    error: float
    p_value: float
    n_tests: int
    unit: str = ""


def luck_excesses(luck: Mapping[str, LuckCorrected]) -> list[LuckExcess]:
    """Return the entries whose total luck is significantly positive.

    Args:
        luck: The games of each entry without most of the luck, by its name.
    """
    found = []
    for name, corrected in luck.items():
        terms = corrected.luck
        total: Floats = np.bincount(terms.game, terms.luck, len(terms.answer)).astype(float)
        if len(total) < 2 or not total.any():
            continue
        p_value = mean_p_value(total, 0.0, -1.0 if terms.has_answer else -float(terms.spent.max()))
        if p_value < MAX_FALSE_ALARM / len(luck):
            error = float(total.std(ddof=1) / np.sqrt(len(total)))
            unit = "" if terms.has_answer else " guesses"
            found.append(LuckExcess(name, float(total.mean()), error, p_value, len(luck), unit))
    return found


@dataclass(frozen=True)
class GuessExcess:
    """An entry that guessed the secret more often than its clues explain.

    Attributes:
        entry: The name of the entry.
        n_hits: The number of guesses that were the secret.
        p_value: The probability of evidence at least this strong for an entry that knows only its clues.
        n_tests: The number of tests on the board.
    """

    entry: str
    n_hits: int
    p_value: float
    n_tests: int


BET_SHARES = np.array([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.9])
"""The shares of games in which the alternatives to honest play guess the secret."""
N_POSITIONS = 6
"""The number of positions of a guess that have alternatives of their own."""


def guess_evidence(luck: ClueLuck) -> float:
    """Return the log of the evidence that an entry knows the secret when it chooses a guess.

    It is the mean capital of gamblers who bet a share of it on each guess of one position in a game being the secret,
    or on all of them, at odds that are fair to an entry that knows only its clues. So the probability that it ever
    exceeds 1 / alpha is at most alpha, whatever the entry remembers or draws (J. Ville, Etude critique de la notion de
    collectif, 1939). The best share of such bets is the share of games in which the secret is known.
    """
    position, n = luck.position, len(luck.answer)
    gains = [luck.bet[position == number] for number in range(N_POSITIONS)]
    gains.append(np.bincount(luck.game, luck.bet / ((position + 1) * (position + 2)), n))  # the weights sum to 1
    logs = np.array([np.log1p(share * own).sum() for own in gains for share in BET_SHARES])
    top = float(logs.max())
    return top + log(float(np.exp(logs - top).mean()))


def guess_excesses(luck: Mapping[str, LuckCorrected]) -> list[GuessExcess]:
    """Return the entries that guessed the secret significantly more often than their clues explain.

    Args:
        luck: The games of each entry without most of the luck, by its name.
    """
    found = []
    for name, corrected in luck.items():
        if not corrected.luck.has_answer:
            continue  # see `guess_odds`
        p_value = min(1.0, exp(-guess_evidence(corrected.luck)))
        if p_value < MAX_FALSE_ALARM / len(luck):
            found.append(GuessExcess(name, int((corrected.luck.bet > 0).sum()), p_value, len(luck)))
    return found


def tail_lower_bound(chances: Floats, hits: int) -> float:
    """Return a fast lower bound of P(at least `hits` hits) for independent trials with these probabilities.

    By the Berry-Esseen theorem, the normal approximation errs by at most 0.56 divided by the standard deviation
    (I. G. Shevtsova, Doklady Mathematics 82, 2010).
    """
    deviation = float(np.sqrt((chances * (1 - chances)).sum()))
    if deviation == 0:
        return 0.0
    normal = erfc((hits - float(chances.sum())) / (deviation * sqrt(2))) / 2
    return normal - 0.56 / deviation


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
    share, mean = hits / len(chances), float(chances.mean())
    if share <= mean:
        return 1.0
    if mean == 0:
        return 0.0
    divergence = share * log(share / mean) + (1 - share) * log((1 - share) / (1 - mean)) if share < 1 else -log(mean)
    return exp(-len(chances) * divergence)
