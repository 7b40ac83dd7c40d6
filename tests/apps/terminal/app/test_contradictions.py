"""Explanations of clues that no answer gives."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordpl.apps.terminal.app.solve_tasks import first_contradiction, letter_conflict
from wordpl.core.clues import CLUE_RULES


@pytest.mark.parametrize(
    "hints, row, reason",
    [
        ([("crane", "c...."), ("slope", "c....")], 1, "Letter 1 can't be both C .row 1. and S"),
        (
            [("tiger", "c...."), ("tepid", "i....")],
            1,
            "T is in place 1 according to row 1, but row 2 says that it is not",
        ),
        ([("crane", "....."), ("caper", "i....")], 1, "Row 2 says that the word has C, row 1 that it has no C"),
        ([("tiger", ".cccc")], 0, "No answer in the list gives this clue, but other words do: wiger"),
        ([("crane", "ccccc"), ("slope", "....c"), ("tiger", ".....")], 2, "has R, row 3 that it has no R"),
    ],
)
def test_the_first_row_that_rules_out_every_answer_is_explained(hints, row, reason, lists):
    contradiction = first_contradiction(hints, "counted", lists.answers, (*lists.answers, "wiger"))
    assert contradiction is not None
    assert contradiction[0] == row
    assert re.search(reason, contradiction[1])


def test_clues_of_an_answer_are_not_a_contradiction(lists):
    hints = [(guess, CLUE_RULES["counted"](guess, "tiger")) for guess in ("crane", "slope", "tiger")]
    assert first_contradiction(hints, "counted", lists.answers, lists.guesses) is None


rows = st.tuples(st.text("abc", min_size=3, max_size=3), st.text(".ic", min_size=3, max_size=3))
EVERY_WORD = ["".join(letters) for letters in product("abcd", repeat=3)]


@given(st.lists(rows, min_size=1, max_size=3), st.sampled_from(sorted(CLUE_RULES)))
def test_a_letter_conflict_is_reported_only_if_no_word_fits(hints, rule):
    clue = CLUE_RULES[rule]
    if letter_conflict(hints, rule):
        assert not [word for word in EVERY_WORD if all(clue(guess, word) == clues for guess, clues in hints)]
