import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl.reports.columns import difference_columns
from wordpl.stats import compare


@pytest.mark.parametrize(
    ("measure", "head"), [("budget", "p50"), ("guesses", "mean (X = 7)"), ("tries", "mean (lost = 101)")]
)
def test_differences_are_in_the_scores_of_the_measure(measure, head):
    run = run_of({"one": [3, 4, 5, 4], "other": [4, 4, 6, 4]}, measure)
    heads = [column.head for column in difference_columns(compare.against(run, "one", np.random.default_rng(1)))]
    assert head in heads
    assert ("p50" in heads) == (measure == "budget")
