import numpy as np
import pytest
from hypothesis import given

from tests.helpers.simulated_league import league, results
from tests.stats.rankings.test_elo import DAYS
from wordpl.stats.rankings import RANKINGS, Sheet

MAP_ELO = RANKINGS["map-elo"]


def newman(days, n_sweeps=300):
    """The ratings that the iteration in Newman's paper comes to; w_ij is the sum of grades of i against j."""
    names = sorted({player for day in days for player in day})
    wins = np.array([[sum(0.5 + (day[b] - day[a]) / 12 for day in days if a != b and {a, b} <= set(day))
                      for b in names] for a in names])  # fmt: skip
    strengths = np.ones(len(names))
    for _ in range(n_sweeps):
        for i in range(len(names)):
            both = strengths[i] + strengths
            gained = 1 / (strengths[i] + 1) + np.sum(wins[i] * strengths / both)
            lost = 1 / (strengths[i] + 1) + np.sum(wins[:, i] / both)
            strengths[i] = gained / lost
    return 1000 + 400 * np.log10(strengths)


@pytest.mark.slow
@given(DAYS)
def test_the_maximum_is_the_fixed_point_of_newman_s_iteration(days):
    table = MAP_ELO(results(*days), draws=0).sort_values("player")
    assert table["rating"].to_numpy() == pytest.approx(newman(days), abs=0.01)


def test_newton_s_step_shows_the_intervals_that_fitting_each_resample_shows():
    sheet = Sheet.of(league(np.linspace(3.2, 4.8, 5), 40, np.random.default_rng(3)))
    counts = np.random.default_rng(4).multinomial(40, np.full(40, 1 / 40), size=30)
    fitted = np.array([MAP_ELO.rate(sheet, row) for row in counts])
    assert MAP_ELO.resampled(sheet, counts).std(axis=0) == pytest.approx(fitted.std(axis=0), rel=0.1)


def test_a_resample_with_each_day_once_has_the_ratings_of_all_days():
    sheet = Sheet.of(league(np.linspace(3.2, 4.8, 5), 40, np.random.default_rng(3)))
    whole = np.ones((1, 40), int)
    assert MAP_ELO.resampled(sheet, whole)[0] == pytest.approx(MAP_ELO.rate(sheet, whole[0]), abs=0.01)
