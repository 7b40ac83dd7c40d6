import numpy as np
import pytest
from scipy.stats import binom, binomtest

from tests.helpers.frames import FACTS, run_of
from wordpl.core.moves import Verdict
from wordpl.stats.scores import scores_for
from wordpl.stats.scores.shares import ShareScore

SCORES = {score.name: score for score in scores_for(FACTS["budget"])}


def test_the_interval_of_a_share_never_covers_less_than_95_percent():
    n = 101
    estimates = [SCORES["won"](np.arange(n) < hits) for hits in range(n + 1)]
    for share in np.linspace(0.001, 0.999, 333):
        holds = np.array([estimate.low <= share <= estimate.high for estimate in estimates])
        assert binom.pmf(np.arange(n + 1), n, share)[holds].sum() >= 0.95


@pytest.mark.parametrize("hits", [0, 1, 33, 50])
def test_the_interval_is_that_of_clopper_and_pearson(hits):
    estimate, exact = SCORES["won"](np.arange(50) < hits), binomtest(hits, 50).proportion_ci(method="exact")
    assert (estimate.low, estimate.high) == pytest.approx((exact.low, exact.high))


def test_each_verdict_has_its_share_of_the_games():
    games = run_of({"one": [np.inf] * len(Verdict)}).assign(verdict=[str(verdict) for verdict in Verdict])
    for verdict in Verdict:
        score = SCORES[verdict.replace(" ", "_")]
        assert score(score.per_game(games)).value == pytest.approx(1 / len(Verdict))


def test_a_lower_share_is_better_where_the_score_says_so():
    lost = ShareScore(name="lost", head="lost", holds=lambda games: games["verdict"] != "won", lower_is_better=True)
    won = np.array([np.arange(60) < 50, np.arange(60) < 30], float)
    assert lost.p_values(1 - won) == pytest.approx(SCORES["won"].p_values(won))
    assert lost.p_values(1 - won)[0, 1] < 0.001
