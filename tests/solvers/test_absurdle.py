"""The search predicts the adversary and finds the fewest guesses, as a full search does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.solvers.search.test_plain import compiled_and_plain
from wordpl import games
from wordpl.core.clues import counted, decode, encode
from wordpl.core.moves import ClassicMove
from wordpl.core.words import letters
from wordpl.games.absurdle import revealed
from wordpl.kernels.clue_matrix import clue_matrix, matrix_of
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
    matrix, candidates = clue_matrix(letters(guesses), letters(answers), "counted"), np.arange(len(answers))
    sizes = [plain_largest(guess, answers) for guess in guesses]
    assert compiled_and_plain(lambda: absurdle.largest_groups(matrix, candidates).tolist()) == (sizes, sizes)
    best = absurdle.best_guess(matrix, candidates, candidates)
    assert sizes[best] == min(sizes)
    assert best < len(answers) or min(sizes[: len(answers)]) > min(sizes)


def plain_keep(guess, words_left):
    """Return the words that the adversary keeps, by the plain rules."""
    groups = {}
    for word in words_left:
        groups.setdefault(counted(guess, word), []).append(word)
    return tuple(groups[min(groups, key=lambda clues: (-len(groups[clues]), revealed(clues)))])


def plain_fewest(words_left, guesses):
    """Return the fewest guesses after which one word is left, by a full search."""
    if len(words_left) == 1:
        return 0
    smaller = {words_kept for guess in guesses if len(words_kept := plain_keep(guess, words_left)) < len(words_left)}
    return 1 + min(plain_fewest(words_kept, guesses) for words_kept in smaller)


@given(words)
def test_the_search_finds_the_fewest_guesses_that_leave_one_word(answers):
    matrix, candidates = clue_matrix(letters(answers), letters(answers), "counted"), np.arange(len(answers))
    fewest = plain_fewest(tuple(answers), answers)
    routes = [absurdle.cornered(matrix, candidates, n, PLACES, len(answers)) for n in range(fewest + 1)]
    assert [len(rows) for rows in routes if rows is not None] == [fewest]
    for row in routes[fewest]:
        candidates_kept = absurdle.kept(matrix, row, candidates, PLACES)
        assert tuple(answers[column] for column in candidates_kept) == plain_keep(
            answers[row], [answers[column] for column in candidates]
        )
        candidates = candidates_kept
    assert len(candidates) == 1


def test_places_of_clues_follow_the_order_of_the_game():
    clues = sorted((decode(code, 3) for code in range(27)), key=revealed)
    assert [PLACES[encode(text)] for text in clues] == list(range(27))


@pytest.mark.slow
def test_four_guesses_win_absurdle_and_three_cannot(lists):
    matrix, candidates = matrix_of(lists, "counted"), np.arange(len(lists.answers))
    rows = absurdle.cornered(matrix, candidates, 3, absurdle.in_order(5), 20)
    game, moves = games.make_game("absurdle/1", lists), []
    for row in rows:
        guess = lists.guesses[row]
        moves.append(ClassicMove(guess, game.reply("", moves, ClassicMove(guess, ""), list).clues))
    (secret,) = [word for word in lists.answers if all(game.clue(move.guess, word) == move.clues for move in moves)]
    assert game.reply("", moves, ClassicMove(secret, ""), list).verdict == "won"
    # The first guess leaves more words than any second guess has clues, so that a third may not win.
    most_clues = max(len(np.unique(matrix[row])) for row in range(len(matrix)))
    assert absurdle.largest_groups(matrix, candidates).min() > most_clues
