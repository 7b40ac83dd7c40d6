from hypothesis import given
from hypothesis import strategies as st

from wordpl.core.clues import CLUE_RULES, encode
from wordpl.core.words import letters
from wordpl.games.classic import unused_hint
from wordpl.kernels.clue_matrix import guess_rows, matrix_of
from wordpl.solvers.hints import consistent, usable

words = st.text("abcd", min_size=5, max_size=5)


def test_consistent_answers_are_those_that_give_all_clues(lists):
    rounds = [("trace", "..i.."), ("alibi", "i....")]
    hints = [(guess_rows(lists)[guess], encode(clues)) for guess, clues in rounds]
    expected = [
        word for word in lists.answers if all(CLUE_RULES["counted"](guess, word) == clues for guess, clues in rounds)
    ]
    rows = consistent(matrix_of(lists, "counted"), hints)
    assert expected
    assert [lists.answers[i] for i in rows] == expected


@given(st.lists(words, min_size=2, max_size=20), words, st.integers(1, 2))
def test_usable_guesses_are_those_allowed_in_hard_mode(guesses, secret, n_hints):
    hints = [(row, CLUE_RULES["counted"](guesses[row], secret)) for row in range(n_hints)]
    expected = [
        row
        for row, guess in enumerate(guesses)
        if not any(unused_hint(guess, guesses[earlier], clues) for earlier, clues in hints)
    ]
    assert usable(letters(guesses), [(row, encode(clues)) for row, clues in hints]).tolist() == expected
