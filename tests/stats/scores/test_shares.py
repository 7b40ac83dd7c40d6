import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from tests.helpers.frames import FACTS, run_of
from wordpl.core.moves import Verdict
from wordpl.stats.scores import scores_for
from wordpl.stats.scores.shares import ShareScore, is_verdict

SCORES = {score.name: score for score in scores_for(FACTS["budget"])}


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


def test_verdicts_are_found_alike_in_texts_and_in_categories():
    verdicts = pd.Series(["won", "late", "won"])
    for verdict in Verdict:
        expected = [text == str(verdict) for text in verdicts]
        for column in (verdicts, verdicts.astype("category")):
            assert list(is_verdict(column, verdict)) == expected
