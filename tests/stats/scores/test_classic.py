import numpy as np
import pandas as pd
import pytest

from tests.helpers.frames import FACTS, run_of
from wordpl.stats.scores import main_score, scores_for
from wordpl.stats.scores.shares import distribution, worst_words

GAMES = run_of({"one": [1, 4, 4, 6, np.inf, 3, np.inf, 5]}, "guesses")


def test_an_unsolved_game_counts_as_seven_guesses():
    mean = main_score(FACTS["guesses"])
    assert mean(mean.per_game(GAMES)).value == (1 + 4 + 4 + 6 + 7 + 3 + 7 + 5) / 8


def test_the_mean_of_equal_games_has_an_interval():
    estimate = main_score(FACTS["guesses"])(np.full(100, 4.0))
    assert estimate.value == pytest.approx(4)
    assert (estimate.low, estimate.high) == pytest.approx((1 + 3 * 0.025**0.01, 7 - 3 * 0.025**0.01))


def test_the_share_solved_in_four_leaves_out_longer_and_lost_games():
    score = next(score for score in scores_for(FACTS["guesses"]) if score.name == "solved_in_4")
    assert score(score.per_game(GAMES)).value == 4 / 8


def test_the_distribution_counts_one_to_six_and_unsolved():
    assert distribution(GAMES, 6) == [1, 0, 1, 2, 1, 1, 2]
    assert distribution(GAMES, 5) == [1, 0, 1, 2, 1, 3]


def test_the_worst_words_are_unsolved_ones_and_then_those_with_most_guesses():
    assert worst_words(GAMES, 3) == [("word4", np.inf), ("word6", np.inf), ("word3", 6)]


def test_a_secret_that_was_drawn_twice_counts_with_its_worst_game():
    games = run_of({"one": [3, 6, 5]}, "guesses").assign(secret=["mummy", "mummy", "fuzzy"])
    assert worst_words(games) == [("mummy", 6), ("fuzzy", 5)]


def test_words_that_were_never_secrets_are_not_among_the_worst():
    games = run_of({"one": [6, 5]}, "guesses")
    games["secret"] = pd.Categorical(["mummy", "fuzzy"], ["abide", "fuzzy", "mummy", "zebra"])
    assert worst_words(games) == [("mummy", 6), ("fuzzy", 5)]
    assert worst_words(games, 1) == [("mummy", 6)]
