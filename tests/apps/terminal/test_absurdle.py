"""Absurdle in the terminal: no fixed secret, and no probabilities."""

import pytest
from click.testing import CliRunner

from wordpl import games
from wordpl.apps.terminal import sessions
from wordpl.apps.terminal.command import play_command as interactive
from wordpl.core.messages import UserError


def play_from_pipe(text):
    return CliRunner().invoke(interactive, ["--game", "absurdle/1"], input=text).output


def test_a_won_game_ends_with_a_share_grid_without_a_limit():
    output = play_from_pipe("teary\nsling\ncrumb\n?\nflood\n")
    assert "The secret will be one of 2,315 words of 5 letters." in output
    assert "guess 4: ?" in output
    assert "1 answer is left.\n  flood\nSuggested: flood, the answer." in output
    assert "Solved: after 4 guesses, FLOOD was the only word left." in output
    assert "\nwordpl absurdle/1 4\n\n⬛⬛⬛⬛⬛\n⬛🟩⬛⬛⬛\n⬛⬛⬛⬛⬛\n🟩🟩🟩🟩🟩\n" in output


def test_hints_count_the_answers_left_and_suggest_the_guess_that_leaves_fewest():
    output = play_from_pipe("terns\n?\nquit\n")
    assert "256 answers are left, and the game has not settled on one of them." in output
    assert "probability" not in output
    guess = output.split("Suggested: ")[1].split(",")[0]
    n_left = int(output.split("which leaves at most ")[1].split()[0])
    assert play_from_pipe(f"terns\n{guess}\n?\nquit\n").count(f"{n_left} answers are left") == 1


def test_giving_up_explains_that_there_was_no_secret_yet():
    assert "The game had not settled on a secret: 256 words were left, " in play_from_pipe("terns\nquit\n")
    assert "Only FLOOD was left." in play_from_pipe("teary\nsling\ncrumb\nquit\n")


def test_no_secret_can_be_chosen(lists):
    with pytest.raises(UserError, match="absurdle/1 has no fixed secret"):
        next(sessions(games.make_game("absurdle/1", lists), "1", 0, "jelly"))
