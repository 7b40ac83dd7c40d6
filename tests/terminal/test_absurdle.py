"""A person plays the adversary: no secret to choose or to be told, no chances where nothing is chosen by chance."""

import pytest
from click.testing import CliRunner

from wordpl import games
from wordpl.cli.play import command as interactive
from wordpl.core.errors import UserError
from wordpl.terminal import sessions


def piped(text):
    return CliRunner().invoke(interactive, ["--game", "absurdle/1"], input=text).output


def test_a_game_that_is_won_ends_with_a_grid_to_share_that_names_no_limit():
    shown = piped("teary\nsling\ncrumb\n?\nflood\n")
    assert "The secret will be one of 2,315 words of 5 letters." in shown
    assert "guess 4: ?" in shown
    assert "1 answer is left.\n  flood\nSuggested: flood, the answer." in shown
    assert "Solved: after 4 guesses, FLOOD was the only word left." in shown
    assert "\nwordpl absurdle/1 4\n\n⬛⬛⬛⬛⬛\n⬛🟩⬛⬛⬛\n⬛⬛⬛⬛⬛\n🟩🟩🟩🟩🟩\n" in shown


def test_hints_count_what_is_left_and_suggest_what_leaves_least():
    shown = piped("terns\n?\nquit\n")
    assert "256 answers are left, and the game has not settled on one of them." in shown
    assert "probability" not in shown
    guess = shown.split("Suggested: ")[1].split(",")[0]
    n_left = int(shown.split("which leaves at most ")[1].split()[0])
    assert piped(f"terns\n{guess}\n?\nquit\n").count(f"{n_left} answers are left") == 1


def test_giving_up_says_that_no_secret_had_been_settled_on():
    assert "The game had not settled on a secret: 256 words were left, " in piped("terns\nquit\n")
    assert "Only FLOOD was left." in piped("teary\nsling\ncrumb\nquit\n")


def test_no_secret_can_be_chosen(lists):
    with pytest.raises(UserError, match="absurdle/1 has no fixed secret"):
        next(sessions(games.make_game("absurdle/1", lists), "1", 0, "jelly"))
