"""How often answers are right, by what the posterior said of them."""

import numpy as np

from wordpl.stats.calibration import MIN_GAMES, calibration


def test_an_honest_entry_agrees_and_one_that_knows_more_does_not():
    rng = np.random.default_rng(4)
    stated = rng.uniform(0, 1, 4000)
    honest = calibration(stated, rng.random(4000) < stated)
    assert sum(one.n_games for one in honest) == 4000
    assert sum(not one.agrees for one in honest) <= 2
    knowing = calibration(stated, rng.random(4000) < np.sqrt(stated))
    assert sum(one.agrees for one in knowing) <= 2


def test_games_without_an_answer_are_left_out_and_few_games_are_joined():
    stated = np.array([np.nan, 0.0, 0.31, 0.32, 0.61, 0.62, 0.63, 0.97])
    (whole,) = calibration(stated, np.array([0, 0, 1, 0, 1, 1, 0, 1], bool))[:1]
    assert (whole.n_games, whole.n_right) == (MIN_GAMES, 3)
    assert (whole.low, whole.high) == (0.31, 0.63)
    assert not calibration(np.array([0.0, np.nan]), np.zeros(2, bool))
