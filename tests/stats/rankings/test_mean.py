"""The means of guesses agree with their formulas, written out result by result."""

from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.simulated_league import results
from tests.stats.rankings.test_elo import DAYS
from wordpl.core.messages import UserError
from wordpl.stats.rankings import RANKINGS

MEAN = RANKINGS["mean"]


def hardness_of(days, adjustment, ridge):
    """Return by how many guesses each day was harder than usual."""
    overall = fmean(guesses for day in days for guesses in day.values())
    if adjustment == "none":
        return [0.0] * len(days)
    if adjustment == "subtract":
        return [fmean(day.values()) - overall for day in days]
    hardness, names = [0.0] * len(days), {player for day in days for player in day}
    for _ in range(100):
        strength = {}
        for player in names:
            residuals = [day[player] - overall - hardness[index] for index, day in enumerate(days) if player in day]
            strength[player] = sum(residuals) / (len(residuals) + ridge)
        hardness = [
            sum(day[player] - overall - strength[player] for player in day) / (len(day) + ridge) for day in days
        ]
        mean_hardness = fmean(hardness[index] for index, day in enumerate(days) for _ in day)
        hardness = [value - mean_hardness for value in hardness]
    return hardness


def means(days, adjustment, shrinkage, ridge=3.0):
    """Return the rating of each player, in the order of their names."""
    hardness = hardness_of(days, adjustment, ridge)
    adjusted = {}
    for index, day in enumerate(days):
        for player, guesses in day.items():
            adjusted.setdefault(player, []).append(guesses - hardness[index])
    adjusted = dict(sorted(adjusted.items()))
    if shrinkage == "none":
        return [fmean(values) for values in adjusted.values()]
    overall_mean = fmean(value for values in adjusted.values() for value in values)
    repeated = [values for values in adjusted.values() if len(values) > 1]
    if not repeated:
        return [overall_mean] * len(adjusted)
    pooled = sum(variance(values) * (len(values) - 1) for values in repeated) / sum(
        len(values) - 1 for values in repeated
    )
    variances = {name: pooled if shrinkage == "pooled" else variance(values) if len(values) > 1 else np.inf
             for name, values in adjusted.items()}  # fmt: skip
    n_repeated = sum(map(len, repeated))
    between = sum(len(values) * (fmean(values) - overall_mean) ** 2 for values in repeated) / n_repeated
    sampling = sum(variances[name] for name, values in adjusted.items() if len(values) > 1) / n_repeated
    spread = max(0.01, between - sampling)
    weights = {name: spread / (spread + variances[name] / len(values)) for name, values in adjusted.items()}
    return [weights[name] * fmean(values) + (1 - weights[name]) * overall_mean for name, values in adjusted.items()]


@settings(max_examples=40)
@given(
    DAYS,
    st.sampled_from(["none", "subtract", "ridge"]),
    st.sampled_from(["none", "sample", "pooled"]),
    st.sampled_from([0.5, 3.0, 8.0]),
)
def test_means_agree_with_the_formulas(days, adjustment, shrinkage, ridge):
    table = MEAN(results(*days), draws=0, day_adjustment=adjustment, shrinkage=shrinkage, ridge=ridge)
    expected = means(days, adjustment, shrinkage, ridge)
    assert table.sort_values("player")["rating"].tolist() == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "adjustment"), [("mean", "none"), ("mean-by-day", "subtract"), ("mean-ridge", "ridge")]
)
def test_each_mean_has_its_adjustment_of_days_and_pooled_shrinkage(name, adjustment):
    days = [{"a": 3, "b": 5}, {"a": 5, "b": 6, "c": 1}, {"b": 2}, {"a": 7, "c": 4}]
    table = RANKINGS[name](results(*days), draws=0)
    assert table.sort_values("player")["rating"].tolist() == pytest.approx(means(days, adjustment, "pooled"), abs=1e-4)


def test_the_spread_between_equally_good_players_has_a_minimum():
    days = [{"a": 3, "b": 5}, {"a": 5, "b": 3}, {"a": 4, "b": 4}, {"a": 3, "b": 4}]
    table = MEAN(results(*days), draws=0).set_index("player")
    weight = 0.01 / (0.01 + (11 / 12 + 2 / 3) / 2 / 4)
    assert table.loc["a", "rating"] == pytest.approx(31 / 8 - weight / 8)


@pytest.mark.parametrize("setting", ["day_adjustment", "shrinkage"])
def test_an_unknown_choice_is_refused_with_the_valid_ones(setting):
    with pytest.raises(UserError, match=rf"{setting} must be one of none, .*; got 'much'"):
        MEAN.with_settings(**{setting: "much"})
