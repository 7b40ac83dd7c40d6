"""`--games all` plays every answer once; a score is `exact` only if the strategy seed does not matter."""

import pytest

from tests.helpers.cli import evaluate, only_run, wordpl
from tests.helpers.paths import HOME
from wordpl.core import words
from wordpl.reports import RunReport
from wordpl.reports.run_report import RunRecords
from wordpl.run.folder import Run

STEADY = """
    def next_move(self, guess, clues):
        self.left = [word for word in self.left if word != guess and counted(guess, word) == clues]
        return self.left[0]
"""
BOT = """
from dataclasses import dataclass
from wordpl import Strategy
from wordpl.core.clues import counted

@dataclass
class {name}(Strategy):
    game = "wordle/1"
    games = 0
    def first_move(self):
        self.games += 1
        self.left = list(self.answers)
        return {first}
{rest}
"""
FIRSTS = {"steady": "self.left[self.games % len(self.left)]", "draws": "self.rng.choice(self.left)"}


def write_entries(folder, names):
    for name in names:
        (folder / f"{name}.py").write_text(BOT.format(name=name.title(), first=FIRSTS[name], rest=STEADY.strip("\n")))
    return [folder / f"{name}.py" for name in names]


def play_all(folder, names, *options):
    result = evaluate(*write_entries(folder, names), "--games", "all", "--seed", "5", "--results", folder / "results",
                    "--no-report", *options)  # fmt: skip
    assert result.exit_code == 0, result.output
    return result, RunReport(RunRecords(Run(only_run(folder / "results"))))


@pytest.mark.slow
def test_every_answer_is_played_once_and_only_deterministic_entries_are_exact(tmp_path):
    answers = ["crane", "slate", "abide", "zebra", "moist", "pudgy", "fixer", "fiber"]
    (tmp_path / "answers.txt").write_text("\n".join(answers))
    result, report = play_all(tmp_path, ["steady", "draws"], "--answers", tmp_path / "answers.txt")
    for _, games in report.games.groupby("entry"):
        assert sorted(games["secret"]) == sorted(answers)
        assert list(games["secret"]) != answers
    moves = report.records.run.moves()
    firsts = moves[(moves["entry"] == "Steady()") & (moves["round"] == 1)]
    assert firsts["guess"].nunique() == 1  # each game in a fresh process, which has not counted the games before
    assert report.exact_entries() == ["Steady()"]
    assert "Exact: all 8 answers were played once by Steady()." in " ".join(result.output.split())


@pytest.mark.slow
def test_a_custom_word_list_may_have_the_name_of_a_bundled_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answers = ["crane", "slate"]
    (tmp_path / "answers.txt").write_text("\n".join(answers))
    result, report = play_all(tmp_path, ["steady"], "--answers", "answers.txt", "--repeats", "0")
    assert "has changed" not in result.output
    assert sorted(report.lists.answers) == sorted(report.games["secret"]) == sorted(answers)
    assert report.records.info.config.word_files["guesses"].sha256 == words.load().sha256["guesses"]
    assert wordpl("report", report.records.folder, "-o", tmp_path / "page.html").exit_code == 0


@pytest.mark.long
def test_scores_are_exact_after_50_repeats_with_other_seeds(tmp_path):
    result, report = play_all(tmp_path, ["steady"], "--repeats", "50")
    assert sorted(report.games["secret"]) == sorted(words.load().answers)
    (board,) = report.boards
    assert len(board.exact) == 1
    assert "Exact: all 2,315 answers were played once." in " ".join(result.output.split())
    assert (report.games["message"] == "").all()


@pytest.mark.long
def test_scores_are_not_exact_after_49_repeats_with_other_seeds(tmp_path):
    _, report = play_all(tmp_path, ["steady"], "--repeats", "49")
    assert report.exact_entries() == []


@pytest.mark.slow
def test_games_all_is_refused_for_a_game_with_noise(tmp_path):
    result = evaluate(HOME / "strategies" / "n_guess.py", "--games", "all", "--results", tmp_path)
    assert result.exit_code in (1, 2)
    assert "--games all works only for classic games" in " ".join(result.output.split())
