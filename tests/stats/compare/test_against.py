"""The table of one entry against the others, with few games, few entries and long names."""

from dataclasses import astuple

import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl.core.messages import UserError
from wordpl.stats import compare
from wordpl.stats.hypothesis_tests import mean_bounds


def test_long_names_are_cut_when_the_entries_are_listed():
    run = run_of({"a" * 79 + "bcd": [1.0], "e" * 80: [1.0]})
    with pytest.raises(UserError, match=f"Entries: {'a' * 79}b, {'e' * 80}[.]$"):
        compare.against(run, "f", np.random.default_rng(38))


def test_entries_without_a_common_game_are_not_compared():
    run = run_of({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    run.loc[run["entry"] == "b", "game"] += 2
    assert {name: len(games) for name, games in compare.by_entry(run).items()} == {"a": 0, "b": 0}
    assert not compare.against(run, "a", np.random.default_rng(39))
    assert not compare.against(run[run["entry"] == "a"], "a", np.random.default_rng(39))


def test_the_interval_of_a_mean_difference_allows_for_losses_that_no_game_has_shown():
    run = run_of({"a": [5.0, 9.0], "b": [9.0, 7.0]})
    (row,) = compare.against(run, "a", np.random.default_rng(40))
    bounds = mean_bounds(np.array([-4.0, 2.0]), -100.0, 100.0)
    assert astuple(row.scores["mean_cost"])[:3] == pytest.approx((-1, *bounds))
    assert bounds[0] < -60
