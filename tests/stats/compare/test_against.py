"""The table of one entry against the others, with few games, few entries and long names."""

import numpy as np
import pandas as pd
import pytest

from tests.helpers.frames import run_of
from wordpl.core.errors import UserError
from wordpl.stats import compare


def test_long_names_are_cut_when_the_entries_are_listed():
    run = run_of({"a" * 79 + "bcd": [1.0], "e" * 80: [1.0]})
    with pytest.raises(UserError, match=f"Entries: {'a' * 79}b, {'e' * 80}[.]$"):
        compare.against(run, "f", np.random.default_rng(38))


def test_entries_without_a_common_game_are_not_compared():
    run = run_of({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    run.loc[run["entry"] == "b", "game"] += 2
    assert {name: len(games) for name, games in compare.by_entry(run).items()} == {"a": 0, "b": 0}
    assert compare.against(run, "a", np.random.default_rng(39)).equals(pd.DataFrame())
    assert compare.against(run[run["entry"] == "a"], "a", np.random.default_rng(39)).equals(pd.DataFrame())


def test_two_games_have_the_interval_of_student_s_t():
    row = compare.against(run_of({"a": [5.0, 9.0], "b": [9.0, 7.0]}), "a", np.random.default_rng(40)).loc["b"]
    margin = 12.706205 * 3  # t with 1 degree of freedom, 97.5 %; the standard error of -4 and 2 is 3
    assert (row["mean_cost"], row["mean_cost_low"], row["mean_cost_high"]) == pytest.approx(
        (-1, -1 - margin, -1 + margin)
    )
