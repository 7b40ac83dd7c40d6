"""How `wordpl suggest` and the other commands read what people type."""

from importlib.metadata import version

import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import evaluate, wordpl

NOTATIONS = [
    ["tares:.....", "crony:..c.."],
    ["tares:bbbbb", "crony:bbgbb"],
    ["tares", ".....", "CRONY", "BBGBB"],
    ["tares:⬛⬛⬛⬛⬛", "crony", "..c.."],
]


@pytest.mark.parametrize("arguments", NOTATIONS, ids=" ".join)
def test_clues_are_read_in_every_notation(arguments):
    assert wordpl("suggest", *arguments, "--top", 1).stdout.startswith(
        "7 of 2,315 answers are left, and 4 guesses: blood"
    )


def test_a_game_that_is_over_is_reported_as_solved():
    result = wordpl("suggest", "tares:.....", "blood:ccccc")
    assert result.stdout == "Solved: blood is the answer, found with guess 2.\n"
    assert result.exit_code == 0


def test_every_program_prints_its_version():
    from click.testing import CliRunner

    versions = {wordpl("--version").stdout, evaluate("--version").stdout}
    versions |= {CliRunner().invoke(needed("terminal.command").play_command, ["--version"]).stdout}
    assert versions == {f"wordpl {version('wordpl')}\n"}


def test_words_beyond_the_answers_are_suggested_if_no_answer_gives_the_clues():
    result = wordpl("suggest", "clear:...ci", "organ:.icc.")
    assert result.exit_code == 0, result.output
    assert "None of the 2,315 answers gives these clues" in " ".join(result.stdout.split())
    assert "ragas" in result.stdout
    refused = wordpl("suggest", "clear:ccccc", "organ:ccccc")
    assert refused.exit_code == 1 and "Check the clues" in refused.output


def test_a_history_that_breaks_hard_mode_is_refused():
    result = wordpl("suggest", "--hard", "crane:c....", "slate:.....")
    assert result.exit_code == 1
    assert "'slate' breaks hard mode" in result.output
