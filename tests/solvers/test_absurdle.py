"""The search predicts the adversary and finds the fewest guesses, as a full search does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordpl import games
from wordpl.core.clue_matrix import clue_matrix, matrix_of
from wordpl.core.clues import counted, decode, encode
from wordpl.core.moves import ClassicMove
from wordpl.core.words import letters
from wordpl.games.absurdle import revealed
from wordpl.solvers import absurdle

words = st.lists(st.text("abcd", min_size=3, max_size=3), min_size=2, max_size=16, unique=True)
PLACES = absurdle.in_order(3)


def plain_largest(guess, answers):
    clues = [counted(guess, answer) for answer in answers]
    return max(map(clues.count, clues))


@given(words, st.integers(1, 16))
@settings(deadline=None)
def test_the_largest_groups_agree_with_the_plain_rules(guesses, n_answers):
    answers = guesses[:n_answers]
    matrix, left = clue_matrix(letters(guesses), letters(answers), "counted"), np.arange(len(answers))
    sizes = [plain_largest(guess, answers) for guess in guesses]
    assert absurdle.largest_groups(matrix, left).tolist() == sizes
    best = absurdle.best_guess(matrix, left, left)
    assert sizes[best] == min(sizes)
    assert best < len(answers) or min(sizes[: len(answers)]) > min(sizes)


def plain_keep(guess, left):
    """Return the words that the adversary keeps, by the plain rules."""
    groups = {}
    for word in left:
        groups.setdefault(counted(guess, word), []).append(word)
    return tuple(groups[min(groups, key=lambda clues: (-len(groups[clues]), revealed(clues)))])


def plain_fewest(left, guesses):
    """Return the fewest guesses that leave one word, by a full search."""
    if len(left) == 1:
        return 0
    smaller = {kept for guess in guesses if len(kept := plain_keep(guess, left)) < len(left)}
    return 1 + min(plain_fewest(kept, guesses) for kept in smaller)


@given(words)
def test_the_search_finds_the_fewest_guesses_that_leave_one_word(answers):
    matrix, left = clue_matrix(letters(answers), letters(answers), "counted"), np.arange(len(answers))
    least = plain_fewest(tuple(answers), answers)
    routes = [absurdle.cornered(matrix, left, n, PLACES, len(answers)) for n in range(least + 1)]
    assert [len(rows) for rows in routes if rows is not None] == [least]
    for row in routes[least]:
        kept = absurdle.kept(matrix, row, left, PLACES)
        assert tuple(answers[column] for column in kept) == plain_keep(
            answers[row], [answers[column] for column in left]
        )
        left = kept
    assert len(left) == 1


def test_clues_have_the_order_of_the_game():
    clues = sorted((decode(code, 3) for code in range(27)), key=revealed)
    assert [PLACES[encode(text)] for text in clues] == list(range(27))


@pytest.mark.slow
def test_four_guesses_win_absurdle_and_three_cannot(lists):
    matrix, left = matrix_of(lists, "counted"), np.arange(len(lists.answers))
    rows = absurdle.cornered(matrix, left, 3, absurdle.in_order(5), 20)
    game, moves = games.make_game("absurdle/1", lists), []
    for row in rows:
        guess = lists.guesses[row]
        moves.append(ClassicMove(guess, game.reply("", moves, ClassicMove(guess, ""), list).clues))
    (last,) = [word for word in lists.answers if all(game.clue(move.guess, word) == move.clues for move in moves)]
    assert game.reply("", moves, ClassicMove(last, ""), list).verdict == "won"
    # The first guess leaves more words than any second guess has clues, so that a third may not win.
    most_clues = max(len(np.unique(matrix[row])) for row in range(len(matrix)))
    assert absurdle.largest_groups(matrix, left).min() > most_clues
