"""McNemar's test and Bonett and Price's interval, to the digits that were worked out by hand."""

import numpy as np
import pytest

from wordpl.stats.compare.differences import pairs


def test_20_against_10_games_won_alone_give_the_numbers_worked_out_by_hand():
    first, second = np.zeros(100, bool), np.zeros(100, bool)
    first[:20], second[20:30] = True, True
    first[50:60] = second[50:60] = True
    result = pairs(first, second)
    assert (result.n_games, result.only_first, result.only_second) == (100, 20, 10)
    assert result.difference == pytest.approx(0.1)
    assert result.p_value == pytest.approx(0.098737, abs=1e-6)
    assert (result.low, result.high) == pytest.approx((-0.008981, 0.205059), abs=2e-6)


def test_equal_entries_have_a_p_value_of_one_and_an_interval_around_zero():
    won = np.arange(50) % 2 == 0
    result = pairs(won, won)
    assert result.p_value == 1
    assert result.low == pytest.approx(-result.high)
    assert 0 < result.high < 0.1


@pytest.mark.parametrize("n", [1, 3])
def test_an_interval_does_not_exceed_a_difference_of_all_games(n):
    always, never = np.ones(n, bool), np.zeros(n, bool)
    first, second = pairs(always, never), pairs(never, always)
    margin = 1.959964 * np.sqrt((1 - (n / (n + 2)) ** 2) / (n + 2))
    assert (first.low, first.high) == (pytest.approx(n / (n + 2) - margin), 1.0)
    assert (second.low, second.high) == (-1.0, pytest.approx(margin - n / (n + 2)))
    assert (first.difference, second.difference) == (1, -1)
    assert first.p_value == second.p_value == 0.5 ** (n - 1)
