"""The tree search plays almost as well as the best tree, by the rules of each game."""

import pytest

from strategies.tree import Tree
from strategies.tree_search import TreeSearch
from tests.strategies.test_tree import guesses
from wordpl import games
from wordpl.core.clues import counted
from wordpl.core.words import WordLists


@pytest.mark.parametrize("rules, more", [("wordle/1", 0), ("wordle-hard/1", 2)])
def test_a_narrow_search_needs_hardly_more_guesses_than_the_best_tree(rules, more, lists):
    search, best = TreeSearch(), Tree()
    search.rules = best.rules = rules
    game = games.make_game(rules, lists)
    answers = [answer for answer in lists.answers if counted("salet", answer) == "....c"]
    totals = [sum(len(guesses(strategy, game, answer)) for answer in answers) for strategy in (search, best)]
    assert 0 <= totals[0] - totals[1] <= more


def test_new_word_lists_have_an_opener():
    search = TreeSearch()
    search.rules = "wordle/1"
    search.lists = WordLists(("abc", "abd", "bcd", "dba"), ("abc", "abd", "bcd", "dba", "cad"))
    game = games.make_game("wordle/1", search.lists)
    assert sum(len(guesses(search, game, answer)) for answer in search.lists.answers) == 7
