"""The means of guesses, held against their formulas written out result by result."""

from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.simulated_league import results
from tests.stats.rankings.test_elo import DAYS
from wordpl.core.errors import UserError
from wordpl.stats.rankings import RANKINGS

MEAN = RANKINGS["mean"]


def hardness_of(days, how, ridge):
    """How many guesses more than usual each day took."""
    overall = fmean(guesses for day in days for guesses in day.values())
    if how == "none":
        return [0.0] * len(days)
    if how == "subtract":
        return [fmean(day.values()) - overall for day in days]
    hard, names = [0.0] * len(days), {player for day in days for player in day}
    for _ in range(100):
        strength = {}
        for player in names:
            left = [day[player] - overall - hard[at] for at, day in enumerate(days) if player in day]
            strength[player] = sum(left) / (len(left) + ridge)
        hard = [sum(day[who] - overall - strength[who] for who in day) / (len(day) + ridge) for day in days]
        shared = fmean(hard[at] for at, day in enumerate(days) for _ in day)
        hard = [one - shared for one in hard]
    return hard


def means(days, how, shrinkage, ridge=3.0):
    """The rating of each player, in the order of their names."""
    hard = hardness_of(days, how, ridge)
    own = {}
    for at, day in enumerate(days):
        for player, guesses in day.items():
            own.setdefault(player, []).append(guesses - hard[at])
    own = dict(sorted(own.items()))
    if shrinkage == "none":
        return [fmean(values) for values in own.values()]
    middle = fmean(value for values in own.values() for value in values)
    repeated = [values for values in own.values() if len(values) > 1]
    if not repeated:
        return [middle] * len(own)
    pooled = sum(variance(one) * (len(one) - 1) for one in repeated) / sum(len(one) - 1 for one in repeated)
    doubt = {name: pooled if shrinkage == "pooled" else variance(one) if len(one) > 1 else np.inf
             for name, one in own.items()}  # fmt: skip
    n_repeated = sum(map(len, repeated))
    between = sum(len(one) * (fmean(one) - middle) ** 2 for one in repeated) / n_repeated
    sampling = sum(doubt[name] for name, one in own.items() if len(one) > 1) / n_repeated
    spread = max(0.01, between - sampling)
    kept = {name: spread / (spread + doubt[name] / len(one)) for name, one in own.items()}
    return [kept[name] * fmean(one) + (1 - kept[name]) * middle for name, one in own.items()]


@settings(max_examples=40)
@given(DAYS, st.sampled_from(["none", "subtract", "ridge"]), st.sampled_from(["none", "sample", "pooled"]))
def test_means_are_those_of_the_formulas(days, how, shrinkage):
    table = MEAN(results(*days), draws=0, day_adjustment=how, shrinkage=shrinkage)
    assert table.sort_values("player")["rating"].tolist() == pytest.approx(means(days, how, shrinkage), abs=1e-4)


@pytest.mark.parametrize("how", ["none", "subtract", "ridge"])
@pytest.mark.parametrize("shrinkage", ["none", "sample", "pooled"])
def test_means_of_rare_and_regular_players_match_the_formulas(how, shrinkage):
    days = [{"always": 4, "good": 2}, {"always": 6, "good": 3, "bad": 7}, {"always": 3}, {"always": 5, "bad": 5},
            {"always": 4, "good": 3, "bad": 6, "once": 2}, {"always": 5, "good": 1}]  # fmt: skip
    for ridge in (0.5, 8.0):
        table = MEAN(results(*days), draws=0, day_adjustment=how, shrinkage=shrinkage, ridge=ridge)
        expected = means(days, how, shrinkage, ridge)
        assert table.sort_values("player")["rating"].tolist() == pytest.approx(expected, abs=1e-5)


def test_equally_good_players_are_told_apart_by_a_least_spread():
    days = [{"a": 3, "b": 5}, {"a": 5, "b": 3}, {"a": 4, "b": 4}, {"a": 3, "b": 4}]
    table = MEAN(results(*days), draws=0).set_index("player")
    kept = 0.01 / (0.01 + (11 / 12 + 2 / 3) / 2 / 4)
    assert table.loc["a", "rating"] == pytest.approx(31 / 8 - kept / 8)


@pytest.mark.parametrize("setting", ["day_adjustment", "shrinkage"])
def test_an_unknown_choice_is_refused_with_the_valid_ones(setting):
    with pytest.raises(UserError, match=rf"{setting} must be one of none, .*; got 'much'"):
        MEAN.with_settings(**{setting: "much"})
