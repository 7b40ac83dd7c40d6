import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wordpl.core.clues import CLUE_RULES, decode, encode, keep_probability
from wordpl.core.words import letters
from wordpl.kernels import clue_matrix as kernels
from wordpl.kernels.clue_matrix import agreement_table, agreements, answer_rows, clue_matrix, guess_rows, matrix_of

LENGTHS = range(3, 12)


@st.composite
def word_lists(draw):
    """Two lists of words of one length, over few letters, so that most words repeat some."""
    length = draw(st.sampled_from(LENGTHS))
    words = st.lists(st.text("abcd", min_size=length, max_size=length), min_size=1, max_size=40)
    return draw(words), draw(words)


@pytest.mark.parametrize("rule", CLUE_RULES)
@settings(deadline=None)  # the first call may compile
@given(word_lists())
@example((["speed", "eerie", "geese"], ["abide", "erase", "there"]))
def test_clue_matrices_agree_with_the_rules(rule, lists):
    guesses, answers = lists
    expected = [[encode(CLUE_RULES[rule](guess, answer)) for answer in answers] for guess in guesses]
    assert clue_matrix(letters(guesses), letters(answers), rule).tolist() == expected


@pytest.mark.parametrize("rule", CLUE_RULES)
def test_the_contest_s_matrix_agrees_with_the_rules(rule, lists):
    matrix = matrix_of(lists, rule)
    assert matrix.shape == (12972, 2315)
    rng = np.random.default_rng(1)
    for guess, answer in zip(rng.integers(12972, size=5000), rng.integers(2315, size=5000), strict=True):
        assert decode(matrix[guess, answer], 5) == CLUE_RULES[rule](lists.guesses[guess], lists.answers[answer])


@pytest.mark.parametrize("length", LENGTHS)
def test_the_type_of_the_matrix_is_large_enough_for_every_clue(length):
    word = letters(["a" * length])
    matrix = clue_matrix(word, word, "counted")
    assert matrix[0, 0] == 3**length - 1
    assert matrix.itemsize == (1 if length <= 5 else 2 if length <= 10 else 4)


def test_a_matrix_is_built_once_and_cannot_be_changed(lists):
    matrix = matrix_of(lists, "anywhere")
    assert matrix_of(lists, "anywhere") is matrix
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 1


def test_each_word_has_its_row_in_the_matrix(lists):
    assert lists.guesses[guess_rows(lists)["trace"]] == "trace"
    assert [lists.guesses[row] for row in answer_rows(lists)] == list(lists.answers)


def test_a_wrong_rule_and_words_of_two_lengths_are_refused():
    three, four = letters(["abc"]), letters(["abcd"])
    with pytest.raises(ValueError, match="unknown clue rule 'nowhere'; choose one of anywhere, counted"):
        clue_matrix(three, three, "nowhere")
    with pytest.raises(ValueError, match="guesses have 3 letters, but answers have 4"):
        clue_matrix(three, four, "anywhere")


@settings(deadline=None)
@given(st.sampled_from(LENGTHS).flatmap(lambda n: st.lists(st.text(".ic", min_size=n, max_size=n), min_size=2)))
def test_agreements_count_the_marks_that_are_the_same(clues):
    first, length = clues[0], len(clues[0])
    table = agreements(encode(first), length)
    assert len(table) == 3**length
    for other in clues:
        assert table[encode(other)] == sum(a == b for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("length", [3, 5])
def test_the_probabilities_of_all_shown_clues_sum_to_1(length):
    table = agreement_table(length)
    assert (table == table.T).all()
    keep = keep_probability(7.0, length)
    chances = keep**table * ((1 - keep) / 2) ** (length - table)
    assert chances.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_a_table_that_would_fill_the_memory_is_refused():
    with pytest.raises(ValueError, match=r"use agreements\(code, length\)"):
        agreement_table(11)


@pytest.mark.parametrize("rule", CLUE_RULES)
def test_the_row_of_a_single_guess_is_that_of_the_matrix(lists, rule, monkeypatch):
    matrix = matrix_of(lists, rule)
    monkeypatch.setattr(kernels, "_matrices", {})
    monkeypatch.setattr(kernels, "MAX_MATRIX_BYTES", 0)  # as for lists that are too large for a matrix
    for guess in ("eerie", "geese", "abbey", "crane"):
        assert np.array_equal(kernels.clue_row(lists, rule, guess), matrix[guess_rows(lists)[guess]])
    assert not kernels._matrices
    with pytest.raises(KeyError):
        kernels.clue_row(lists, rule, "xyzzy")
