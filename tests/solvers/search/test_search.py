"""The results of the search, against a plain search."""

from functools import cache
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.search.plain import PlainGame
from wordpl.core.clues import CLUE_RULES
from wordpl.core.words import WordLists, letters
from wordpl.games.classic import unused_hint
from wordpl.kernels.clue_matrix import clue_matrix
from wordpl.solvers.search import INFEASIBLE, ClassicSearch, Position
from wordpl.solvers.search.problem import tree_of
from wordpl.solvers.trees import TreeTerms, check

pytestmark = pytest.mark.timeout(600)  # the first test compiles the search

counted = cache(CLUE_RULES["counted"])


def position_of(game, left=None):
    guesses, answers = list(game.guesses), list(game.weights)
    own = np.array([guesses.index(answer) for answer in answers])
    codes = letters(guesses)
    return Position(
        clue_matrix(codes, letters(answers), "counted"),
        np.arange(len(answers)),
        own,
        weights=np.array(list(game.weights.values())),
        left=left,
        letters=codes if game.is_hard else None,
    )


@st.composite
def games(draw, most_answers=9):
    """Draw a game small enough for the plain search, with repeated letters and different weights."""
    word = st.text("abcd", min_size=4, max_size=4)
    answers = draw(st.lists(word, min_size=1, max_size=most_answers, unique=True))
    other_words = [word for word in draw(st.lists(word, max_size=8, unique=True)) if word not in answers]
    guesses = draw(st.permutations(answers + other_words))
    heaviest = draw(st.sampled_from([1, 5]))
    weights = {answer: draw(st.integers(1, heaviest)) for answer in answers}
    return PlainGame(guesses, weights, counted, draw(st.booleans()))


@given(games(), st.sampled_from([None, 2, 3, 4]))
def test_the_least_total_agrees_with_the_plain_search(game, left):
    expected = game.total(inf if left is None else left)
    assert ClassicSearch(position_of(game, left)).best().bound == (INFEASIBLE if expected == inf else expected)


@given(games(), st.sampled_from([None, 3]), st.data())
def test_ratings_below_beta_are_exact_and_others_are_bounds(game, left, data):
    search = ClassicSearch(position_of(game, left))
    for row in data.draw(st.permutations(range(len(game.guesses)))):
        expected = min(game.total_after(game.guesses[row], inf if left is None else left), INFEASIBLE)
        beta = data.draw(st.integers(1, 60))
        rating = search.rate(row, beta)
        assert rating.is_exact == (expected < beta)
        assert rating.bound == expected if rating.is_exact else beta <= rating.bound <= expected


OPTIMIZATIONS = ["uses_memo", "checks_members", "counts_first", "raises", "thins_out"]


@given(games(), st.sampled_from([None, 3]), st.sets(st.sampled_from(OPTIMIZATIONS), min_size=1))
def test_no_optimization_changes_the_result(game, left, disabled):
    position = position_of(game, left)
    reduced_search = ClassicSearch(position, **dict.fromkeys(disabled, False))
    assert reduced_search.best().bound == ClassicSearch(position).best().bound


@pytest.mark.parametrize("is_hard", [False, True])
def test_removing_dominated_guesses_does_not_change_the_result(lists, is_hard):
    rng = np.random.default_rng(4)
    answers = [
        str(word) for word in rng.choice([word for word in lists.answers if word[1] in "rlh"], 150, replace=False)
    ]
    guesses = [*answers, *lists.guesses[::40]]
    position = position_of(PlainGame(list(dict.fromkeys(guesses)), dict.fromkeys(answers, 1), counted, is_hard))
    assert ClassicSearch(position).best().bound == ClassicSearch(position, thins_out=False).best().bound


@given(games(), st.sampled_from([None, 2, 4]), st.sampled_from([None, 1, 3]))
def test_the_tree_needs_as_many_guesses_as_the_search_states(game, left, width):
    search = ClassicSearch(position_of(game, left), width)
    best = search.best()
    if best.bound == INFEASIBLE:
        with pytest.raises(ValueError, match="not enough"):
            tree_of(search, best.guess, game.guesses, counted)
        return
    tree = tree_of(search, best.guess, game.guesses, counted)
    terms = TreeTerms(counted, unused_hint if game.is_hard else None, left, ())
    result = check(tree, WordLists(tuple(game.weights), tuple(game.guesses)), terms)
    assert not result.faults
    assert sum(game.weights[word] * n for word, n in result.n_guesses.items()) == best.bound


@pytest.mark.parametrize("length", [3, 8, 11])
def test_words_of_any_length_are_searched(length):
    rng = np.random.default_rng(length)
    words = sorted({"".join(rng.choice(list("abcde"), length)) for _ in range(25)})
    game = PlainGame(words, dict.fromkeys(words[::2], 1), counted)
    assert ClassicSearch(position_of(game)).best().bound == game.total()
