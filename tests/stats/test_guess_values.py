"""The information that guesses were expected to give, and that of the best guesses."""

from dataclasses import replace
from itertools import product
from math import log2

import pytest

from examples.fibble import Fibble
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, counted, keep_probability
from wordpl.core.words import WordLists
from wordpl.games import make_game
from wordpl.stats.guess_values import GuessValuer, by_round

FEW_WORDS = WordLists(
    ("abide", "crane", "crate", "trace", "moist"), ("abide", "crane", "crate", "trace", "moist", "zebra")
)


def plain_bits(guess, epsilon, lists, rule):
    """Return the expected information of the first guess's clue, summed over all clues."""
    keep, length = keep_probability(epsilon, 5), 5
    joint_probability = {}
    for answer, shown_clue in product(lists.answers, map("".join, product(".ic", repeat=length))):
        true_clue = CLUE_RULES[rule](guess, answer)
        probability = 1.0
        for true_mark, shown_mark in zip(true_clue, shown_clue, strict=True):
            probability *= keep if true_mark == shown_mark else (1 - keep) / 2
        joint_probability[answer, shown_clue] = probability / len(lists.answers)
    probability_of_clue = {}
    for (_, shown_clue), probability in joint_probability.items():
        probability_of_clue[shown_clue] = probability_of_clue.get(shown_clue, 0) + probability
    return sum(
        probability * log2(probability * len(lists.answers) / probability_of_clue[shown_clue])
        for (_, shown_clue), probability in joint_probability.items()
        if probability
    )


def test_expected_bits_are_the_information_of_the_clue():
    valuer = GuessValuer(make_game("wordpl/1", FEW_WORDS))
    (value,) = valuer.values(3, [["zebra", 6.0, "....i"], ["crane", 0, ""]])
    assert value.expected == pytest.approx(plain_bits("zebra", 6.0, FEW_WORDS, "anywhere"), abs=1e-6)
    best = max(plain_bits(guess, 6.0, FEW_WORDS, "anywhere") for guess in FEW_WORDS.guesses)
    assert value.available == pytest.approx(best, abs=1e-6)
    assert (value.game, value.round_, value.bits_left) == (3, 1, pytest.approx(log2(5)))


def test_the_last_guess_of_a_classic_game_gains_all_remaining_bits():
    valuer = GuessValuer(make_game("wordle/1", words.load(None, None)))
    values = list(valuer.values(0, [["crane", counted("crane", "trace")], ["trace", "ccccc"]]))
    assert values[0].expected <= values[0].available
    assert values[0].gained == pytest.approx(values[0].bits_left - values[1].bits_left)
    round_values = by_round(values[::-1])
    assert [round_value.n_games for round_value in round_values] == [1, 1]
    assert [round_value.round_ for round_value in round_values] == [1, 2]
    assert 0 < round_values[0].share <= 1


def test_a_right_guess_gains_all_bits_that_are_left_even_if_its_clue_may_be_false():
    answers = ("aba", "abc", "abd", "bca")
    lost, won = (
        next(GuessValuer(Fibble(WordLists(answers, answers))).values(0, [["aba", "ccc"]], won=is_won))
        for is_won in (False, True)
    )
    assert won.gained == won.bits_left == 2
    assert lost.gained == pytest.approx(1)  # two words differ from it in the mark that was false


def test_a_guess_that_nothing_beats_is_the_best_and_wastes_nothing():
    lists = WordLists(("crane", "crate"), ("moist", "crate", "crane"))
    (first, second) = GuessValuer(make_game("wordle/1", lists)).values(0, [["crane", "cccic"], ["crate", "ccccc"]])
    assert (first.best, first.wasted, first.bits_left) == ("crane", 0, 1)
    assert (second.best, second.available) == ("crate", 0)
    assert replace(first, available=3.0, expected=1.0).wasted == 2
    assert [one.share for one in by_round([first, second])] == [1, 1]
