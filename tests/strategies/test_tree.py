"""The tree strategy plays the guesses of its tree and refuses other word lists."""

import pytest

from strategies.tree import Tree
from tests.helpers.paths import HOME
from wordpl import games
from wordpl.core.clues import counted
from wordpl.core.moves import ClassicMove
from wordpl.core.words import WordLists
from wordpl.games.classic import unused_hint
from wordpl.solvers import trees


def guesses(strategy, game, secret):
    """Return the guesses with which the strategy finds the secret."""
    moves, guess = [], strategy.first_move()
    while not (reply := game.reply(secret, moves, ClassicMove(guess, ""), list)).verdict:
        moves.append(ClassicMove(guess, reply.clues))
        guess = strategy.next_move(guess, reply.clues)
    assert reply.verdict == "won"
    return [*(move.guess for move in moves), guess]


@pytest.mark.parametrize("strategy, rules", [(Tree(), "wordle/1"), (Tree("tree-salet-hard.json"), "wordle-hard/1")])
def test_every_answer_is_found_with_the_guesses_of_the_tree(strategy, rules, lists):
    assert strategy.rules == rules
    game = games.make_game(rules, lists)
    guesses_of = {secret: guesses(strategy, game, secret) for secret in lists.answers}
    assert guesses_of == {path[-1][0]: [guess for guess, _ in path] for path in strategy.tree.paths()}


@pytest.mark.parametrize(
    "file, total, breach", [("tree-salet.json", 7920, None), ("tree-salet-hard.json", 8122, unused_hint)]
)
def test_the_packaged_trees_have_the_best_known_totals(file, total, breach, lists):
    tree, provenance = trees.load(HOME / "strategies" / "tree" / file)
    result = trees.check(tree, lists, trees.TreeTerms(counted, breach, limit=6))
    assert result.faults == ()
    assert sum(result.n_guesses.values()) == total
    assert provenance.sha256 == lists.set_sha256


def test_other_word_lists_than_those_of_the_tree_are_refused(lists):
    strategy = Tree()
    strategy.lists = WordLists(lists.answers[1:], lists.guesses)
    with pytest.raises(ValueError, match="made for other word lists"):
        strategy.first_move()
