from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.apps.season import anytime
from wordpl.apps.season.anytime import (
    BETS,
    SPLITS_SCALE,
    AnytimeOrder,
    AnytimeQuantiles,
    change_evidence,
    log_capital,
    longest_paths,
    lower_bounds,
    pair_powers,
    powers,
    rank_intervals,
    spent_alpha,
)

values_from_0_to_1 = st.lists(st.sampled_from([0.0, 0.01, 0.3, 0.5, 0.9, 1.0]), min_size=1, max_size=60).map(np.array)


def log_capital_game_by_game(values, mean, low):
    """The gambler's capital as it changes from game to game, averaged over the bets."""
    capitals = np.ones(len(BETS))
    for value in values:
        capitals *= 1 + BETS * (value - mean) / (mean - low)
    return np.log(capitals.mean())


@given(values=values_from_0_to_1, mean=st.floats(0.01, 0.99), low=st.sampled_from([0.0, -1.0]))
def test_the_capital_is_never_overestimated(values, mean, low):
    assert log_capital(powers(values), mean, low) <= log_capital_game_by_game(values, mean, low) + 1e-9


def test_the_capital_is_close_to_that_of_the_game_by_game_bets():
    values = (np.random.default_rng(1).random(5000) < 0.55).astype(float)
    exact = log_capital_game_by_game(values, 0.5, 0.0)
    assert exact - 0.3 < log_capital(powers(values), 0.5, 0.0) <= exact + 1e-9


@given(values=values_from_0_to_1, alpha=st.sampled_from([0.05, 1e-6]))
def test_a_lower_bound_is_rejected_by_the_game_by_game_bets_too(values, alpha):
    bound = float(lower_bounds(powers(values), 0.0, np.array(alpha)))
    assert 0 <= bound <= values.mean()
    assert bound == 0 or log_capital_game_by_game(values, bound, 0.0) >= -np.log(alpha) - 1e-9


def test_the_powers_of_pairs_are_those_of_their_differences():
    values = np.random.default_rng(2).random((4, 50))
    assert np.allclose(pair_powers(values), powers(values[:, None] - values), atol=1e-11)


def test_all_shares_of_alpha_together_are_at_most_alpha():
    shares = spent_alpha(np.arange(10**6), 0.05, 100)
    assert shares[:100].sum() == pytest.approx(0.025)
    assert shares.sum() <= 0.05


def test_each_side_of_an_interval_misses_with_half_of_its_probability():
    values = (np.random.default_rng(12).random(300) < 0.6).astype(float)
    low, high = anytime.intervals(powers(values), (0.0, 1.0), np.array(0.05))
    evidence = log_capital(powers(values), low, 0.0), log_capital(anytime.negated(powers(values)), -high, -1.0)
    assert evidence == pytest.approx([-np.log(0.025)] * 2, abs=1e-5)


def test_all_bounds_of_an_order_share_its_error_rate():
    """The shares are those of questions in the order in which they were asked, of which half is for each side."""
    rng, order = np.random.default_rng(13), AnytimeOrder((0.0, 1.0))
    easy = rng.random(2000)
    values = np.array([(easy < share).astype(float) for share in (0.50, 0.51, 0.52)])
    order.add([0, 1, 2], values)
    order.add([3], values[:1])
    bounds = order.bounds()
    shares = spent_alpha(np.arange(4), 0.2 * 0.05, anytime.PLAYERS_SCALE)
    expected = lower_bounds(powers(values[0]), 0.0, shares[3] / 2)
    assert bounds.low[3] == pytest.approx(float(expected), abs=1e-7)
    for number, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        share = spent_alpha([number], 0.8 * 0.05 / 2, anytime.PAIRS_SCALE)[0]
        for better, worse in ((i, j), (j, i)):
            least = lower_bounds(powers(values[better] - values[worse]), -1.0, np.array(share))
            assert bounds.least[better, worse] == pytest.approx(float(least), abs=1e-7)


def test_equal_players_whose_means_are_known_are_not_better_than_each_other():
    order = AnytimeOrder((0.0, 1.0))
    order.add([0, 1], np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]))
    bounds = order.bounds(exact=(0, 1))
    assert not bounds.better.any()
    assert (bounds.low == bounds.high).all() and (bounds.low == bounds.means).all()


@pytest.mark.parametrize("shares", [(0.7, 0.3), (0.3, 0.7), (0.5, 0.5)])
def test_the_evidence_of_a_change_is_that_of_the_mean_that_explains_it_best(shares):
    rng = np.random.default_rng(14)
    sums = np.array([powers((rng.random(300) < shares[number > 2]).astype(float)) for number in range(5)])
    evidence, n_before = change_evidence(sums)
    if shares[0] == shares[1]:
        assert evidence < 3
        return
    before, after = sums[:n_before].sum(axis=0), sums[n_before:].sum(axis=0)
    above, below = (before, after) if shares[0] > shares[1] else (after, before)
    ends = sorted(sums[1] / sums[0] for sums in (before, after))
    means = np.linspace(*ends, anytime.MEAN_CELLS + 1)  # a range of means has the capital of its worse end in each part
    capitals = kept(log_capital(above[None], means[1:], 0.0)) + kept(
        log_capital(anytime.negated(below)[None], -means[:-1], -1.0)
    )
    expected = capitals.min() + np.log(spent_alpha([n_before - 1], 0.5, SPLITS_SCALE)[0])
    assert (n_before, evidence) == (3, pytest.approx(expected))


def test_intervals_are_at_most_1_3_times_as_wide_as_a_normal_interval_at_the_levels_of_a_season():
    rng = np.random.default_rng(3)
    for mean in (0.05, 0.5, 0.95):
        values = (rng.random(5000) < mean).astype(float)
        low, high = anytime.intervals(powers(values), (0.0, 1.0), np.array(2e-6))
        assert high - low < 1.3 * 2 * 4.75 * values.std() / np.sqrt(5000)


def common_games(rng, means, n=2000):
    """Games whose value differs between players less than between games."""
    return (rng.random(n) < np.array(means)[:, None]).astype(float)


def test_players_who_never_met_are_ordered_by_a_third_one():
    rng, order = np.random.default_rng(4), AnytimeOrder((0.0, 1.0))
    order.add([0, 1], common_games(rng, [0.7, 0.6]))
    order.add([1, 2], common_games(rng, [0.6, 0.5]))
    bounds = order.bounds()
    assert bounds.better.tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    assert bounds.least[0, 2] > 0.05
    assert [list(ranks) for ranks in rank_intervals(bounds.better, [0, 1, 2])] == [[1, 2, 3], [1, 2, 3]]
    assert [list(ranks) for ranks in rank_intervals(bounds.better, [2, 0])] == [[2, 1], [2, 1]]


def test_a_small_difference_on_common_games_is_found_where_the_intervals_of_the_means_overlap():
    rng, order = np.random.default_rng(5), AnytimeOrder((0.0, 1.0))
    for _ in range(5):
        order.add([0, 1], common_games(rng, [0.53, 0.50]))
    bounds = order.bounds()
    assert bounds.low[0] < bounds.high[1]
    assert bounds.better[0, 1]


def change_evidence_game_by_game(rounds):
    """The capital of who bets on one side of a mean until a round, then on the other; the smallest of all means."""
    found = []
    for split in range(1, len(rounds)):
        before, after = np.concatenate(rounds[:split]), np.concatenate(rounds[split:])
        log_weight = np.log(spent_alpha([split - 1], 0.5, SPLITS_SCALE)[0])
        for first, second in ((before, after), (1 - before, 1 - after)):
            capitals = [
                kept(log_capital_game_by_game(first, mean, 0.0))
                + kept(log_capital_game_by_game(1 - second, 1 - mean, 0.0))
                for mean in np.linspace(0.01, 0.99, 50)
            ]
            found.append(min(capitals) + log_weight)
    return max(found)


def kept(log_of_capital):
    return np.log(0.5 + 0.5 * np.exp(log_of_capital))


@given(rounds=st.lists(values_from_0_to_1.filter(lambda values: len(values) > 5), min_size=2, max_size=4))
def test_the_evidence_of_a_change_is_never_overestimated(rounds):
    evidence, _ = change_evidence(np.array([powers(values) for values in rounds]))
    assert evidence <= max(0.0, change_evidence_game_by_game(rounds)) + 1e-9


def test_a_change_is_found_with_its_round_and_rare_losses_are_none():
    rng = np.random.default_rng(6)
    rounds = [(rng.random(500) < (0.6 if number < 7 else 0.5)).astype(float) for number in range(12)]
    evidence, n_before = change_evidence(np.array([powers(values) for values in rounds]))
    assert evidence > -np.log(1e-4) and n_before == 7
    won = np.ones((20, 500))
    won[19, :3] = 0.0  # the first losses of all
    assert change_evidence(np.array([powers(values) for values in won]))[0] < -np.log(1e-3)


@given(
    gains=st.integers(2, 6).flatmap(
        lambda k: st.lists(
            st.lists(st.sampled_from([-1.0, -0.5, -0.2, 0.1]), min_size=k, max_size=k), min_size=k, max_size=k
        )
    )
)
def test_no_cycle_of_bounds_gains_or_it_is_found(gains):
    gains = np.array(gains)
    np.fill_diagonal(gains, 0.0)
    best, cycle = longest_paths(gains)
    if cycle:
        assert sum(gains[i, j] for i, j in pairwise([*cycle, cycle[0]])) > 0
        return
    expected = gains.copy()
    for _ in gains:  # paths of one step more, as the definition reads
        expected = np.maximum(expected, (expected[:, :, None] + gains[None]).max(axis=1))
    assert np.allclose(best, expected) and np.allclose(np.diag(best), 0)


def test_bounds_that_contradict_each_other_are_a_finding_about_who_has_changed():
    rng, order = np.random.default_rng(11), AnytimeOrder((0.0, 1.0))
    for _ in range(5):
        order.add([0, 1], common_games(rng, [0.7, 0.5]))
    for _ in range(5):
        order.add([0, 2], common_games(rng, [0.3, 0.5]))
    for _ in range(5):
        order.add([1, 2], common_games(rng, [0.5, 0.5]))
    bounds = order.bounds()
    assert [found.player for found in bounds.contradictions] == [0]
    assert not (bounds.better & bounds.better.T).any() and not bounds.better[1:, 1:].any()
    assert (bounds.low <= bounds.high).all()


def test_the_order_of_players_within_a_round_does_not_matter():
    values = np.random.default_rng(7).random((3, 400))
    one, other = AnytimeOrder((0.0, 1.0)), AnytimeOrder((0.0, 1.0))
    one.add([0, 1, 2], values)
    other.add([2, 0, 1], values[[2, 0, 1]])
    assert np.allclose(one.bounds().least, other.bounds().least, atol=1e-9)


@pytest.mark.parametrize("n_seasons", [5, pytest.param(40, marks=pytest.mark.long)])
def test_replaying_the_leader_of_equal_players_again_and_again_shows_nothing_false(n_seasons):
    n_false = 0
    for season in range(n_seasons):
        rng, order = np.random.default_rng([8, season]), AnytimeOrder((0.0, 1.0), alpha=0.2)
        players = list(range(8))
        for _ in range(12):
            order.add(players, (rng.random((len(players), 100)) < 0.5).astype(float))
            bounds = order.bounds()
            n_false += bool(bounds.better.any() or (bounds.low > 0.5).any() or (bounds.high < 0.5).any())
            players = sorted(np.argsort(-bounds.means)[:3].tolist())
    assert n_false <= 0.2 * n_seasons


def test_values_outside_the_limits_are_refused():
    with pytest.raises(ValueError, match=r"from 0.0 to 1.0, got -0.5"):
        AnytimeOrder((0.0, 1.0)).add([0], np.array([[0.2, -0.5]]))
    with pytest.raises(ValueError, match=r"credits should be from 0 to 1, got 0.2 to 1.5"):
        AnytimeQuantiles(0.5).add([0], np.ones((1, 2)), np.array([[0.2, 1.5]]))


def budgets(rng, factors, n=1500):
    hardness = rng.gamma(3, 10, n)
    return np.round(hardness * rng.gamma(20, 0.05, (len(factors), n)) * np.array(factors)[:, None], 1)


def test_quantiles_are_bounded_and_put_in_order():
    rng = np.random.default_rng(9)
    truth = np.median(budgets(rng, [1.0], 400_000))
    factors = np.array([1.0, 1.3, 1.03, 1.03])
    quantiles = AnytimeQuantiles(0.5)
    for _ in range(3):
        spent = budgets(rng, factors)
        quantiles.add([0, 1, 2, 3], spent, np.ones_like(spent))
    bounds = quantiles.bounds()
    assert (bounds.low <= truth * factors * 1.01).all()
    assert (bounds.high >= truth * factors * 0.99).all()
    assert (bounds.low <= bounds.values).all() and (bounds.values <= bounds.high).all()
    better, _ = quantiles.better([0, 1, 2, 3], bounds)
    assert better[0, 1] and better[2, 1]
    assert not better[1].any() and not better[2, 3] and not better[3, 2]


def test_all_bounds_of_quantiles_share_their_error_rate():
    """A budget is excluded if the games won within it show that, at the level of the question."""
    rng, quantiles = np.random.default_rng(15), AnytimeQuantiles(0.5)
    spent = np.round(rng.gamma(4, 10, (3, 600)))
    credit = (rng.random((3, 600)) < 0.9).astype(float)
    quantiles.add([0, 1], spent[:2], credit[:2])
    quantiles.add([2], spent[2:], credit[2:])
    bounds = quantiles.bounds()
    shares = spent_alpha(np.arange(3), 0.2 * 0.05, anytime.PLAYERS_SCALE)
    for player, share in enumerate(shares):
        target, tried = -np.log(share / 2), np.unique(spent[player])
        won = [powers(np.where(spent[player] <= budget, credit[player], 0.0)) for budget in tried]
        means = np.array([sums[1] / sums[0] for sums in won])
        low = [budget for budget, sums, mean in zip(tried, won, means, strict=True)
               if mean < 0.5 and log_capital(anytime.negated(sums), -0.5, -1.0) >= target]  # fmt: skip
        high = [budget for budget, sums, mean in zip(tried, won, means, strict=True)
                if mean > 0.5 and log_capital(sums, 0.5, 0.0) >= target]  # fmt: skip
        assert bounds.low[player] == tried[len(low)]
        assert bounds.high[player] == high[0]
        assert bounds.values[player] == tried[means >= 0.5][0]
    known = quantiles.bounds(exact=(1,))
    assert known.low[1] == known.high[1] == known.values[1]
    assert (known.low[0], known.high[0]) == (bounds.low[0], bounds.high[0])


def test_games_that_do_not_count_bound_no_quantile():
    quantiles = AnytimeQuantiles(0.5)
    quantiles.add([0, 1], np.full((2, 500), 10.0), np.ones((2, 500)), counted=[True, False])
    bounds = quantiles.bounds()
    assert (bounds.low.tolist(), bounds.high.tolist()) == ([10.0, 0.0], [10.0, np.inf])


def test_a_quantile_is_below_another_only_if_each_budget_between_them_shows_it():
    """Common games exclude a budget if who is better wins more of them for less than the other one does within it."""
    rng, n_shown = np.random.default_rng(1), 0
    target = -np.log(spent_alpha([0], 0.8 * 0.05 / 2, anytime.PAIRS_SCALE)[0])
    for _ in range(80):
        n, k = rng.choice([120, 300, 600]), rng.choice([3, 5, 40])
        base = rng.integers(1, k + 1, n) * 10.0
        spent = np.array([base, base + rng.integers(0, 2, n) * 10 * (rng.random(n) < rng.random())])
        credit = (rng.random((2, n)) < np.array([[0.95], [rng.uniform(0.5, 0.95)]])).astype(float)
        quantiles = AnytimeQuantiles(0.5)
        quantiles.add([0, 1], spent, credit)
        bounds = quantiles.bounds()
        if not quantiles.better([0, 1], bounds)[0][0, 1] or bounds.high[0] < bounds.low[1]:
            continue
        low, high, n_shown = bounds.low[1], bounds.high.min(), n_shown + 1
        for budget in np.unique(spent[(spent >= low) & (spent <= high)]):
            more = np.where(spent[0] < budget, credit[0], 0) - np.where(spent[1] <= budget, credit[1], 0)
            assert log_capital(powers(more), 0.0, -1.0) >= target
    assert n_shown


def test_fixed_budgets_are_ordered_by_the_one_that_reaches_the_share():
    rng, quantiles = np.random.default_rng(10), AnytimeQuantiles(0.5)
    for _ in range(4):
        won = (rng.random((3, 3000)) < np.array([[0.6], [0.62], [0.3]])).astype(float)
        quantiles.add([0, 1, 2], np.repeat([[36.7], [40.0], [20.0]], 3000, axis=1), won)
    bounds = quantiles.bounds()
    assert bounds.values.tolist() == [36.7, 40.0, np.inf]
    assert (bounds.low[0], bounds.high[0]) == (36.7, 36.7)
    better, _ = quantiles.better([0, 1, 2], bounds)
    assert better[0, 1] and better[0, 2] and better[1, 2]
    assert not better[1, 0] and not better[2].any()
