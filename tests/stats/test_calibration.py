"""Answers are right as often as their posterior probabilities state, or the difference is shown."""

import numpy as np

from wordpl.stats.game_statistics import MIN_GAMES, calibration


def test_an_honest_entry_agrees_and_one_that_wins_more_often_does_not():
    rng = np.random.default_rng(4)
    stated = rng.uniform(0, 1, 4000)
    honest_groups = calibration(stated, rng.random(4000) < stated)
    assert sum(group.n_games for group in honest_groups) == 4000
    assert sum(not group.agrees for group in honest_groups) <= 2
    for power in (0.5, 2):  # it wins more often, or less
        assert sum(group.agrees for group in calibration(stated, rng.random(4000) < stated**power)) <= 2


def test_games_without_an_answer_are_left_out_and_small_groups_are_merged():
    stated = np.array([np.nan, 0.0, 0.31, 0.32, 0.61, 0.62, 0.63, 0.97])
    group, last = calibration(stated, np.array([0, 0, 1, 0, 1, 1, 0, 1], bool))
    assert (last.n_games, last.low) == (1, 0.97)
    assert (group.n_games, group.n_right) == (MIN_GAMES, 3)
    assert (group.low, group.high) == (0.31, 0.63)
    assert not calibration(np.array([0.0, np.nan]), np.zeros(2, bool))
