"""Whether a tree exists within the remaining guesses, against a plain search."""

from dataclasses import replace
from math import inf
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.search.test_search import games, position_of
from wordpl.core.words import bundled
from wordpl.solvers.search import INFEASIBLE, ClassicSearch
from wordpl.solvers.search.feasibility import is_solvable
from wordpl.solvers.search.problem import Problem

pytestmark = pytest.mark.timeout(600)  # the first test compiles the search


@given(games(most_answers=12), st.sampled_from([1, 2, 3, 4]))
def test_a_group_is_solvable_if_the_plain_search_finds_a_tree(game, left):
    search = ClassicSearch(position_of(game, left))
    assert is_solvable(search.board, search.group, search.tools) == (game.total(left) < inf)


INFEASIBLE_OPENERS = {"rathe": (True, 6), "salet": (False, 4)}


@pytest.mark.slow
@pytest.mark.parametrize("opener", INFEASIBLE_OPENERS)
def test_an_opener_without_a_tree_within_the_limit_is_rejected_quickly(lists, opener):
    is_hard, limit = INFEASIBLE_OPENERS[opener]
    problem = Problem(lists, limit=limit, is_hard=is_hard)
    search = ClassicSearch(problem.position())
    start = process_time()
    rating = search.rate(lists.guesses.index(opener))
    assert rating.bound == INFEASIBLE
    assert process_time() - start < 120  # 3 s, and compiling; without this search it takes longer than anybody waits
    assert search.rate(lists.guesses.index(opener), is_limited=False).bound < INFEASIBLE


@pytest.mark.parametrize("opener", ["doona", "chart"])
@pytest.mark.slow
def test_doona_and_chart_have_no_hard_mode_tree_of_six_guesses(lists, opener):
    removed = {"agora", "fibre", "lynch", "pupal", "slave", "wench"}  # taken out of the answers in 2022
    answers = tuple(word for word in lists.answers if word not in removed)
    problem = Problem(replace(lists, answers=answers, guesses=bundled("modern")), is_hard=True)
    rating = ClassicSearch(problem.position()).rate(problem.lists.guesses.index(opener))
    assert (rating.bound, rating.is_exact) == (INFEASIBLE, False)
