"""Checks and comparisons of trees: faults are reported with their position."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.random_trees import random_lists, random_tree
from wordpl.core.clues import counted
from wordpl.core.words import WordLists
from wordpl.games.classic import unused_hint
from wordpl.solvers import trees
from wordpl.solvers.trees import Tree, TreeTerms

LISTS = WordLists(("slate", "plate", "crane"), ("slate", "plate", "crane", "party"))
PLATE = Tree("plate", {}, True)
CRANE = Tree("crane", {}, True)
CORRECT = Tree("slate", {".cccc": PLATE, "..c.c": CRANE}, True)


def faults(tree, **options):
    return trees.check(tree, LISTS, TreeTerms(counted, **options)).faults


@given(st.randoms(use_true_random=False))
def test_a_tree_that_finds_every_answer_is_correct(random):
    lists = random_lists(random)
    tree = random_tree(lists.answers, lists.guesses, random)
    result = trees.check(tree, lists, TreeTerms(counted))
    assert not result.faults
    assert set(result.n_guesses) == set(lists.answers)
    assert sum(result.n_guesses.values()) == tree.total


@pytest.mark.parametrize(
    ("tree", "fault"),
    [
        (replace(CORRECT, branches={".cccc": PLATE}), "crane is not found: the tree ends after slate:..c.c"),
        (replace(CORRECT, is_answer=False), "slate, guessed after no guess, is not marked as an answer"),
        (replace(CORRECT, branches=CORRECT.branches | {"....i": CRANE}), "no answer leads to crane after slate:....i"),
        (replace(CORRECT, branches=CORRECT.branches | {".cccc": Tree("party", {"ci.c.": PLATE}, True)}),
         "party, marked as an answer after slate:.cccc, cannot be the answer there"),
        (replace(CORRECT, branches=CORRECT.branches | {"..c.c": Tree("crown", {}, True)}),
         "crown, guessed after slate:..c.c, is not a word of the guesses"),
    ],
)  # fmt: skip
def test_faults_are_reported_with_their_position(tree, fault):
    assert faults(CORRECT) == ()
    assert fault in faults(tree)


def test_hard_mode_and_the_limit_are_checked_only_on_request():
    wasteful = replace(CORRECT, branches=CORRECT.branches | {"..c.c": Tree("party", {".ii..": CRANE}, False)})
    assert faults(wasteful) == ()
    (fault,) = faults(wasteful, unused_hint=unused_hint)
    assert fault.startswith("party, guessed after slate:..c.c, breaks hard mode: letter 3 must be A")
    (fault,) = faults(wasteful, limit=2)
    assert fault == "crane takes 3 guesses, more than 2: slate:..c.c party:.ii.."
    assert faults(wasteful, limit=3) == ()


def test_a_tree_for_a_position_must_find_only_its_remaining_answers():
    start = (("slate", "..c.c"),)
    assert faults(CRANE, start=start) == ()
    assert "slate is not found: the tree ends after crane:..c.c" in faults(CRANE)
    (fault,) = faults(CRANE, start=start, limit=1)
    assert fault == "crane takes 2 guesses, more than 1: slate:..c.c"


def test_a_comparison_shows_faster_answers_and_where_the_trees_differ():
    other = Tree("slate", {".cccc": Tree("party", {"ci.c.": PLATE}, False), "..c.c": CRANE}, True)
    comparison = trees.compare(CORRECT, other)
    assert comparison.n_guesses == {"slate": (1, 1), "plate": (2, 3), "crane": (2, 2)}
    assert comparison.answers(-1) == ["plate"]
    assert comparison.answers(0) == ["slate", "crane"]
    (divergence,) = comparison.divergences
    assert divergence.path == (("slate", ".cccc"),)
    assert divergence.guesses == ("plate", "party")
    assert divergence.totals == (1, 2)
    assert trees.compare(CORRECT, CRANE).only == (("slate", "plate"), ())


def test_a_tree_may_start_with_the_guesses_of_its_position():
    clue = counted("party", "slate")
    subtree = Tree("slate", {}, True)
    full_tree = Tree("party", {clue: subtree}, False)
    results = [trees.check(tree, LISTS, TreeTerms(counted, start=(("party", clue),))) for tree in (subtree, full_tree)]
    assert results[0] == results[1]
    assert results[0].n_guesses == {"slate": 1}
