import numpy as np
import pytest
from scipy.integrate import simpson

from tests.helpers.cases import one_quick_of
from wordpl.stats.compare.sequential import (
    BETS,
    LOG_THRESHOLD,
    WEIGHTS,
    SequentialTestResult,
    games_to_decide,
    in_order,
    log_evidence,
    sequential_mean_test,
    sequential_pair_test,
    sequential_test,
)

QUANTILES = pytest.mark.parametrize("q", one_quick_of(3, [0.5, 0.05, 0.95]))


def wins_needed(n_games, q):
    """Return the wins at which the test decides for P(win) > q after 1 to `n_games` games; n + 1 if none do."""
    n = np.arange(1, n_games + 1)
    low, high = np.zeros(n_games, int), n + 1  # high is sufficient, or larger than n
    while (low < high).any():
        middle = (low + high) // 2
        enough = log_evidence(np.minimum(middle, n), n, q) >= LOG_THRESHOLD
        low, high = np.where((low < high) & ~enough, middle + 1, low), np.where((low < high) & enough, middle, high)
    return low


def share_clear(chance, q, n_games=2500, n_runs=1500):
    """Return the share of runs in which it becomes clear, at any of the looks after each game, that P(win) > q."""
    won = np.random.default_rng(1).random((n_runs, n_games)) < chance
    return (np.cumsum(won, axis=1, dtype=np.int32) >= wins_needed(n_games, q)).any(axis=1).mean()


@QUANTILES
def test_looking_after_every_game_misleads_in_5_of_100_runs_at_most(q):
    assert share_clear(q, q) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)


@QUANTILES
def test_a_true_claim_becomes_clear_in_90_of_100_runs_at_least(q):
    assert share_clear(q + 4 * np.sqrt(q * (1 - q) / 1000), q) >= 0.9


@QUANTILES
def test_the_verdict_comes_with_the_first_game_that_gives_enough_evidence(q):
    rng = np.random.default_rng(2)
    for chance in q + np.array([-6, 6]) * np.sqrt(q * (1 - q) / 1500):
        won = rng.random(1500) < chance
        result = sequential_test(won, q)
        hits, threshold = (won, q) if result.verdict == "above" else (~won, 1 - q)
        is_enough = np.cumsum(hits) >= wins_needed(len(won), threshold)
        assert result.verdict == ("above" if chance > q else "below")
        assert result.after == np.argmax(is_enough) + 1


def luck_free_values(mean, rng, shape):
    """Return values in [-1, 1] with this mean and a spread like that of estimates without luck."""
    return np.clip(mean + rng.normal(0, 0.1, shape), mean - 0.3, mean + 0.3)


@pytest.mark.slow
@pytest.mark.parametrize(("q", "limits"), [(0.05, (-1.0, 1.0)), (0.5, (-1.0, 1.0)), (0.5, (0.0, 1.0))])
def test_values_at_the_quantile_mislead_in_5_of_100_runs_at_most(q, limits):
    rng, n_runs = np.random.default_rng(6), 400
    values = np.clip(luck_free_values(q, rng, (n_runs, 1500)), q - 0.05, q + 0.05)  # symmetric around q
    verdicts = [sequential_mean_test(row, q, limits).verdict for row in values]
    for verdict in ("above", "below"):
        assert verdicts.count(verdict) <= n_runs * 0.05 + 3 * np.sqrt(n_runs * 0.05 * 0.95)


def test_values_with_less_luck_decide_with_fewer_games_than_counted_wins():
    rng = np.random.default_rng(7)
    counted = sequential_test(rng.random(20_000) < 0.52, 0.5)
    estimated = sequential_mean_test(luck_free_values(0.52, rng, 20_000), 0.5, (-1.0, 1.0))
    assert estimated.verdict == "above"
    assert estimated.after < 1000 < (counted.after or 20_000)


def test_values_outside_their_limits_are_refused():
    for value in (1.2, -0.2):
        with pytest.raises(ValueError, match=r"values should be from 0\.0 to 1\.0"):
            sequential_mean_test(np.array([0.5, value]), 0.5, (0.0, 1.0))


@pytest.mark.slow
def test_equally_good_entries_are_told_apart_in_10_of_100_runs_at_most():
    rng, n_runs = np.random.default_rng(3), 150
    won = rng.random((n_runs, 2, 800)) < 0.5
    share = np.mean([sequential_pair_test(first, second).verdict != "open" for first, second in won])
    assert share <= 0.10 + 3 * np.sqrt(0.10 * 0.90 / n_runs)


def test_the_verdict_is_the_one_that_was_clear_first():
    won = np.r_[np.ones(1000, bool), np.zeros(4000, bool)]
    above, below = sequential_test(won, 0.5), sequential_test(~won, 0.5)
    assert (above.verdict, below.verdict) == ("above", "below")
    assert above.after == below.after == np.argmax(np.arange(1, 1001) >= wins_needed(1000, 0.5)) + 1


@QUANTILES
def test_the_evidence_agrees_with_integrals_over_a_beta_prior(q):
    a, b = 2000 * q, 2000 * (1 - q)

    def log_above(n_won, n_games):
        """Return the log of the integral of p^(a + n_won - 1) (1 - p)^(b + n_games - n_won - 1) from q to 1."""
        powers = a + n_won - 1, b + n_games - n_won - 1
        grid = np.linspace(q, min(1, q + 20 * np.sqrt(q * (1 - q) / 2000)), 40_001)[:-1]
        logs = powers[0] * np.log(grid) + powers[1] * np.log1p(-grid)
        top = logs.max()
        return top + np.log(simpson(np.exp(logs - top), x=grid))

    for n_games, n_won in [(100, round(100 * q)), (1000, round(1000 * q + 20)), (1000, round(1000 * q - 20))]:
        expected = log_above(n_won, n_games) - log_above(0, 0) - n_won * np.log(q) - (n_games - n_won) * np.log(1 - q)
        assert log_evidence(np.array([n_won]), np.array([n_games]), q)[0] == pytest.approx(expected, abs=2e-5)


def test_without_games_there_is_no_evidence_and_the_test_is_open():
    assert sequential_test(np.zeros(0, bool), 0.5) == SequentialTestResult("open", 0)
    assert sequential_pair_test(np.ones(3, bool), np.ones(3, bool)) == SequentialTestResult("open", 3)
    assert log_evidence(np.array([0]), np.array([0]), 0.3)[0] == pytest.approx(0, abs=1e-9)
    assert pytest.approx(np.log(20)) == LOG_THRESHOLD  # evidence of 20 to 1 errs in 5 of 100 runs


def test_games_are_read_up_to_the_first_missing_one():
    assert in_order([1, 2, 3], [3, 1, 2]) == [3, 1, 2]
    assert in_order([1, 2], [3, 1, 2]) == []
    assert in_order([], [3, 1, 2]) == []


def test_the_result_of_a_pair_names_the_game_that_decided_it():
    first = np.zeros(4000, bool)
    first[1::2] = True
    second = np.zeros(4000, bool)
    single_result = sequential_test(np.ones(2000, bool), 0.5)
    result = sequential_pair_test(first, second)
    assert (result.verdict, result.after, result.n_read) == ("above", 2 * single_result.after, 4000)
    assert sequential_pair_test(second, first) == SequentialTestResult("below", 4000, result.after)


@pytest.mark.slow
def test_the_forecast_of_a_board_holds_in_90_of_100_pairs():
    rng, n, critical = np.random.default_rng(21), 500, 2.5
    held = []
    while len(held) < 300:
        drift = float(np.exp(rng.uniform(np.log(0.01), np.log(0.2))))
        ahead = np.cumsum(drift + rng.standard_normal(60_000))
        z = ahead / np.sqrt(np.arange(1, len(ahead) + 1))
        if abs(z[n - 1]) >= critical:
            continue
        found = games_to_decide(float(z[n - 1]), critical, n)
        decided = np.flatnonzero(np.abs(z[n:]) >= critical)
        needed = decided[0] + 1 if len(decided) else np.inf
        held.append(found.low <= needed <= found.high)
    assert np.mean(held) > 0.9


def test_a_lead_that_is_nearly_shown_needs_few_more_games_and_a_tie_many():
    near, tie = games_to_decide(2.4, 2.5, 1000), games_to_decide(0.0, 2.5, 1000)
    assert near.n_more < 300 < 3000 < tie.n_more
    assert tie.high > 1e6
    assert games_to_decide(2.4, 2.5, 1000) == near
    assert games_to_decide(-2.4, 2.5, 1000).n_more < 300, "the other side is nearly shown"


@pytest.mark.parametrize(("value", "gain"), [(0.8, 0.3 / 1.5), (0.2, 0.3 / 0.5)])
def test_a_bet_on_a_bounded_mean_can_lose_its_stake_at_the_limit_on_the_other_side(value, gain):
    result = sequential_mean_test(np.full(100, value), 0.5, (-1.0, 1.0))
    capital = np.array([WEIGHTS @ (1 + BETS * gain) ** n for n in range(101)])
    assert result.after == np.argmax(capital >= 20)
