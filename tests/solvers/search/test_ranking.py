"""Rankings of first guesses: which one is the best, and when it is called optimal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.solvers.search.plain import PlainGame
from tests.solvers.search.test_search import counted, games, position_of
from wordpl.solvers.search import INFEASIBLE, ClassicSearch, best_guesses, rate_guesses
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.proof import prove

pytestmark = pytest.mark.timeout(600)  # the first test compiles the search


@given(games(), st.sampled_from([None, 2, 3]))
def test_an_exact_ranking_starts_with_the_optimum_or_is_empty(game, left):
    ranking = best_guesses(ClassicSearch(position_of(game, left)), 3)
    expected = game.total(np.inf if left is None else left)
    assert ranking.is_optimal
    if expected == np.inf:
        assert ranking.ratings == ()
    else:
        assert ranking.best.bound == expected
        assert game.total_after(game.guesses[ranking.best.guess], np.inf if left is None else left) == expected


def test_the_best_guess_comes_first_even_if_ten_others_look_better(lists):
    search = ClassicSearch(Problem(lists, (("tares", "....."),)).position(), 50)
    ranking = best_guesses(search, 10)
    assert (lists.guesses[ranking.best.guess], ranking.best.bound) == ("godly", 633)
    assert len(ranking.ratings) == 10
    assert not ranking.is_optimal


def test_a_repeated_guess_is_rated_once_and_not_called_optimal(lists):
    search = ClassicSearch(Problem(lists, (("tares", "....."),)).position())
    rows = [lists.guesses.index(word) for word in ("could", "godly", "could")]
    ranking = rate_guesses(search, rows)
    assert [(lists.guesses[item.guess], item.bound) for item in ranking.ratings] == [
        ("godly", 633),
        ("could", 635),
    ]
    assert not ranking.is_optimal


@pytest.mark.slow
def test_a_narrow_search_without_a_tree_lists_infeasible_guesses(lists):
    ranking = best_guesses(ClassicSearch(Problem(lists, limit=3).position(), 2), 3)
    assert [rating.bound for rating in ranking.ratings] == [INFEASIBLE] * 3
    assert not ranking.is_optimal


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 30))])
def test_proof_search_and_plain_search_agree(lists, seed):
    rng = np.random.default_rng(seed)
    words = [str(word) for word in rng.choice(lists.answers, 24, replace=False)]
    game = PlainGame(words, dict.fromkeys(words[: int(rng.integers(8, 20))], 1), counted, seed % 3 == 0)
    left = [None, 3, 4][seed % 3]
    expected = game.total(np.inf if left is None else left)
    position = position_of(game, left)
    total = INFEASIBLE if expected == np.inf else expected
    assert prove(position, None, 1, lambda _: None).best.bound == ClassicSearch(position).best().bound == total
