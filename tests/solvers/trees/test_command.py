"""The commands of `wordpl tree`."""

import pytest
from click.testing import CliRunner

from wordpl.cli import main
from wordpl.solvers import trees
from wordpl.solvers.trees import Tree

PLATE = Tree("plate", {}, True)
GOOD = Tree("slate", {".cccc": PLATE, "..c.c": Tree("crane", {}, True)}, True)
SLOW = Tree("slate", {".cccc": Tree("party", {"ci.c.": PLATE}, False), "..c.c": Tree("crane", {}, True)}, True)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers").write_text("slate\nplate\ncrane\n")
    (tmp_path / "guesses").write_text("slate\nplate\ncrane\nparty\n")
    origin = trees.TreeProvenance("wordle-hard/1", {}, "by hand")
    trees.save(tmp_path / "good.json", GOOD, origin)
    trees.save(tmp_path / "slow.txt", SLOW, origin)

    def run_tree(*arguments, lists=True):
        list_options = ["--answers", "answers", "--guesses", "guesses"] if lists else []
        return CliRunner().invoke(main, ["tree", *arguments, *list_options])

    return run_tree


def test_check_prints_sum_mean_worst_and_distribution(run):
    result = run("check", "good.json")
    assert result.exit_code == 0
    assert "3 answers in 5 guesses: mean 1.6667, worst 2\n   1  1 " in result.output
    assert "Made for wordle-hard/1: by hand. It was made for other word lists than these." in result.output
    assert (
        "Correct: the tree finds every answer once within 6 guesses, with allowed guesses only, in hard mode."
        in result.output
    )


def test_check_reports_faults_with_exit_code_1(run):
    assert run("check", "slow.txt").exit_code == 0
    result = run("check", "slow.txt", "--hard", "--max-guesses", "2")
    assert result.exit_code == 1
    assert "wrong: party, guessed after slate:.cccc, breaks hard mode" in result.output
    assert "wrong: plate takes 3 guesses, more than 2" in result.output
    result = run("check", "slow.txt", "--after", "crane:BBGBG")
    assert "no answer leads to crane after slate:..c.c" in result.output
    assert "'crane:xx' " not in run("check", "slow.txt", "--after", "crane:xx").output


@pytest.mark.parametrize("clue", [".cccc", "slate:.cccc", "BGGGG", "⬛🟩🟩🟩🟩", "⬜️🟧🟧🟧🟧"])
def test_show_goes_to_a_position_in_any_notation(run, clue):
    result = run("show", "slow.txt", clue, lists=False)
    assert result.output.splitlines() == [
        "party  1 answer, mean 2.00, worst 2",
        "└── ci.c.  plate =",
        "=: the guess can be the answer.",
    ]


def test_show_explains_where_a_tree_ends(run):
    result = run("show", "good.json", "ccccc", lists=False)
    assert result.exit_code == 1
    assert "the tree has no guess after slate with the clue ccccc; it knows the clues ..c.c, .cccc" in result.output
    assert "'...' is not a clue for 5 letters" in run("show", "good.json", "...", lists=False).output


def test_compare_lists_the_answers_that_each_tree_finds_sooner(run):
    result = run("compare", "good.json", "slow.txt")
    assert "1 answer found sooner by good.json: plate 2:3." in result.output
    assert "2 answers found equally soon by both." in result.output
    assert "-1  after slate:.cccc: plate 1, party 2" in result.output


def test_a_file_that_is_not_a_tree_is_explained(run, tmp_path):
    (tmp_path / "bad.txt").write_text("slate BBBBB1\n")
    result = run("check", "bad.txt")
    assert result.exit_code == 1
    assert result.output.startswith("Error: bad.txt, line 1, 'slate BBBBB1': ")
