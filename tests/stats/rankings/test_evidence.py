import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from tests.helpers.simulated_league import league, results
from wordpl.stats.rankings import RANKINGS


@pytest.mark.long  # 100 simulated leagues
def test_among_equal_players_all_share_the_first_tier_in_95_of_100_leagues():
    n_leagues = 40
    has_second_tier = [
        RANKINGS["mean"](league(np.full(6, 4.0), 30, np.random.default_rng(seed)))["tier"].max() > 1
        for seed in range(n_leagues)
    ]
    assert np.mean(has_second_tier) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_leagues)


def test_clearly_better_players_have_tiers_of_their_own_and_doubtful_ones_share():
    strengths = np.array([3.0, 3.02, 5.0, 5.02])
    table = RANKINGS["mean"](league(strengths, 200, np.random.default_rng(1)))
    assert table["tier"].tolist() == [1, 1, 2, 2]
    assert table.sort_values("player")["place_high"].tolist() == [2, 2, 4, 4]


def test_three_games_prove_nothing_however_good_they_are():
    played = league(np.array([3.0, 5.0]), 100, np.random.default_rng(2))
    played = pd.concat([played, results(*[{"new": 2}] * 3)])
    table = RANKINGS["mean"](played, shrinkage="none").set_index("player")
    assert table.loc["new", "place"] == 1
    assert np.isnan(table.loc["new", "low"])
    assert table["tier"].to_dict() == {"new": 1, "p000": 1, "p001": 2}


@pytest.mark.slow
def test_the_intervals_of_the_best_and_worst_players_hold_as_often_as_those_of_others():
    n_leagues, strengths, n_held = 60, np.array([3.6, 3.95, 3.95, 4.0, 4.0, 4.0, 4.05, 4.05, 4.4]), 0
    true_means = 1 + ndtr((strengths[:, None] - np.arange(1.5, 7)) / np.hypot(0.5, 1)).sum(axis=1)
    for seed in range(n_leagues):
        table = RANKINGS["mean"](league(strengths, 30, np.random.default_rng([1, seed])))
        table = table.sort_values("player", ignore_index=True)
        n_held += sum(table["low"][i] <= true_means[i] <= table["high"][i] for i in (0, len(strengths) - 1))
    assert binom.cdf(n_held, 2 * n_leagues, 0.95) > 0.001


def test_the_interval_of_a_shrunk_mean_contains_that_of_the_mean_itself():
    played = league(np.array([3.2, 3.9, 4.0, 4.1, 5.0]), 12, np.random.default_rng(3))
    shrunk, plain = (RANKINGS["mean"](played, shrinkage=kind).set_index("player") for kind in ("pooled", "none"))
    plain = plain.loc[shrunk.index]
    assert (shrunk["low"] <= plain["low"]).all()
    assert (shrunk["high"] >= plain["high"]).all()
    assert {"low": (shrunk["low"] < plain["low"]).any(), "high": (shrunk["high"] > plain["high"]).any()} == {
        "low": True, "high": True,
    }  # fmt: skip
