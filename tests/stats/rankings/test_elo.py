import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.simulated_league import results
from wordpl.stats.rankings import RANKINGS, Sheet
from wordpl.stats.rankings import elo as elo_module

DAYS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 7), min_size=1), min_size=1, max_size=5)


def elo(days, k, per_opponent, start_of_day):
    """Return ratings by the rules of Elo: each ordered pair of a day is a match that moves both players' ratings."""
    ratings = dict.fromkeys(sorted({player for day in days for player in day}), 1000.0)
    for day in days:
        morning = dict(ratings)
        for a in sorted(day):
            for b in sorted(day):
                if a != b:
                    before = morning if start_of_day else ratings
                    expected = 1 / (1 + 10 ** ((before[b] - before[a]) / 400))
                    change = (0.5 + (day[b] - day[a]) / 12 - expected) * k / (len(day) - 1 if per_opponent else 1)
                    ratings[a] += change
                    ratings[b] -= change
    return list(ratings.values())


@settings(deadline=None, max_examples=12)
@given(DAYS, st.floats(0.1, 30), st.booleans(), st.booleans())
def test_the_compiled_ratings_agree_with_the_plain_rules(days, k, per_opponent, start_of_day):
    table = RANKINGS["elo"](results(*days), draws=0, k=k, per_opponent=per_opponent, start_of_day=start_of_day)
    assert np.allclose(table.sort_values("player")["rating"], elo(days, k, per_opponent, start_of_day))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["elo", "elo-batch"])
def test_intervals_of_large_leagues_are_approximated_within_a_few_percent(name, monkeypatch):
    rng = np.random.default_rng(5)
    n_players, n_days = 40, 60
    means = rng.normal(4, 0.4, n_players) + rng.normal(0, 0.3, (n_days, 1))
    guesses = rng.normal(means, 1.1).round().clip(1, 7).astype(int)
    days, players = np.nonzero(rng.random(guesses.shape) < 0.8)
    names = np.array([f"p{n:02}" for n in range(n_players)])
    table = pd.DataFrame({"player": names[players], "day": days, "guesses": guesses[days, players]})
    played = RANKINGS[name](table)
    monkeypatch.setattr(elo_module, "MAX_MATCHES", 0)
    approximated = RANKINGS[name](table)
    assert approximated["rating"].tolist() == played["rating"].tolist()
    ratio = (approximated["high"] - approximated["low"]) / (played["high"] - played["low"])
    assert ratio.between(0.9, 1.1).all(), ratio
    assert (approximated["place_low"] - played["place_low"]).abs().max() <= 3


def test_a_day_that_counts_often_leaves_a_rating_where_the_expected_score_is_the_score(monkeypatch):
    for name in ("_pulls", "_relax"):
        monkeypatch.setattr(elo_module, name, getattr(elo_module, name).py_func)  # too little to compile them for
    sheet = Sheet.of(results({"a": 3, "b": 5}))
    (ratings,) = RANKINGS["elo"].approximated(sheet, np.array([[10_000]]))
    expected = 400 * np.log10(2)  # against 1000, for a score of 2/3
    assert ratings == pytest.approx([1000 + expected, 1000 - expected], abs=10)


@pytest.mark.parametrize("name", ["elo", "elo-batch"])
def test_the_curve_is_the_rating_after_each_day(name):
    table = results(*[{"a": 1 + n % 5, "b": 3, "c": 7 - n % 4} for n in range(9)])
    ranking = RANKINGS[name]
    sheet = Sheet.of(table)
    for at in ([0, 3, 8], [8], list(range(9))):
        expected = [ranking.rate(sheet.until(day + 1), np.ones(day + 1, int)) for day in at]
        assert ranking.curve(sheet, np.array(at)) == pytest.approx(np.array(expected))


@pytest.mark.parametrize(("name", "settings"), [("elo", (2.0, False, False)), ("elo-batch", (8.0, True, True))])
def test_each_elo_has_its_k_and_its_order_of_matches(name, settings):
    days = [{"a": 1, "b": 3, "c": 7}, {"a": 5, "b": 3}, {"a": 2, "b": 2, "c": 1}]
    table = RANKINGS[name](results(*days), draws=0)
    assert table.sort_values("player")["rating"].tolist() == pytest.approx(elo(days, *settings))
