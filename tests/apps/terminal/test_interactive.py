"""`python interactive.py`, used by a person or with a pipe."""

import os
import subprocess
import sys

import pexpect
import pytest
from click.testing import CliRunner

from tests.helpers.paths import HOME
from wordpl import games
from wordpl.apps.terminal import Screen, play, sessions
from wordpl.apps.terminal.command import play_command as interactive
from wordpl.core.moves import ClassicMove, GameFacts, MoveForm, Verdict
from wordpl.games import Game, Reply

COMMAND = [sys.executable, str(HOME / "interactive.py")]


def play_from_pipe(text, *options):
    """Play in this process, where compilers start once."""
    result = CliRunner().invoke(interactive, options, input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def play_at_terminal(*options, **variables):
    environment = {**os.environ, "TERM": "xterm-256color", **variables}
    if "NO_COLOR" not in variables:
        environment.pop("NO_COLOR", None)
    person = pexpect.spawn(COMMAND[0], [*COMMAND[1:], *options], env=environment, encoding="utf-8", timeout=50)
    person.setwinsize(24, 80)
    return person


@pytest.mark.slow
def test_a_noisy_game_is_played_from_a_pipe():
    result = play_from_pipe("tares 8\ncrony\n4\n!jelly\n", "--seed", "3", "--secret", "jelly")
    assert result.exit_code == 0
    assert "tares  .i.ii  epsilon 8" in result.output
    assert "Epsilon 8: each clue is true with probability 0.71. Spent so far: 8." in result.output
    assert "epsilon for crony: 4" in result.output
    assert "Right: the secret is JELLY. Budget 12, 2 guesses." in result.output
    assert "\x1b" not in result.output
    assert "Another game" not in result.output


def test_epsilon_0_answers_and_a_wrong_answer_loses():
    result = play_from_pipe("cigar 0\n", "--secret", "jelly")
    assert "Wrong: the secret was JELLY, not CIGAR." in result.output


@pytest.mark.parametrize(
    "line, complaint",
    [
        ("tarex 8", "did you mean tarre or targe or tares?"),
        ("tare 8", "'tare' is not a word of the guesses"),
        ("\u00e9t\u00e9 8", "is not a word of the guesses"),
        ("x" * 100_000, "is not a word of the guesses"),
        ("tares -1", "at least 0, got -1.0"),
        ("tares nan", "got nan"),
        ("tares 1e999", "got inf"),
        ("tares eight", "epsilon is a number, got 'eight'"),
        ("tares 8 8", "a guess is a word and its epsilon"),
        ("!tares", "'tares' is not a word of the answers"),
        ("[red]\x1b[31m 8", "is not a word of the guesses"),
    ],
)
def test_an_invalid_move_is_explained_and_costs_nothing(line, complaint):
    result = play_from_pipe(f"{line}\n\n!jelly\n", "--secret", "jelly")
    assert complaint in result.output
    assert "\x1b" not in result.output
    assert max(map(len, result.output.splitlines())) < 200
    assert "Budget 0, 0 guesses." in result.output


def test_another_word_at_the_epsilon_prompt_replaces_the_first():
    result = play_from_pipe("crane\nslope\n2\nTARES\n\n!jelly\n", "--secret", "jelly")
    assert "slope  " in result.output
    assert "Budget 2, 1 guess." in result.output


@pytest.mark.slow
def test_a_question_mark_shows_likely_words_bits_and_a_suggestion():
    result = play_from_pipe("tares 8\n?\n!jelly\n", "--secret", "jelly", "--seed", "3")
    assert "bits left" in result.output
    assert "Suggested: " in result.output
    assert "of all 12,972 words" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "contrast, row", [([], "⬛⬛🟩🟨⬛\n🟩🟩🟩🟩🟩"), (["--high-contrast"], "⬛⬛🟧🟦⬛\n🟧🟧🟧🟧🟧")]
)
def test_a_classic_game_ends_with_a_grid_to_share(contrast, row):
    result = play_from_pipe("SALET\njelly\n", "--secret", "jelly", "--game", "wordle/1", *contrast)
    assert f"\nwordpl wordle/1 2/6\n\n{row}\n" in result.output


@pytest.mark.slow
def test_hard_mode_names_the_unused_hint_and_adds_a_star_to_the_grid():
    result = play_from_pipe("crane\nslots\nslope\nbelly\njelly\n", "--secret", "jelly", "--game", "wordle-hard/1")
    assert "'slots' breaks hard mode: the guess must contain E, revealed by crane ....i" in result.output
    assert "wordpl wordle-hard/1 4/6*" in result.output


@pytest.mark.slow
def test_six_wrong_guesses_end_a_classic_game_and_reveal_the_secret():
    result = play_from_pipe("crane\n" * 6, "--secret", "jelly", "--game", "wordle/1")
    assert "The secret was JELLY." in result.output
    assert "wordpl wordle/1 X/6" in result.output


def test_quit_reveals_the_secret_and_end_of_input_does_not():
    at_end = play_from_pipe("tares\n", "--seed", "my seed", "--secret", "jelly")
    assert at_end.exit_code == 0
    assert "jelly" not in at_end.output.lower()
    assert "--seed 'my seed'" in at_end.output
    after_quit = play_from_pipe("tares 1\nquit\n", "--secret", "jelly")
    assert after_quit.exit_code == 0
    assert "The secret was JELLY." in after_quit.output


def test_a_command_name_that_is_in_the_word_list_is_a_guess(tmp_path):
    (tmp_path / "words").write_text("help\nquit\ntide\n")
    lists = ["--answers", str(tmp_path / "words"), "--guesses", str(tmp_path / "words")]
    result = play_from_pipe("help\nquit\nh\nq\n", "--secret", "tide", "--game", "wordle/1", *lists)
    assert "help  .i.." in result.output
    assert "quit  ..ii" in result.output
    assert "The secret was TIDE." in result.output


def test_a_wrong_option_is_explained():
    assert "Did you mean jelly" in play_from_pipe("", "--secret", "jelli").output
    assert "Did you mean 'wordle/1'" in play_from_pipe("", "--game", "wordle").output


@pytest.mark.slow
def test_a_seed_repeats_a_game_and_a_random_seed_is_shown():
    moves = "tares 3\ncrony 3\nquit\n"
    output = play_from_pipe(moves).output
    seed = output.split("seed ")[1].split(",")[0]
    assert play_from_pipe(moves, "--seed", seed).output == output


@pytest.mark.slow
def test_a_terminal_shows_colours_and_offers_another_game():
    person = play_at_terminal("--seed", "3")
    person.expect("guess 1: ")
    person.sendline("tares 8")
    person.expect(r"\x1b\[[0-9;]*m T ")
    person.expect("guess 2: ")
    person.sendline("?")
    person.expect("Suggested: ")
    person.expect("guess 2: ")
    person.sendline("!cigar")
    person.expect(r"Another game\? \[y/N\] ")
    person.sendline("y")
    person.expect("seed 3, game 1")
    person.expect("guess 1: ")  # Ctrl-D is lost on a terminal between two questions
    person.sendeof()
    person.expect(r"plays\s+this\s+game\s+again")
    person.expect(pexpect.EOF)
    person.close()
    assert person.exitstatus == 0


def test_without_colours_a_terminal_shows_the_marks():
    person = play_at_terminal("--game", "wordle/1", "--secret", "jelly", NO_COLOR="1")
    person.expect("guess 1 of 6: ")
    person.sendline("salet")
    person.expect_exact("salet  ..ci.")
    person.expect("guess 2 of 6: ")
    person.sendintr()
    person.expect(r"plays\s+this\s+game\s+again")
    person.expect(pexpect.EOF)
    assert "Traceback" not in person.before
    person.close()
    assert person.exitstatus == 130


class Adversary(Game):
    """Keeps every word but those guessed."""

    facts = GameFacts("adversary/1", MoveForm.CLASSIC, "guesses")
    clue_rule = "counted"
    max_guesses = 100

    def check(self, move):
        return ClassicMove(self.check_word(move, self.lists.guess_set, "the guesses"), "")

    def reply(self, secret, moves, move, draws):
        return Reply("....." if len(moves) < 7 else "ccccc", Verdict.WON if len(moves) == 7 else None)


def test_a_new_game_without_a_limit_or_a_fixed_secret_can_be_played(lists, monkeypatch, capsys):
    game = Adversary(lists)
    lines = iter(["crane", "?", "quit"] + ["jumpy"] * 8)
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    play(sessions(game, "1", 0, "crane"), Screen())
    assert "The game had not settled on a secret" in capsys.readouterr().out
    play(sessions(game, "1", 0, "crane"), Screen())
    output = capsys.readouterr().out
    assert "Right: the secret is JUMPY, found in 8 guesses." in output
    assert "wordpl adversary/1 8\n" in output


@pytest.mark.slow
def test_help_imports_nothing_slow():
    text = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, check=True).stdout
    modules = subprocess.run(
        [sys.executable, "-c", "import sys, interactive; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=HOME,
    ).stdout.split()
    assert all(name in "".join(text.split()) for name in games.names())
    assert not {"numba", "pandas", "scipy"} & set(modules)
