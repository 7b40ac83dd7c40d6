"""Totals of trees, and their text and JSON formats."""

from json import dumps, loads

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.paths import HOME
from tests.helpers.random_trees import random_lists, random_tree
from wordpl.core.clues import counted
from wordpl.core.messages import UserError
from wordpl.solvers import trees
from wordpl.solvers.trees import MAX_GUESSES, Tree, compact
from wordpl.solvers.trees.tree_files import as_json, from_json

randoms = st.randoms(use_true_random=False)
ORIGIN = trees.TreeProvenance("wordle/1", {"answers": "a", "guesses": "b"}, "grown at random")
PUBLISHED = """\
salet BBBBG1 mount BBBBG2 drift GGGGG3
                   BBGGG2 brunt BGGGG3 grunt GGGGG4
                                GGGGG3
                   GGGGG2
      GGGGG1
"""


def play(tree, secret):
    """Return the guesses that a tree takes, one clue at a time."""
    guesses = [tree.guess]
    while guesses[-1] != secret:
        tree = tree.after([counted(guesses[-1], secret)])
        guesses.append(tree.guess)
    return guesses


@given(randoms)
def test_counts_total_and_depth_agree_with_playing_every_answer(random):
    lists = random_lists(random)
    tree = random_tree(lists.answers, lists.guesses, random)
    lengths = [len(play(tree, answer)) for answer in lists.answers]
    assert tree.total == sum(lengths)
    assert tree.depth == max(lengths)
    assert tree.counts() == {n: lengths.count(n) for n in sorted(set(lengths))}
    assert {path[-1][0]: [guess for guess, _ in path] for path in tree.paths()} == {
        answer: play(tree, answer) for answer in lists.answers
    }


@given(randoms)
def test_a_tree_is_unchanged_in_both_formats(random):
    lists = random_lists(random)
    tree = random_tree(lists.answers, lists.guesses, random)
    assert trees.read_text(trees.as_text(tree)) == tree
    assert from_json(as_json(tree, ORIGIN).decode(), "it") == (tree, ORIGIN)


def test_the_published_format_is_read_and_written(tmp_path):
    tree = trees.read_text(PUBLISHED)
    assert trees.as_text(tree) == PUBLISHED
    assert tree.counts() == {1: 1, 2: 1, 3: 2, 4: 1}
    assert tree.after(["....c", "..ccc"]) == Tree("brunt", {".cccc": Tree("grunt", {}, True)}, True)
    assert tree.after(["....c", "c...."]) is None
    trees.save(tmp_path / "it.txt", tree, ORIGIN)
    assert trees.load(tmp_path / "it.txt") == (tree, None)


def test_complete_lines_in_any_order_give_the_same_tree():
    tree = trees.read_text(PUBLISHED)
    lines = ["salet BBBBG1 mount GGGGG2", "salet GGGGG1", "salet BBBBG1 mount BBGGG2 brunt BGGGG3 grunt GGGGG4"]
    lines += ["salet BBBBG1 mount BBGGG2 brunt GGGGG3", "", "salet BBBBG1 mount BBBBG2 drift GGGGG3"]
    assert trees.read_text("\r\n".join(lines)) == tree


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("salet", "should end with the clue of its last guess"),
        ("salet BBBBG1", "its last clue, and no other, should be GGGGG"),
        ("salet GGGGG1 mount GGGGG2", "its last clue, and no other, should be GGGGG"),
        ("salet BBBBG2 mount GGGGG2", "'BBBBG2' should be 5 letters of B, Y and G and the number 1"),
        ("salet BBBG1 mount GGGGG2", "'BBBG1' should be 5 letters"),
        ("salet bbbbg1 mount GGGGG2", "'bbbbg1' should be 5 letters"),
        ("salet BBBBG1 mou GGGGG2", "'mou' should be a guess of 5 lowercase letters"),
        ("salet GGGGG1\nslate GGGGG1", "line 2, 'slate GGGGG1': guess 1 is slate, but salet after the same clues"),
        ("salet GGGGG1\n\nsalet GGGGG1", "line 3, 'salet GGGGG1': this game appears twice"),
        ("salet BBBBG1 mount GGGGG2\n    BBBGG1 count GGGGG2", "4 leading spaces end within a word of the line above"),
        ("   salet GGGGG1", "its 3 leading spaces end within a word of the line above, or beyond it"),
        ("salet " * 10_000, "guesses; the limit is 100"),
        ("\x1b[31m GGGGG1", "'?[31m' should be a guess"),
    ],
)
def test_a_malformed_line_is_quoted_with_what_is_expected(text, complaint):
    with pytest.raises(UserError) as error:
        trees.read_text(text)
    assert complaint in str(error.value)
    assert len(str(error.value)) < 300


pieces = st.sampled_from(["ab", "ba", "BB1", "YY1", "GG1", "GG2", "BG2", " ", "   ", "\n", "\t", "G", "1", "\x0b", "é"])


@given(st.lists(pieces, max_size=12))
@settings(deadline=None)
def test_any_text_is_read_as_a_tree_or_refused_with_an_explanation(parts):
    try:
        tree = trees.read_text("".join(parts))
    except UserError as error:
        assert str(error).isprintable()
    else:
        assert trees.read_text(trees.as_text(tree)) == tree


HEAD = '{"format":1,"rules":"wordle/1","sha256":{},"obtained":"","n_answers":1,"sum":1,"tree":'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not a tree"),
        ('{"format":1}', "is not a tree: Object missing required field"),
        (HEAD.replace('"format":1', '"format":3') + '"ab"}', "has format 3; this version of wordpl reads format 1"),
        (HEAD + "7}", "'7' should be a word or [guess, is_answer, branches]"),
        (HEAD + '["ab",true,{"cc":"ba"}]}', "'cc' should be a clue of 2 marks .ic, not all c"),
        (HEAD + '["ab",true,{"..":"bad"}]}', "'bad' should be a guess of 2 lowercase letters"),
        (HEAD + '["ab",true,{"..":"cd"}]}', "is damaged: it states 1 answer in 1 guess, but contains 2 in 3"),
        (HEAD + '["ab",false,{"..":' * 150 + '"ab"' + "}]" * 150 + "}", "it is deeper than 100 guesses"),
        (HEAD + "[" * 100_000, "it is deeper than 100 guesses"),
    ],
)
def test_a_json_file_that_is_not_a_tree_is_refused(tmp_path, text, complaint):
    (tmp_path / "it.json").write_text(text)
    with pytest.raises(UserError) as error:
        trees.load(tmp_path / "it.json")
    assert complaint in str(error.value)


def test_the_deepest_allowed_tree_can_be_read(tmp_path):
    words = [f"{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"]
    assert len(words) == MAX_GUESSES
    tree = Tree(words[-1], {}, True)
    for word in reversed(words[:-1]):
        tree = Tree(word, {"..": tree}, True)
    for name in ("it.json", "it.txt"):
        trees.save(tmp_path / name, tree, ORIGIN)
        assert trees.load(tmp_path / name)[0] == tree
    assert tree.depth == MAX_GUESSES


def list_guesses(tree):
    """Return the guesses of a tree as release 1.0.0 packaged it: without those made when a single answer remains."""
    if isinstance(tree, str):
        return []
    guess, _, branches = tree
    return [guess, *(below for clues in sorted(branches) for below in list_guesses(branches[clues]))]


@pytest.mark.parametrize("name", ["tree-salet.json", "tree-salet-hard.json"])
def test_a_packaged_tree_can_be_rebuilt_from_its_guesses(name):
    path = HOME / "strategies" / "tree" / name
    tree, content = trees.load(path), loads(path.read_text())
    guesses = list_guesses(content.pop("tree"))
    assert len(guesses) < 700
    packed = content | {"format": compact.FORMAT, "guesses": " ".join(guesses)}
    assert from_json(dumps(packed), name) == tree
    with pytest.raises(UserError, match="it has too few guesses"):
        from_json(dumps(packed | {"guesses": " ".join(guesses[:-1])}), name)
    with pytest.raises(UserError, match="the guess ----- does not distinguish any of 2315 answers"):
        from_json(dumps(packed | {"guesses": "-----"}), name)
    with pytest.raises(UserError, match="made for other word lists"):
        from_json(dumps(packed | {"sha256": {}}), name)
    with pytest.raises(UserError, match="damaged"):
        from_json(dumps(packed | {"sum": 1}), name)
