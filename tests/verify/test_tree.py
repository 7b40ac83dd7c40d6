"""Decision trees read a second time, by the rules alone."""

import json
from itertools import product

import pytest

from tests.helpers.paths import HOME
from wordpl.core.clues import CLUE_RULES
from wordpl.verify.tree import TreeError, TreeResult, play_all, play_file


def read_tree(name):
    return json.loads((HOME / "strategies" / "tree" / f"tree-{name}.json").read_bytes())


@pytest.mark.parametrize(("name", "expected"), [("salet", (7920, 2315, 5)), ("salet-hard", (8122, 2315, 6))])
def test_the_trees_of_the_proofs_reach_their_totals(lists, name, expected):
    assert play_file(read_tree(name), lists.answers, lists.guesses, 6) == TreeResult(*expected)


WORDS = ["badge", "brown", "crown", "drown", "frown", "grown"]
BRANCH = ["crown", True, {".cccc": ["frown", True, {".cccc": ["drown", True, {".cccc": "grown"}]}]}]
TREE = ["brown", True, {".cccc": BRANCH}]
BROKEN = {
    "an answer that no branch leads to": (["brown", True, {}], "crown is not found: after brown .cccc the tree ends"),
    "a word that may not be guessed": (["zzzzz", True, {}], "'zzzzz', guessed for brown, is not a word"),
    "an answer that is not marked": (
        ["brown", False, {".cccc": BRANCH}],
        "brown is an answer, but is not marked as one",
    ),
}


def test_the_guesses_of_every_answer_are_counted():
    for answers in (WORDS[1:], WORDS[:0:-1]):
        assert play_all(TREE, answers, WORDS) == TreeResult(1 + 2 + 3 + 4 + 5, 5, 5)


@pytest.mark.parametrize("case", BROKEN)
def test_a_tree_that_breaks_a_rule_is_refused(case):
    tree, message = BROKEN[case]
    with pytest.raises(TreeError, match=message):
        play_all(tree, WORDS[1:], WORDS)


def test_a_tree_that_takes_too_long_or_breaks_hard_mode_is_refused():
    with pytest.raises(TreeError, match="grown takes 5 guesses, more than 4"):
        play_all(TREE, WORDS[1:], WORDS, limit=4)
    tree = ["brown", True, {".cccc": ["badge", False, {}]}]
    with pytest.raises(TreeError, match=r"badge, guessed for crown, does not use what brown \.cccc revealed"):
        play_all(tree, WORDS[1:3], WORDS, is_hard=True)


@pytest.mark.parametrize(
    ("facts", "limit", "message"),
    [
        ({"sum": 14}, None, "the file says 14 guesses for 5 answers, but the tree takes 15 for 5"),
        ({"n_answers": 4}, None, "the file says 15 guesses for 4 answers, but the tree takes 15 for 5"),
        ({}, 4, "grown takes 5 guesses, more than 4"),
        ({"rules": "wordle-hard/1", "tree": ["brown", True, {".cccc": ["badge", False, {}]}]}, None, "does not use"),
    ],
)
def test_a_tree_is_checked_by_what_its_file_states(facts, limit, message):
    file = {"tree": TREE, "rules": "wordle/1", "n_answers": 5, "sum": 15}
    assert play_file(file, WORDS[1:], WORDS, 5).total == 15
    with pytest.raises(TreeError, match=message):
        play_file(file | facts, WORDS[1:], WORDS, limit)


@pytest.mark.parametrize("second", ["least", "shade"])  # the S out of its place; no T and no L
def test_a_guess_in_hard_mode_keeps_places_and_letters(second):
    words = ["slate", "stale", "least", "shade"]
    clues = {guess: tree_clues(guess, "slate") for guess in ("stale", second)}
    tree = ["stale", False, {clues["stale"]: [second, False, {clues[second]: "slate"}]}]
    assert play_all(tree, ["slate"], words).total == 3
    with pytest.raises(TreeError, match=f"{second}, guessed for slate, does not use what stale cicic revealed"):
        play_all(tree, ["slate"], words, is_hard=True)


def test_a_guess_in_hard_mode_has_a_letter_as_often_as_it_was_revealed():
    tree = ["eerie", False, {tree_clues("eerie", "geese"): ["belle", False, {}]}]
    with pytest.raises(TreeError, match=r"belle, guessed for geese, does not use what eerie ic\.\.c revealed"):
        play_all(tree, ["geese"], ["geese", "eerie", "belle"], is_hard=True)


def tree_clues(guess, answer):
    return CLUE_RULES["counted"](guess, answer)


def test_a_tree_deeper_than_100_guesses_is_refused():
    words = ["".join(letters) for letters in product("abcde", repeat=5)][:100]
    for n_before, is_found in ((99, True), (100, False)):
        tree = "zzzzz"
        for word in reversed(words[:n_before]):
            tree = [word, False, {".....": tree}]
        if is_found:
            assert play_all(tree, ["zzzzz"], [*words, "zzzzz"]).worst == 100
        else:
            with pytest.raises(TreeError, match=r"zzzzz .*100 guesses"):
                play_all(tree, ["zzzzz"], [*words, "zzzzz"])
