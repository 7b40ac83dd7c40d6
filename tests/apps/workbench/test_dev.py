"""`wordpl dev` plays each saved version and compares it with the one before."""

import os
import sys

import pytest

from tests.apps.workbench.test_match import BOT
from tests.helpers.paths import HOME
from tests.helpers.pseudo_terminal import terminal
from wordpl import RunConfig
from wordpl.apps.workbench.dev import DevError, DevSession

START = f"import sys; sys.path.insert(0, {str(HOME)!r}); from wordpl.cli import main; main()"


def test_a_syntax_error_is_reported_before_any_player_starts(tmp_path):
    (tmp_path / "bot.py").write_text("class Bot:\n    def first_move(self)\n        return 'crane', 5\n")
    with DevSession(str(tmp_path / "bot.py")) as session:
        assert session.is_changed
        error = session.check()
        assert not session.is_changed
        (tmp_path / "bot.py").write_text("x = 1\n")
        assert session.is_changed
    assert isinstance(error, DevError)
    assert (error.kind, error.lines()[1]) == ("syntax", "    bot.py:2: expected ':'")


@pytest.mark.long
def test_versions_are_compared_on_the_same_games(tmp_path):
    file = tmp_path / "bot.py"
    file.write_text(BOT.replace("9.0", "10.0"))
    with DevSession(str(file), RunConfig(level="D", seed="1"), n_games=80, goal="won") as session:
        first = session.check()
        file.write_text(BOT.replace("9.0", "10.0") + "# a remark\n")
        same = session.check()
        file.write_text(BOT.replace("9.0", "18.0"))
        better = session.check()
        file.write_text(BOT.replace("split", "splitt"))
        illegal = session.check()
        file.write_text("import nothing_of_this_name\n")
        missing = session.check()
        file.write_text(BOT.replace("9.0", "6.0"))
        worse = session.check()
    assert (first.version, first.change) == (1, None)
    assert (same.version, same.plays_alike) == (2, True)
    assert (better.change.verdict, better.n_won > same.n_won) == ("better", True)
    assert (illegal.kind, "'splitt' is not a word" in illegal.message, "--number 0" in illegal.replay) == (
        "illegal", True, True)  # fmt: skip
    assert "No module named 'nothing_of_this_name'" in missing.message
    assert (worse.version, worse.change.verdict, worse.change.old) == (4, "worse", "Bot(epsilon=18.0)")
    assert worse.losses[0].cost == float("inf")
    assert worse.losses[0].cost_before == 36.0


@pytest.mark.long
def test_a_change_of_the_same_size_within_a_second_is_played(tmp_path):
    file = tmp_path / "bot.py"
    file.touch()
    with DevSession(str(file), RunConfig(level="D", seed="1"), n_games=2) as session:
        for epsilon in ("9.0", "8.0"):
            file.write_text(BOT.replace("9.0", epsilon))
            os.utime(file, (1e9, 1e9 + float(epsilon) / 100))  # the same second, as bytecode files store it
            assert session.check().name == f"Bot(epsilon={epsilon})"


def edit(file, text):
    draft = file.with_suffix(".new")
    draft.write_text(text)
    draft.replace(file)  # as editors save


@pytest.mark.long
def test_a_terminal_shows_saves_errors_fixes_and_improvements(tmp_path):
    file = tmp_path / "bot.py"
    file.write_text(BOT.replace("9.0", "10.0"))
    options = ["--isolation", "D", "--games", "60", "--goal", "won", "--seed", "1"]
    arguments = ["-P", "-c", START, "dev", str(file), *options]
    with terminal(sys.executable, arguments, (110, 40), {}) as program:
        program.wait_for(lambda text: "v1" in text and "Bot(epsilon=10.0)" in text and "games won" in text)
        edit(file, BOT.replace("9.0", "10.0") + "\nclass Broken(:\n")
        program.wait_for(lambda text: "SYNTAX ERROR" in text)
        edit(file, BOT.replace("9.0", "10.0"))
        program.wait_for(lambda text: "makes the same moves as v1" in text)
        edit(file, BOT.replace("9.0", "18.0"))
        text = program.wait_for(lambda text: "significantly better than before" in text)
        assert "gained" in text
        program.type("\x03")
        assert program.wait_for_end() == 130
