"""`wordpl estimate` plays entries of noisy games, and says which others it leaves out."""

import json
from textwrap import dedent

import pytest

from tests.helpers.cli import evaluate, wordpl
from tests.helpers.runs import DRAWS_ALL
from wordpl.core import paths

OTHER_GAME = """
class Other:
    game = "wordle/1"
    def first_move(self):
        return "crane"
    def next_move(self, guess, clues):
        return "abide"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder with the only two strategies: bot.py for a noisy game, and other.py for another game."""
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "bot.py").write_text(dedent(DRAWS_ALL))
    (tmp_path / "strategies" / "other.py").write_text(OTHER_GAME)
    (tmp_path / "strategies" / "_luckless.py").write_text(OTHER_GAME.replace("wordle/1", "absurdle/1"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paths, "strategy_folders", lambda: [tmp_path / "strategies"])
    return tmp_path


@pytest.mark.slow
def test_without_a_name_all_strategies_of_noisy_games_are_estimated(folder):
    done = wordpl("estimate", "--trust", "--games", 5, "--json")
    assert done.exit_code == 0, done.stderr
    assert [estimate["entry"] for estimate in json.loads(done.stdout)["entries"]] == ["Bot()"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "options", "complaint"),
    [
        ("other", ["--exact"], "Other plays wordle/1, which has no budget"),
        ("strategies/_luckless.py", [], "plays absurdle/1, which has no luck to leave out"),
    ],
)
def test_an_entry_that_cannot_be_estimated_is_refused_before_it_plays(folder, entry, options, complaint):
    done = wordpl("estimate", "bot", entry, "--trust", *options)
    assert done.exit_code == 1
    assert complaint in done.stderr
    assert not (folder / "results").exists()


@pytest.mark.slow
def test_a_file_that_cannot_be_loaded_is_reported_with_exact(folder):
    (folder / "strategies" / "broken.py").write_text("import nothing_of_that_name")
    done = wordpl("estimate", "bot", "broken", "--trust", "--exact")
    assert "broken.py could not be loaded" in done.stderr


@pytest.mark.slow
def test_the_games_of_a_run_that_a_right_guess_ends_are_estimated_too(folder):
    assert evaluate("--trust", "--games", 5, "--repeats", 0, "--no-report").exit_code == 0
    done = wordpl("estimate", "--run", next((folder / "results").iterdir()), "--json")
    bot, other = json.loads(done.stdout)["entries"]
    assert (bot["entry"], other["entry"], other["games"]) == ("Bot()", "Other", 5)
    assert {"mean_guesses_counted", "mean_guesses_without_luck", "solved_in_4_without_luck"} <= other.keys()
    assert other["mean_guesses_counted"].keys() == {"value", "low", "high"}
