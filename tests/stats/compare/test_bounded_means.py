"""The test of a mean, which may be read after any number of values."""

from math import log

import numpy as np
import pytest
from scipy.stats import binom

from wordpl.stats.compare.sequential import (
    BETS,
    LOG_MEAN_THRESHOLD,
    WEIGHTS,
    MeanTestResult,
    Reduced,
    forecast,
    log_mean_evidence,
    mean_interval,
    mean_test,
)


def plain_evidence(values, mean, population):
    """Return the evidence after each value, from the capital of each bet."""
    evidence, capitals = [], [1.0] * len(BETS)
    for n, value in enumerate(values):
        fair = mean if population is None else (population * mean - sum(values[:n])) / (population - n)
        capitals = [
            capital * (1 + bet * (value - fair) / (1 + fair)) for capital, bet in zip(capitals, BETS, strict=True)
        ]
        evidence.append(log(sum(share * capital for share, capital in zip(WEIGHTS, capitals, strict=True))))
    return evidence


@pytest.mark.parametrize("population", [None, 50])
@pytest.mark.parametrize("mean", [0.0, -0.2, 0.1])
def test_the_evidence_is_that_of_bets_at_fair_odds(population, mean):
    values = np.random.default_rng(5).uniform(-0.4, 0.4, 30)
    assert log_mean_evidence(values, mean, population) == pytest.approx(plain_evidence(list(values), mean, population))


@pytest.mark.parametrize("population", [None, 400])
def test_equal_entries_are_rarely_told_apart_however_often_results_are_read(population):
    rng, is_clear = np.random.default_rng(1), []
    for _ in range(400):
        values = rng.permutation(np.repeat([-0.5, 0.5], 200)) if population else rng.choice([-0.5, 0.5], 400)
        is_clear.append(mean_test(values[:390], population).verdict != "open")
    assert 0 < sum(is_clear) <= 0.05 * len(is_clear)


def test_the_verdict_does_not_depend_on_when_results_are_read():
    values = np.random.default_rng(2).uniform(-0.5, 0.7, 600)
    result = mean_test(values)
    assert result.verdict == "above"
    assert mean_test(values[: result.after]).after == result.after
    assert mean_test(values[: result.after - 1]).verdict == "open"
    assert mean_test(-values).verdict == "below"


def test_bets_start_at_95_percent_and_halve_at_every_second_bet_after_the_largest_one():
    assert pytest.approx([0.995, *(0.95 / 2 ** (index / 2) for index in range(12))]) == BETS
    assert pytest.approx([0.3, *[0.7 / 12] * 12]) == WEIGHTS


@pytest.mark.parametrize(("mean", "spread"), [(0.05, 0.2), (0.03, 0.1), (0.05, 0.03)])
def test_the_test_needs_at_most_twice_a_fixed_sample_or_what_the_range_demands(mean, spread):
    rng, n_runs = np.random.default_rng(8), 300
    fixed = (1.959964 + 1.281552) ** 2 * (spread / mean) ** 2
    most = int(max(2 * fixed, 2 * LOG_MEAN_THRESHOLD / mean))
    paths = (mean_test(rng.normal(mean, spread, most)) for _ in range(n_runs))
    n_decided = sum(result.verdict == "above" for result in paths)
    assert n_decided >= n_runs * 0.9 - 3 * np.sqrt(n_runs * 0.9 * 0.1)


def test_without_values_nothing_is_decided():
    assert mean_test(np.array([])) == MeanTestResult("open", 0, None, 0.0, 0.0, np.inf)
    assert mean_test(np.array([]), 10) == MeanTestResult("open", 0, None, 0.0, 0.0, np.inf)
    assert mean_interval(np.array([])) == mean_interval(np.array([]), 10) == (-1.0, 1.0)


@pytest.mark.parametrize("population", [None, 100])
def test_a_mean_of_zero_counts_as_above_and_shows_no_trend(population):
    values = np.array([0.75, -0.25, -0.5])
    result = mean_test(values, population)
    assert (result.verdict, result.n_read, result.after, result.mean) == ("open", 3, None, 0.0)
    assert result.evidence == log_mean_evidence(values, 0.0, population)[-1]
    assert result.evidence != log_mean_evidence(-values, 0.0, population)[-1]
    assert result.n_more == (np.inf if population is None else 97)


def test_an_open_test_has_the_evidence_of_the_leading_side():
    values = np.array([-0.2, -0.1, 0.1])
    result = mean_test(values)
    assert result.evidence == log_mean_evidence(-values)[-1]
    max_growth = max(np.log1p(bet * -values).mean() for bet in BETS)
    assert result.n_more == pytest.approx((LOG_MEAN_THRESHOLD - result.evidence) / max_growth)
    assert mean_test(values, 10).n_more == 7
    assert mean_test(values, 10**6).n_more == pytest.approx(result.n_more, rel=1e-6)


def test_after_a_decision_the_largest_evidence_is_reported():
    values = np.r_[np.full(60, 0.5), np.full(20, -0.4)]
    result, evidence = mean_test(values), log_mean_evidence(values)
    assert (result.verdict, result.evidence, result.n_more) == ("above", evidence.max(), 0.0)
    assert result.after == 1 + np.argmax(evidence >= LOG_MEAN_THRESHOLD)
    assert evidence[-1] < evidence.max()
    turned = mean_test(np.r_[values, np.full(900, -0.4)])
    assert (turned.verdict, turned.after) == ("above", result.after), "the side counts that was shown first"


@pytest.mark.parametrize(("last_value", "verdict"), [(0.2, "above"), (-0.2, "below"), (4e-9, "open"), (8e-9, "above")])
def test_a_complete_population_decides_unless_it_sums_to_zero(last_value, verdict):
    values = np.array([0.1, -0.1, 0.2, -0.2, last_value])
    result = mean_test(values, 5)
    assert result.verdict == verdict
    if verdict != "open":
        assert (result.n_read, result.after, result.evidence, result.n_more) == (5, 5, np.inf, 0.0)
    assert mean_test(values, 6).verdict == "open"
    assert mean_interval(values, 5) == (values.mean(), values.mean())
    low, high = mean_interval(values, 6)
    assert low < values.mean() < high


@pytest.mark.parametrize("population", [None, 60, 200])
def test_an_interval_ends_within_4_millionths_of_the_last_refuted_mean(population):
    values = np.random.default_rng(6).uniform(-0.4, 0.6, 40).round(2)
    low, high = mean_interval(values, population)
    for signed_values, end in ((values, low), (-values, -high)):
        assert log_mean_evidence(signed_values, end, population)[-1] >= LOG_MEAN_THRESHOLD - 1e-6
        assert log_mean_evidence(signed_values, end + 4e-6, population)[-1] < LOG_MEAN_THRESHOLD


@pytest.mark.filterwarnings("error")
def test_the_interval_of_values_that_are_all_1_ends_at_1():
    low, high = mean_interval(np.ones(2))
    # Each bet b multiplies its capital by (1 + b g)^2 with the odds g = (1 - low) / (1 + low); all of it becomes 40.
    odds = max(np.roots([WEIGHTS @ BETS**2, 2 * WEIGHTS @ BETS, 1 - 40]))
    assert (low, high) == (pytest.approx((1 - odds) / (1 + odds), abs=1e-5), 1.0)
    assert mean_interval(-np.ones(2)) == (-1.0, -low)


def test_values_of_zero_show_no_trend():
    result = mean_test(np.zeros(5))
    assert (result.verdict, result.mean, result.evidence, result.n_more) == ("open", 0.0, 0.0, np.inf)
    assert mean_test(np.zeros(5), 9).n_more == 4
    assert mean_test(np.zeros(5), 5).verdict == "open"


@pytest.mark.parametrize("sign", [1, -1])
def test_evidence_that_equals_the_threshold_is_enough(monkeypatch, sign):
    values = np.array([0.5, 0.25, 0.5, -0.125])
    largest = log_mean_evidence(values).max()  # after three values
    monkeypatch.setattr("wordpl.stats.compare.sequential.LOG_MEAN_THRESHOLD", largest)
    result = mean_test(sign * values)
    assert (result.verdict, result.after, result.evidence) == ("above" if sign > 0 else "below", 3, largest)
    monkeypatch.setattr("wordpl.stats.compare.sequential.LOG_MEAN_THRESHOLD", np.nextafter(largest, 9))
    assert mean_test(sign * values).verdict == "open"


@pytest.mark.parametrize(("mean", "verdict"), [(1e-9, "open"), (1.1e-9, "above"), (-1e-9, "open"), (-1.1e-9, "below")])
def test_a_known_mean_of_a_billionth_counts_as_zero(mean, verdict):
    assert mean_test(np.array([mean]), 1).verdict == verdict


def test_reduced_values_decide_sooner_and_keep_the_error():
    rng, ends = np.random.default_rng(8), {True: [], False: []}
    n_false = 0
    for _ in range(40):
        luck = np.clip(rng.normal(0, 0.3, 2500), -0.8, 0.8)
        values = np.clip(rng.normal(0, 0.1, 2500), -0.1, 0.1) + luck
        reduced = Reduced(values - 0.9 * luck, 1.9)
        n_false += mean_test(values, None, reduced).verdict != "open"
        gap = mean_test(values + 0.03, None, Reduced(reduced.values + 0.03, 2.0))
        ends[True].append(gap.after)
        ends[False].append(mean_test(values + 0.03).after or 2500)
        assert gap.verdict == "above"
    assert n_false <= 7  # 5% of 40 is 2
    assert 1.5 * np.mean(ends[True]) < np.mean(ends[False])
    low, high = mean_interval(values + 0.03, None, Reduced(reduced.values + 0.03, 2.0))
    assert low < 0.03 < high
    assert high - low < 0.7 * np.ptp(mean_interval(values + 0.03))


@pytest.mark.slow
def test_reduced_values_of_a_population_decide_sooner_and_keep_the_error():
    """Values are drawn without replacement; their luck is how far they are from the mean of those that are left."""
    rng, n_false, later = np.random.default_rng(8), 0, []
    for _ in range(200):
        values = rng.permutation(np.repeat([-0.4, 0.4, 0.1, -0.1], 150))
        left = len(values) - np.arange(len(values))
        luck = values - (values.sum() - np.concatenate([[0.0], np.cumsum(values)[:-1]])) / left
        seen, reduced = values[:500], Reduced((values - 0.9 * luck)[:500], 1.9)
        n_false += mean_test(seen, 600, reduced).verdict != "open"
        gap = mean_test(seen + 0.03, 600, Reduced(reduced.values + 0.03, 2.0))
        later.append((gap.after or 600, mean_test(seen + 0.03, 600).after or 600))
    assert n_false <= 20
    assert np.median([first for first, _ in later]) < 0.8 * np.median([second for _, second in later])


def test_reduced_values_that_vary_as_much_cost_few_games():
    values = np.random.default_rng(9).uniform(-0.5, 0.7, 2000)
    plain, both = mean_test(values).after, mean_test(values, None, Reduced(values, 2.0)).after
    assert both < 1.4 * plain + 20


@pytest.mark.slow
def test_the_forecast_of_an_open_test_contains_the_games_that_it_needs():
    rng, n_held, n_open = np.random.default_rng(12), 0, 0
    while n_open < 20:
        mean = float(np.exp(rng.uniform(np.log(0.04), np.log(0.2))))
        values = np.clip(mean + 0.4 * rng.standard_normal(20_000), -1, 1)
        if mean_test(values[:60]).verdict == "open":
            n_open += 1
            more = mean_test(values).after - 60
            n_held += forecast(values[:60]).low <= more <= forecast(values[:60]).high
    assert binom.cdf(n_held, n_open, 0.95) > 0.001


def test_a_forecast_knows_how_many_games_are_left():
    found = forecast(np.tile([0.3, -0.29], 50), population=120)
    assert found.low <= found.n_more <= found.high == 20


def test_half_of_the_capital_is_bet_on_reduced_values():
    values = np.random.default_rng(10).uniform(-0.4, 0.5, 40)
    both = [log_mean_evidence(values, 0.1), log_mean_evidence(0.5 * values / 0.5, 0.1 / 0.5)]
    expected = np.log((np.exp(both[0]) + np.exp(both[1])) / 2)
    assert log_mean_evidence(values, 0.1, None, Reduced(0.5 * values, 0.5)) == pytest.approx(expected)


@pytest.mark.parametrize(("value", "is_reduced"), [(0.02, False), (-0.02, True)])
def test_a_forecast_of_values_that_do_not_vary_is_the_number_that_the_test_needs(value, is_reduced):
    values = np.full(4000, value)

    def reduced(n):
        return Reduced(values[:n], 0.5) if is_reduced else None

    after = mean_test(values, None, reduced(4000)).after
    for n_more, near in ((2, pytest.approx(2**0.5)), (60, pytest.approx(60, rel=0.25))):
        found = forecast(values[: after - n_more], reduced(after - n_more))
        assert found.low == found.n_more == found.high == near
    for n_values, is_known in ((19, False), (20, True)):
        assert np.isfinite(forecast(values[:n_values], reduced(n_values)).n_more) == is_known


def test_a_population_that_was_read_is_decided_by_its_values_unless_the_test_decided_before():
    assert mean_test(np.full(60, 0.5), 60).after < 60
    values = np.tile([0.2, -0.1], 3)
    result = mean_test(values, 6, Reduced(values - 0.1, 0.5))
    assert (result.verdict, result.mean, result.after) == ("above", values.mean(), 6)
