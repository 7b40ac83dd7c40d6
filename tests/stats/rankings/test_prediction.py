from dataclasses import dataclass
from itertools import combinations, pairwise
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar

from tests.helpers.simulated_league import league
from wordpl.core.messages import UserError
from wordpl.stats.rankings import RANKINGS, compare_methods
from wordpl.stats.rankings.ranking import Ranking

STRENGTHS = np.linspace(3.2, 4.8, 6)
FAST = {name: RANKINGS[name] for name in ("mean", "mean-ridge", "map-elo", "elo")}


class UpsideDown(Ranking):
    """Rates the worst player best."""

    def rate(self, sheet, counts):
        return np.nan_to_num(np.nansum(sheet.guesses, axis=0) / np.maximum(sheet.n_games, 1))


def daily_losses(played, method, n_folds):
    """The loss of each day, worked out pair by pair as the docstring of `compare_methods` says."""
    days = np.unique(played["day"])
    bounds = [round(number * len(days) / (n_folds + 2)) for number in range(n_folds + 3)]
    guesses = {day: {} for day in days}
    for row in played.sort_values("player").itertuples():
        guesses[row.day][row.player] = row.guesses
    leads, outcomes, losses = {}, {}, {}
    for start, end in pairwise(bounds[1:]):
        past = played[played["day"] < days[start]]
        worth = method(past, draws=0).set_index("player")["rating"].to_dict()
        sign = 1 if method.higher_is_better else -1
        for day in days[start:end]:
            today, known_players = guesses[day], set(past["player"])
            pairs = list(combinations([player for player in today if player in known_players], 2))
            if pairs:
                leads[day] = np.array([sign * (worth.get(a, np.nan) - worth.get(b, np.nan)) for a, b in pairs])
                outcomes[day] = np.array([(1 + np.sign(today[b] - today[a])) / 2 for a, b in pairs])
        predicted_days = [day for day in days[start:end] if day in leads]
        deviation = np.nanstd(np.concatenate([leads[day] for day in predicted_days])) if predicted_days else 0.0
        leads |= {
            day: np.nan_to_num(leads[day] / deviation) if deviation else 0 * outcomes[day] for day in predicted_days
        }

    def loss(days_of_loss, slope):
        lead, outcome = (np.concatenate([by_day[day] for day in days_of_loss]) for by_day in (leads, outcomes))
        weight = np.concatenate([np.full(len(leads[day]), 1 / len(leads[day])) for day in days_of_loss])
        return weight @ (outcome * np.logaddexp(0, -slope * lead) + (1 - outcome) * np.logaddexp(0, slope * lead))

    for start, end in pairwise(bounds[2:]):
        past, slope = [day for day in leads if day < days[start]], 0.0
        if any(np.any(leads[day]) for day in past):
            slope = minimize_scalar(lambda c, past=past: loss(past, c), bounds=(0, 9)).x
        losses |= {day: loss([day], slope) for day in days[start:end] if day in leads}
    return losses


@pytest.mark.slow
def test_losses_intervals_and_verdicts_agree_with_the_plain_rules():
    played = league(np.array([2.5, 4.0, 4.2, 5.8]), 24, np.random.default_rng(7), attendance=0.45)
    played["day"] = played["day"] * 3 + 1
    solved = RANKINGS["mean"].with_settings(x_is_seven=False, shrinkage="none")
    methods = {"mean": RANKINGS["mean"], "upside": UpsideDown(name="upside"), "solved": solved}
    rows = {}
    for name, method in methods.items():
        losses_of_all = daily_losses(played, method, 3)
        groups = dict(zip(np.unique(played["day"]), np.arange(played["day"].nunique()) % 10, strict=True))
        jackknife = [daily_losses(played[played["day"].map(groups) != left_out], method, 3) for left_out in range(10)]
        rows[name] = list(losses_of_all.values()), np.array([np.mean(list(daily.values())) for daily in jackknife])
    rows["coin flip"] = [log(2)] * len(rows["mean"][0]), np.full(10, log(2))
    best = min(rows, key=lambda name: np.mean(rows[name][0]))
    table = compare_methods(played, methods, n_folds=3).set_index("method")
    assert list(table.index) == sorted(rows, key=lambda name: np.mean(rows[name][0]))
    for name, (losses, jackknife) in rows.items():
        row, t, t_strict = table.loc[name], 2.262157, 2.933324  # at 9 degrees: 97.5 %, and 1 - 2.5 % / 3
        difference, differences = np.mean(losses) - np.mean(rows[best][0]), jackknife - rows[best][1]
        error, difference_error = np.sqrt(9 * np.var(jackknife)), np.sqrt(9 * np.var(differences))
        assert row["log_loss"] == pytest.approx(np.mean(losses), abs=1e-5)
        assert (row["low"], row["high"]) == pytest.approx(np.mean(losses) + np.array([-t, t]) * error, abs=1e-4)
        assert row["difference"] == pytest.approx(difference, abs=1e-5)
        ends = row["difference_low"], row["difference_high"]
        assert ends == pytest.approx(difference + np.array([-t, t]) * difference_error, abs=1e-4)
        assert row["is_worse"] == (difference > t_strict * difference_error)
        assert row["n_days"] == len(losses)


@dataclass(frozen=True, kw_only=True)
class FixedRatings(Ranking):
    """Rates players by fixed numbers, whatever they have played."""

    higher_is_better = False
    worths: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0)

    def rate(self, sheet, counts):
        return np.array(self.worths)[sheet.players.astype(int)]


@pytest.mark.slow
def test_a_perfect_ranking_has_almost_no_loss_and_a_wrong_one_that_of_a_coin():
    played = pd.DataFrame(
        [(player, day, 2 + player) for day in range(40) for player in range(4)], columns=["player", "day", "guesses"]
    )
    right, wrong = FixedRatings(name="right"), UpsideDown(name="wrong")
    table = compare_methods(played, {"right": right, "wrong": wrong}).set_index("method")
    assert table.index[0] == "right"
    assert table.loc["right", "log_loss"] < 1e-4
    assert table.loc[["wrong", "coin flip"], "log_loss"].tolist() == pytest.approx([log(2)] * 2, abs=1e-4)
    assert table["difference"].tolist() == pytest.approx([0, log(2), log(2)], abs=1e-4)
    assert table["is_worse"].tolist() == [False, True, True]
    assert (table["n_pairs"] == 6 * table["n_days"]).all()


@pytest.mark.slow
def test_methods_beat_a_coin_flip_only_if_players_differ():
    table = compare_methods(league(STRENGTHS, 150, np.random.default_rng(1)), FAST).set_index("method")
    assert table.index[-1] == "coin flip"
    assert table.loc["coin flip", "is_worse"]
    assert table.loc["coin flip", "log_loss"] == pytest.approx(log(2))
    assert table["difference"].iloc[0] == 0
    assert (table["difference_low"] <= table["difference"]).all()
    table_of_equals = compare_methods(league(np.full(6, 4.0), 150, np.random.default_rng(2)), FAST)
    assert not table_of_equals["is_worse"].any()


def test_a_day_is_predicted_from_earlier_days_only():
    played = league(STRENGTHS, 60, np.random.default_rng(4))
    swapped = played.copy()
    is_late = swapped["day"] >= 55  # within the last stretch, which is only predicted
    swapped.loc[is_late, "guesses"] = 8 - swapped.loc[is_late, "guesses"]
    sums = []

    class RecordingUpsideDown(UpsideDown):
        def rate(self, sheet, counts):
            sums.append(np.nan_to_num(sheet.guesses).sum())
            return super().rate(sheet, counts)

    for results in (played, swapped):
        compare_methods(results, {"watching": RecordingUpsideDown(name="watching")}, n_folds=3)
    assert len(sums) >= 2
    assert sums[: len(sums) // 2] == sums[len(sums) // 2 :]


def test_too_few_days_or_players_are_refused_with_the_reason():
    with pytest.raises(UserError, match=r"at least 20 days.*got 19"):
        compare_methods(league(STRENGTHS, 19, np.random.default_rng(5)), {"upside": UpsideDown(name="upside")})
    alone = pd.DataFrame({"player": "a", "day": range(30), "guesses": 4})
    for together in ([], [29]):  # a single day has no interval
        met = pd.DataFrame({"player": "b", "day": [0, *together], "guesses": 3})
        with pytest.raises(UserError, match="two players have played before"):
            compare_methods(pd.concat([alone, met]), {"upside": UpsideDown(name="upside")})
    assert len(compare_methods(league(STRENGTHS, 20, np.random.default_rng(5)), {"u": UpsideDown(name="u")})) == 2


def fixed_results(guesses):
    """Return results of players 0, 1, ... who need these guesses on each day, given for each day."""
    rows = [(player, day, number) for day, own in enumerate(guesses) for player, number in enumerate(own)]
    return pd.DataFrame(rows, columns=["player", "day", "guesses"])


@pytest.mark.parametrize("worths", [(1.0, 2.0, 3.0), (3.0, 2.0, 1.0)])
def test_a_tie_is_half_a_win_and_no_rating_predicts_it(worths):
    ranking = FixedRatings(name="fixed", worths=worths)
    table = compare_methods(fixed_results([(4, 4, 4)] * 24), {"fixed": ranking}, n_folds=2)
    assert table["log_loss"].tolist() == pytest.approx([log(2)] * 2)


def test_a_slope_is_fitted_to_the_predictions_before_its_stretch_alone():
    """Of 24 days in 5 stretches, the last 5 turn the order round, which no earlier day foretells."""
    played = fixed_results([(2, 3, 4)] * 19 + [(4, 3, 2)] * 5)
    table = compare_methods(played, {"fixed": FixedRatings(name="fixed")}, n_folds=3).set_index("method")
    leads = 20 * np.array([1.0, 2.0, 1.0]) / np.std([1.0, 2.0, 1.0])
    right, wrong = np.mean(np.logaddexp(0, -leads)), np.mean(np.logaddexp(0, leads))
    assert table.loc["fixed", "log_loss"] == pytest.approx((9 * right + 5 * wrong) / 14, rel=1e-3)


def test_pairs_that_have_played_before_a_stretch_are_predicted_from_the_games_that_the_method_counts(monkeypatch):
    """Of 20 days in 4 stretches, the last 10 have a loss; player 2 comes within the last stretch.

    Without either half of the days, all games of player 1 count or none does, so that there is no lead at all.
    """
    monkeypatch.setattr("wordpl.stats.rankings.prediction.N_GROUPS", 2)
    most = []

    class RecordingRatings(FixedRatings):
        def rate(self, sheet, counts):
            most.append(np.nanmax(sheet.guesses))
            return super().rate(sheet, counts)

    played = fixed_results([(2, 4 + 3 * (day % 2), *([4] if day > 16 else [])) for day in range(20)])
    ranking = RecordingRatings(name="watching", x_is_seven=False)
    assert compare_methods(played, {"watching": ranking}, n_folds=2)["n_pairs"].tolist() == [10, 10]
    assert max(most) == 4


def test_the_generator_draws_the_pairs_of_days_with_many_players(monkeypatch):
    for name, number in (("MAX_PAIRS", 1), ("N_GROUPS", 2)):
        monkeypatch.setattr(f"wordpl.stats.rankings.prediction.{name}", number)
    played, methods = fixed_results([(2, 3, 4)] * 20), {"fixed": FixedRatings(name="fixed")}
    first, second = (compare_methods(played, methods, 1, np.random.default_rng(seed)) for seed in (1, 2))
    assert first["log_loss"].tolist() != second["log_loss"].tolist()
    assert {*first["n_pairs"]} == {first["n_days"][0]}


def test_intervals_are_those_of_a_jackknife(monkeypatch):
    """No rating learns here, so that a mean loss without some days is that of the other days."""
    monkeypatch.setattr("wordpl.stats.rankings.prediction.N_GROUPS", 3)
    played = fixed_results([(4, 3, 2) if day == 18 else (2, 3, 4) for day in range(36)])
    methods = {"fixed": FixedRatings(name="fixed"), "turned": FixedRatings(name="turned", worths=(3.0, 2.0, 1.0))}
    parts = [played, *(played[played["day"] % 3 != left_out] for left_out in range(3))]
    table, *without = (compare_methods(part, methods, n_folds=1).set_index("method") for part in parts)
    for name, row in table.iterrows():
        own, best = (np.array([part.loc[method, "log_loss"] for part in without]) for method in (name, table.index[0]))
        error, of_difference = np.sqrt(2 * np.var(own)), np.sqrt(2 * np.var(own - best))
        t = 4.302653  # at 2 degrees and 97.5%; for the larger of two differences it is 6.205347
        assert (row["low"], row["high"]) == pytest.approx(row["log_loss"] + np.array([-t, t]) * error)
        ends = row["difference"] + np.array([-t, t]) * of_difference
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(ends)
        assert not row["is_worse"]
    assert 4.302653 * of_difference < row["difference"] < 6.205347 * of_difference


@pytest.mark.long  # simulated seasons
def test_a_rating_with_a_growing_scale_predicts_better_than_a_coin():
    strengths = np.random.default_rng(6).normal(4, 0.3, 12)
    methods = {"mean": RANKINGS["mean"]}
    tables = [compare_methods(league(strengths, 60, np.random.default_rng(seed)), methods) for seed in range(40)]
    rows = pd.concat([table[table["method"] == "mean"] for table in tables])
    mean_loss = rows["log_loss"].mean()
    assert mean_loss < log(2) - 0.005
    assert ((rows["low"] <= mean_loss) & (mean_loss <= rows["high"])).mean() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 40)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "t_strict"),
    [(["mean"], 2.262157), (["mean", "mean-ridge"], 2.685011), (["mean", "mean-by-day", "mean-ridge"], 2.933324)],
)
def test_worse_methods_are_found_with_correction_for_multiple_tests(names, t_strict):
    """At 9 degrees, t is 2.26 for one difference, 2.69 for two, 2.93 for three; some differences lie in between."""
    for seed in (9, 21, 25):
        played = league(np.array([3.2, 3.8, 4.3, 4.9]), 24, np.random.default_rng(seed))
        table = compare_methods(played, {name: RANKINGS[name] for name in names}, n_folds=3).iloc[1:]
        error = (table["difference_high"] - table["difference"]) / 2.262157
        assert (table["is_worse"] == (table["difference"] > t_strict * error)).all()


def test_the_fitted_slope_is_at_most_20_deviations():
    played = pd.DataFrame(
        [(player, day, 2 + player) for day in range(24) for player in range(3)], columns=["player", "day", "guesses"]
    )
    table = compare_methods(played, {"right": FixedRatings(name="right")}, n_folds=3).set_index("method")
    leads = np.array([1.0, 2.0, 1.0])  # 1 and 2, 1 and 3, 2 and 3
    expected = np.mean(np.log1p(np.exp(-20 * leads / np.std(leads))))
    assert table.loc["right", "log_loss"] == pytest.approx(expected, rel=1e-3, abs=0)


@pytest.mark.slow
def test_at_most_2000_pairs_of_a_day_are_predicted():
    def n_pairs(n_players):
        played = pd.DataFrame(
            [(f"{player:02}", day, 1 + player % 7) for day in range(20) for player in range(n_players)],
            columns=["player", "day", "guesses"],
        )
        (first, _) = compare_methods(played, {"upside": UpsideDown(name="upside")}, n_folds=2).itertuples()
        return first.n_pairs / first.n_days

    assert n_pairs(63) == 63 * 62 / 2  # 1953
    assert n_pairs(64) == 2000  # of 2016
