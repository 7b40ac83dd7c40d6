import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from wordpl.core.intervals import proportion_interval
from wordpl.stats.hypothesis_tests import better_means, mcnemar, mean_bounds, p_value


def exact_p_value(values, mean, worst):
    """Return P(sum of weighted exponentials <= 0) by inverting the characteristic function (J. Gil-Pelaez 1951)."""
    gaps = np.append(values - mean, worst - mean)
    gaps /= np.sqrt((gaps**2).sum())
    parts = [(1e-9, 1), (1, 4), (4, 16), (16, 64), (64, 1000)]
    integrals = [quad(lambda t: np.imag(np.prod(1 / (1 - 1j * t * gaps))) / t, *part, limit=400)[0] for part in parts]
    return 0.5 - sum(integrals) / np.pi


@pytest.mark.parametrize("n", [10, 40, 200])
@pytest.mark.parametrize("errors", [0.0, 1.0, 2.0, 3.0])
def test_p_values_agree_with_the_exact_distribution(n, errors):
    values = np.random.default_rng(n).beta(5, 1, n)
    mean = values.mean() - errors * values.std() / np.sqrt(n)
    assert p_value(values, mean, 0.0) == pytest.approx(exact_p_value(values, mean, 0.0), rel=0.03)


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.5, 0.999))
def test_bounds_of_shares_are_those_of_clopper_and_pearson(hits, misses, confidence):
    values = np.repeat([1.0, 0.0], [hits, misses])
    expected = proportion_interval(hits, hits + misses, confidence)
    assert mean_bounds(values, 0.0, 1.0, confidence) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 40), st.integers(1, 40))
def test_p_values_of_wins_alone_are_those_of_coin_tosses(only_first, only_second):
    wins = np.zeros((2, 100))
    wins[0, :only_first], wins[1, 60 : 60 + only_second] = 1.0, 1.0
    expected = mcnemar(np.array(only_first), np.array(only_second))
    assert better_means(wins, 1.0)[0, 1] == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 200), st.sampled_from([0.0, -3.0]))
def test_bounds_are_where_the_p_value_reaches_the_level(seed, n, worst):
    values = np.random.default_rng(seed).random(n)
    low, high = mean_bounds(values, worst, 2.0)
    assert p_value(values, low, worst) == pytest.approx(0.025, rel=1e-4)
    assert p_value(-values, -high, -2.0) == pytest.approx(0.025, rel=1e-4)


def test_p_values_grow_with_the_mean_in_question():
    values = np.random.default_rng(5).random(30)
    p = [p_value(values, mean, 0.0) for mean in np.linspace(0.01, 0.99, 60)]
    assert (np.diff(p) >= 0).all()
    assert p[0] < 1e-12
    assert p[-1] > 1 - 1e-12


def test_equal_values_still_allow_for_the_worst():
    low, high = mean_bounds(np.full(30, 0.5), 0.0, 1.0)
    assert low == pytest.approx(0.5 * 0.025 ** (1 / 30))
    assert high == pytest.approx(1 - low)
    assert mean_bounds(np.array([]), 0.0, 1.0) == (0.0, 1.0)


def test_the_bounds_of_the_same_values_depend_on_the_confidence_and_on_the_possible_values():
    values = np.random.default_rng(6).random(40)
    bounds = [mean_bounds(values, *ends, level) for ends in ((0.0, 1.0), (-2.0, 1.0)) for level in (0.95, 0.5)]
    assert bounds == [mean_bounds(values.copy(), *ends, level) for ends in ((0, 1), (-2, 1)) for level in (0.95, 0.5)]
    assert len(set(bounds)) == 4


def test_entries_with_equal_games_are_not_told_apart():
    assert (better_means(np.ones((3, 50)), 1.0) == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "chance"), [(150, 0.01), (1001, 0.001), (1001, 0.002), (5000, 0.0004)])
def test_a_rival_that_never_loses_is_not_called_worse_because_no_loss_was_seen(n, chance):
    """The first entry is cheaper unless it loses, and truly equal on average; about a third of boards show no loss."""
    rng, n_wrong, n_boards = np.random.default_rng(n), 0, 2000
    gap = chance * 30.5
    for _ in range(n_boards):
        costs = np.where(rng.random(n) < chance, 100.0, 69.5)
        n_wrong += p_value(69.5 + gap - costs, 0.0, -100.0) < 0.025
    assert n_wrong / n_boards <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / n_boards)
