from math import log

import numpy as np
import pandas as pd
import pytest

from tests.helpers.simulated_league import league
from wordpl.core.errors import UserError
from wordpl.stats.rankings import RANKINGS, compare_methods
from wordpl.stats.rankings.ranking import Ranking

STRENGTHS = np.linspace(3.2, 4.8, 6)
FAST = {name: RANKINGS[name] for name in ("mean", "mean-ridge", "map-elo", "elo")}


class Upside(Ranking):
    """Rates the worst player best."""

    def rate(self, sheet, counts):
        return np.nan_to_num(np.nansum(sheet.guesses, axis=0) / np.maximum(sheet.n_games, 1))


@pytest.mark.slow
def test_methods_beat_a_coin_where_players_differ_and_none_does_where_they_do_not():
    table = compare_methods(league(STRENGTHS, 150, np.random.default_rng(1)), FAST).set_index("method")
    assert table.index[-1] == "coin flip"
    assert table.loc["coin flip", "is_worse"]
    assert table.loc["coin flip", "log_loss"] == pytest.approx(log(2))
    assert table["difference"].iloc[0] == 0
    assert (table["difference_low"] <= table["difference"]).all()
    equal = compare_methods(league(np.full(6, 4.0), 150, np.random.default_rng(2)), FAST)
    assert not equal["is_worse"].any()


@pytest.mark.slow
def test_a_ranking_that_is_upside_down_is_no_better_than_a_coin():
    played = league(STRENGTHS, 200, np.random.default_rng(3))
    table = compare_methods(played, {"upside": Upside(name="upside"), **FAST}).set_index("method")
    assert table.loc["upside", "log_loss"] == pytest.approx(log(2), abs=0.005)
    assert table.loc["upside", "is_worse"]


def test_a_day_is_predicted_from_earlier_days_only():
    played = league(STRENGTHS, 60, np.random.default_rng(4))
    swapped = played.copy()
    late = swapped["day"] >= 55  # within the last stretch, which is only predicted
    swapped.loc[late, "guesses"] = 8 - swapped.loc[late, "guesses"]
    seen = []

    class Watching(Upside):
        def rate(self, sheet, counts):
            seen.append(np.nan_to_num(sheet.guesses).sum())
            return super().rate(sheet, counts)

    for results in (played, swapped):
        compare_methods(results, {"watching": Watching(name="watching")})
    assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]


def test_too_few_days_are_explained():
    with pytest.raises(UserError, match=r"at least 20 days.*got 19"):
        compare_methods(league(STRENGTHS, 19, np.random.default_rng(5)), FAST)
    with pytest.raises(UserError, match="two players have played before"):
        compare_methods(pd.DataFrame({"player": "a", "day": range(30), "guesses": 4}), FAST)


@pytest.mark.long  # simulated seasons
def test_a_rating_whose_scale_grows_still_predicts_better_than_a_coin_and_its_interval_holds():
    strengths = np.random.default_rng(6).normal(4, 0.3, 12)
    methods = {"mean": RANKINGS["mean"]}
    found = [compare_methods(league(strengths, 60, np.random.default_rng(seed)), methods) for seed in range(40)]
    rows = pd.concat([table[table["method"] == "mean"] for table in found])
    usual = rows["log_loss"].mean()
    assert usual < log(2) - 0.005
    assert ((rows["low"] <= usual) & (usual <= rows["high"])).mean() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 40)
