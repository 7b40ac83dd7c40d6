from math import exp

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from wordpl.core.clues import (
    DRAW_LIMIT,
    MARKS,
    anywhere,
    counted,
    decode,
    encode,
    keep_probability,
    noisy,
    read_clues,
)
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws

words = st.text("abcd", min_size=5, max_size=5)  # few letters, so that most words repeat some


@given(guess=words, secret=words)
def test_both_rules_agree_but_for_letters_that_repeat(guess, secret):
    for a, b in zip(anywhere(guess, secret), counted(guess, secret), strict=True):
        assert a == b or (a, b) == ("i", ".")


@given(guess=words, secret=words)
@example(guess="speed", secret="abide")
def test_counted_clues_explain_each_letter_of_the_secret_once(guess, secret):
    clues = counted(guess, secret)
    for letter in set(guess):
        n_marked = sum(mark != "." for guessed, mark in zip(guess, clues, strict=True) if guessed == letter)
        assert n_marked == min(guess.count(letter), secret.count(letter))
    assert all((mark == "c") == (g == s) for g, s, mark in zip(guess, secret, clues, strict=True))


@given(st.text(MARKS, min_size=3, max_size=11))
def test_decoding_the_number_of_a_clue_gives_the_clue(clues):
    assert decode(encode(clues), len(clues)) == clues
    assert 0 <= encode(clues) < 3 ** len(clues)


@pytest.mark.parametrize("epsilon", [1e-300, 0.1, 5.0, 60.0])
def test_the_chance_to_keep_a_mark_follows_the_formula_of_the_rules(epsilon):
    for length in (3, 5, 11):
        expected = exp(epsilon / length) / (2 + exp(epsilon / length))
        assert keep_probability(epsilon, length) == pytest.approx(expected)
    assert keep_probability(epsilon) == keep_probability(epsilon, 5)


def test_a_huge_epsilon_hides_nothing():
    assert keep_probability(1e308) == 1
    assert noisy("..i.c", 1e308, [DRAW_LIMIT - 1] * 5) == "..i.c"


@pytest.mark.parametrize("epsilon", [0.5, 5.0, 12.3])
@pytest.mark.parametrize("mark", MARKS)
def test_noise_has_the_distribution_of_its_formula(epsilon, mark):
    draws = Draws.of("noise")
    marks = "".join(noisy(mark * 5, epsilon, draws.game(game).noise(1, 5)) for game in range(4000))
    keep = keep_probability(epsilon)
    expected = [len(marks) * (keep if other == mark else (1 - keep) / 2) for other in MARKS]
    assert chisquare([marks.count(other) for other in MARKS], expected).pvalue > 0.001


def test_letters_are_hidden_independently():
    draws = Draws.of("pairs")
    pairs = [[draw < DRAW_LIMIT // 2 for draw in draws.game(game).noise(2, 2)] for game in range(4000)]
    counts = [sum(pair == [a, b] for pair in pairs) for a in (True, False) for b in (True, False)]
    assert chisquare(counts).pvalue > 0.001


def test_a_draw_decides_its_mark_by_the_published_ranges():
    first = keep_probability(5.0) * DRAW_LIMIT
    middle = (DRAW_LIMIT + first) / 2
    draws = [int(first), int(first) + 1, int(middle), int(middle) + 1, DRAW_LIMIT - 1]
    assert [noisy(mark * 5, 5.0, draws) for mark in MARKS] == [".iicc", "icc..", "c..ii"]
    assert noisy("c", 5.0, [0]) == "c"


@pytest.mark.parametrize(
    ("text", "clues"),
    [
        ("..ic.", "..ic."),
        ("bbygb", "..ic."),
        ("⬜\ufe0f⬛🟦🟧⬜", "..ic."),
        ("..ic", None),
        ("..icx", None),
        ("..ic..", None),
    ],
)
def test_clues_are_read_from_marks_letters_and_squares(text, clues):
    if clues:
        assert read_clues(text, 5) == clues
    else:
        with pytest.raises(UserError, match="is not a clue for 5 letters"):
            read_clues(text, 5)
