import numpy as np
import pytest

from wordpl.stats.paired_tests import holm_step_down, mcnemar, mean_test, quantile_test, share_test

K = 5
PAIRS = K * (K - 1)


def p_values(found):
    """Return a table of p-values: those given for some pairs, 1 for the others."""
    p = np.ones((K, K))
    for (i, j), value in found.items():
        p[i, j] = value
    return p


def test_step_down_compares_each_p_with_its_share_of_what_is_left():
    p = p_values({(0, 1): 0.05 / PAIRS, (0, 2): 0.05 / (PAIRS - 1), (0, 3): 0.05 / (PAIRS - 2) * 1.01})
    assert list(zip(*np.nonzero(holm_step_down(p, 0.05)), strict=True)) == [(0, 1), (0, 2)]


def test_step_down_shows_nothing_where_the_smallest_p_is_too_large():
    assert not holm_step_down(p_values({(0, 1): 0.05 / PAIRS * 1.01, (0, 2): 0.05 / PAIRS * 1.01}), 0.05).any()


def test_step_down_shows_all_that_is_clear_and_never_an_entry_better_than_itself():
    p = np.zeros((K, K))
    assert (holm_step_down(p, 0.05) == ~np.eye(K, dtype=bool)).all()


def test_on_at_most_5_of_100_boards_step_down_shows_anything_of_equal_entries():
    rng, n_boards = np.random.default_rng(1), 2000
    wrong = sum(holm_step_down(rng.random((K, K)), 0.05).any() for _ in range(n_boards))
    assert wrong / n_boards <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_boards)


def test_mcnemar_is_a_toss_of_coins():
    p = mcnemar(np.array([[0, 9], [3, 0]]), np.array([[0, 3], [9, 0]]))
    assert p[0, 1] == pytest.approx((1 + 12 + 66 + 220) / 2**12)
    assert p[1, 0] == pytest.approx(1 - (1 + 12 + 66) / 2**12)
    assert p[0, 0] == 1


@pytest.mark.parametrize("test", [share_test, mean_test, lambda values: quantile_test(-values, 0.5)])
def test_no_test_shows_more_than_the_games_that_differ_could(test):
    values = np.zeros((2, 200))
    values[0, :3] = 1
    assert test(values)[0, 1] >= 2.0**-3
