"""McNemar's test and Bonett and Price's interval, to the digits that were worked out by hand."""

import numpy as np
import pytest

from wordpl.stats.compare.head_to_head import pairs


def test_two_entries_of_which_one_alone_won_20_and_10_of_100_games():
    first, second = np.zeros(100, bool), np.zeros(100, bool)
    first[:20], second[20:30] = True, True
    first[50:60] = second[50:60] = True
    found = pairs(first, second)
    assert (found.n_games, found.only_first, found.only_second) == (100, 20, 10)
    assert found.difference == pytest.approx(0.1)
    assert found.p_value == pytest.approx(0.098737, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((-0.008981, 0.205059), abs=2e-6)


def test_equal_entries_have_a_p_value_of_one_and_an_interval_around_zero():
    won = np.arange(50) % 2 == 0
    found = pairs(won, won)
    assert found.p_value == 1
    assert found.low == pytest.approx(-found.high)
    assert 0 < found.high < 0.1


@pytest.mark.parametrize("n", [1, 3])
def test_an_interval_ends_at_all_games(n):
    always, never = np.ones(n, bool), np.zeros(n, bool)
    first, second = pairs(always, never), pairs(never, always)
    margin = 1.959964 * np.sqrt((1 - (n / (n + 2)) ** 2) / (n + 2))
    assert (first.low, first.high) == (pytest.approx(n / (n + 2) - margin), 1.0)
    assert (second.low, second.high) == (-1.0, pytest.approx(margin - n / (n + 2)))
    assert (first.difference, second.difference) == (1, -1)
    assert first.p_value == second.p_value == 0.5 ** (n - 1)
