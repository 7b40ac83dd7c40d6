"""The test of a mean that may be read at any time."""

from math import log, log1p

import numpy as np
import pytest

from wordpl.stats.compare.bounded_means import (
    BETS,
    LOG_THRESHOLD,
    MeanTestResult,
    log_evidence,
    mean_interval,
    mean_test,
)


def plain_evidence(values, mean, population):
    """Return what the rules say, bet by bet and value by value."""
    found, capitals = [], [1.0] * len(BETS)
    for n, value in enumerate(values):
        fair = mean if population is None else (population * mean - sum(values[:n])) / (population - n)
        capitals = [
            capital * (1 + bet * (value - fair) / (1 + fair)) for capital, bet in zip(capitals, BETS, strict=True)
        ]
        found.append(log(sum(capitals) / len(capitals)))
    return found


@pytest.mark.parametrize("population", [None, 50])
@pytest.mark.parametrize("mean", [0.0, -0.2, 0.1])
def test_the_evidence_is_that_of_bets_at_fair_odds(population, mean):
    values = np.random.default_rng(5).uniform(-0.4, 0.4, 30)
    assert log_evidence(values, mean, population) == pytest.approx(plain_evidence(list(values), mean, population))


@pytest.mark.parametrize("population", [None, 400])
def test_equal_entries_are_seldom_told_apart_however_often_results_are_read(population):
    rng, is_clear = np.random.default_rng(1), []
    for _ in range(400):
        values = rng.permutation(np.repeat([-0.5, 0.5], 200)) if population else rng.choice([-0.5, 0.5], 400)
        is_clear.append(mean_test(values[:390], population).verdict != "open")
    assert 0 < sum(is_clear) <= 0.05 * len(is_clear)


def test_the_verdict_does_not_depend_on_when_results_are_read():
    values = np.random.default_rng(2).uniform(-0.5, 0.7, 600)
    whole = mean_test(values)
    assert whole.verdict == "above"
    assert mean_test(values[: whole.after]).after == whole.after
    assert mean_test(values[: whole.after - 1]).verdict == "open"
    assert mean_test(-values).verdict == "below"


def test_the_interval_leaves_out_zero_where_the_verdict_is_clear_now():
    values = np.random.default_rng(3).uniform(-0.5, 0.6, 800)
    low, high = mean_interval(values)
    assert (low > 0) == (log_evidence(values)[-1] >= LOG_THRESHOLD)
    assert low < values.mean() < high
    assert log_evidence(values, low)[-1] == pytest.approx(LOG_THRESHOLD, abs=0.05)


def test_the_whole_population_decides():
    values = np.array([0.1, -0.1, 0.1, -0.1, 0.1])
    assert mean_test(values, 5).verdict == "above"
    assert mean_interval(values, 5) == (pytest.approx(0.02), pytest.approx(0.02))
    assert mean_test(values[:4], 4).verdict == "open"  # they are equal: neither side


def test_more_values_are_expected_the_closer_the_mean_is_to_zero():
    far, close = (mean_test(np.tile([gap + 0.3, gap - 0.3], 20)).n_more for gap in (0.05, 0.02))
    assert 0 < far < close
    assert far == pytest.approx(
        max(0, (LOG_THRESHOLD - log_evidence(np.tile([0.35, -0.25], 20))[-1])) / growth(0.05), rel=1e-6
    )


def growth(gap):
    return max((log1p(bet * (gap + 0.3)) + log1p(bet * (gap - 0.3))) / 2 for bet in BETS)


def test_bets_halve_with_every_second_one_from_95_percent():
    assert pytest.approx([0.95 / 2 ** (at / 2) for at in range(12)]) == BETS


def test_the_interval_of_a_part_of_all_values_ends_where_the_evidence_does():
    values = np.random.default_rng(4).uniform(-0.3, 0.5, 60)
    low, high = mean_interval(values, 80)
    assert low < values.mean() < high
    assert log_evidence(values, low, 80)[-1] == pytest.approx(LOG_THRESHOLD, abs=0.05)
    assert log_evidence(-values, -high, 80)[-1] == pytest.approx(LOG_THRESHOLD, abs=0.05)
    wide = mean_interval(values)
    assert wide[0] < low < high < wide[1]


def test_the_threshold_is_40_and_every_second_bet_halves():
    assert pytest.approx(log(40)) == LOG_THRESHOLD
    assert len(BETS) == 12
    assert BETS[:3] == pytest.approx([0.95, 0.671751, 0.475], abs=1e-6)
    assert BETS[-1] == pytest.approx(0.95 / 2**5.5)


def test_no_values_decide_nothing():
    assert mean_test(np.array([])) == MeanTestResult("open", 0, None, 0.0, 0.0, np.inf)
    assert mean_test(np.array([]), 10) == MeanTestResult("open", 0, None, 0.0, 0.0, np.inf)
    assert mean_interval(np.array([])) == mean_interval(np.array([]), 10) == (-1.0, 1.0)


@pytest.mark.parametrize("population", [None, 100])
def test_a_mean_of_zero_counts_as_above_and_shows_no_trend(population):
    values = np.array([0.75, -0.25, -0.5])
    found = mean_test(values, population)
    assert (found.verdict, found.n_read, found.after, found.mean) == ("open", 3, None, 0.0)
    assert found.evidence == log_evidence(values, 0.0, population)[-1]
    assert found.evidence != log_evidence(-values, 0.0, population)[-1]
    assert found.n_more == (np.inf if population is None else 97)


def test_an_open_test_has_the_evidence_of_the_leading_side():
    values = np.array([-0.2, -0.1, 0.1])
    found = mean_test(values)
    assert found.evidence == log_evidence(-values)[-1]
    growth = max(np.log1p(bet * -values).mean() for bet in BETS)
    assert found.n_more == pytest.approx((LOG_THRESHOLD - found.evidence) / growth)
    assert mean_test(values, 10).n_more == 7
    assert mean_test(values, 10**6).n_more == pytest.approx(found.n_more, rel=1e-6)


def test_after_a_decision_the_evidence_is_the_largest_there_was():
    values = np.r_[np.full(60, 0.5), np.full(20, -0.4)]
    found, path = mean_test(values), log_evidence(values)
    assert (found.verdict, found.evidence, found.n_more) == ("above", path.max(), 0.0)
    assert found.after == 1 + np.argmax(path >= LOG_THRESHOLD)
    assert path[-1] < path.max()


@pytest.mark.parametrize(("last", "verdict"), [(0.2, "above"), (-0.2, "below"), (4e-9, "open"), (8e-9, "above")])
def test_the_whole_population_decides_unless_it_sums_to_zero(last, verdict):
    values = np.array([0.1, -0.1, 0.2, -0.2, last])
    found = mean_test(values, 5)
    assert found.verdict == verdict
    if verdict != "open":
        assert (found.n_read, found.after, found.evidence, found.n_more) == (5, 5, np.inf, 0.0)
    assert mean_test(values, 6).verdict == "open"
    assert mean_interval(values, 5) == (values.mean(), values.mean())
    low, high = mean_interval(values, 6)
    assert low < values.mean() < high


@pytest.mark.parametrize("population", [None, 60, 200])
def test_an_interval_ends_within_4_millionths_of_the_means_that_are_just_refuted(population):
    values = np.random.default_rng(6).uniform(-0.4, 0.6, 40).round(2)
    low, high = mean_interval(values, population)
    for signed, end in ((values, low), (-values, -high)):
        assert log_evidence(signed, end, population)[-1] >= LOG_THRESHOLD - 1e-6
        assert log_evidence(signed, end + 4e-6, population)[-1] < LOG_THRESHOLD


@pytest.mark.filterwarnings("error")
def test_values_at_the_end_of_their_range_have_an_interval_that_ends_there():
    low, high = mean_interval(np.ones(2))
    assert (low, high) == (pytest.approx(-0.870397, abs=1e-5), 1.0)
    assert mean_interval(-np.ones(2)) == (-1.0, -low)


def test_zero_values_show_no_trend():
    found = mean_test(np.zeros(5))
    assert (found.verdict, found.mean, found.evidence, found.n_more) == ("open", 0.0, 0.0, np.inf)
    assert mean_test(np.zeros(5), 9).n_more == 4
    assert mean_test(np.zeros(5), 5).verdict == "open"
