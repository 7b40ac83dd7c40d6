import numpy as np
import pytest
from hypothesis import given

from tests.helpers.simulated_league import league, results
from tests.stats.rankings.test_elo import DAYS
from wordpl.stats.rankings import RANKINGS, Sheet

MAP_ELO = RANKINGS["map-elo"]


def newman(days, n_sweeps=300):
    """Return the ratings to which the iteration in Newman's paper converges; wins[i, j] sums i's grades against j."""
    names = sorted({player for day in days for player in day})
    wins = np.array([[sum(0.5 + (day[b] - day[a]) / 12 for day in days if a != b and {a, b} <= set(day))
                      for b in names] for a in names])  # fmt: skip
    strengths = np.ones(len(names))
    for _ in range(n_sweeps):
        for i in range(len(names)):
            strength_sums = strengths[i] + strengths
            gained = 1 / (strengths[i] + 1) + np.sum(wins[i] * strengths / strength_sums)
            lost = 1 / (strengths[i] + 1) + np.sum(wins[:, i] / strength_sums)
            strengths[i] = gained / lost
    return 1000 + 400 * np.log10(strengths)


@pytest.mark.slow
@given(DAYS)
def test_the_maximum_is_the_fixed_point_of_newman_s_iteration(days):
    table = MAP_ELO(results(*days), draws=0).sort_values("player")
    assert table["rating"].to_numpy() == pytest.approx(newman(days), abs=0.01)


def test_newton_s_step_has_the_deviations_of_fitting_each_resample():
    sheet = Sheet.of(league(np.linspace(3.2, 4.8, 5), 40, np.random.default_rng(3)))
    counts = np.random.default_rng(4).multinomial(40, np.full(40, 1 / 40), size=30)
    fitted = np.array([MAP_ELO.rate(sheet, row) for row in counts])
    assert MAP_ELO.resampled(sheet, counts).std(axis=0) == pytest.approx(fitted.std(axis=0), rel=0.1)


def test_a_resample_with_each_day_once_has_the_ratings_of_the_table():
    sheet = Sheet.of(league(np.linspace(3.2, 4.8, 5), 40, np.random.default_rng(3)))
    each_day_once = np.ones((1, 40), int)
    assert MAP_ELO.resampled(sheet, each_day_once)[0] == pytest.approx(MAP_ELO.rate(sheet, each_day_once[0]), abs=0.01)


@pytest.mark.parametrize("name", ["map-elo", "map-elo-gaussian"])
def test_a_day_drawn_twice_moves_ratings_by_one_step_of_newton(name):
    sheet, unit = Sheet.of(results({"a": 2, "b": 6})), 400 / np.log(10)
    strength = (RANKINGS[name].rate(sheet, np.array([1]))[0] - 1000) / unit
    share = 1 / (1 + np.exp(-2 * strength))
    slope = 0.5 + 4 / 12 - share  # of the day's likelihood: the grade minus the expected one
    prior = 0.5 / np.cosh(strength / 2) ** 2 if name == "map-elo" else (unit / 350) ** 2
    step = slope / (2 * share * (1 - share) + prior)
    expected = [
        [1000 + unit * (strength + n_steps * step), 1000 - unit * (strength + n_steps * step)]
        for n_steps in (1, -1, 0, 2)
    ]
    assert RANKINGS[name].resampled(sheet, np.array([[2], [0], [1], [3]])) == pytest.approx(
        np.array(expected), rel=1e-6
    )
