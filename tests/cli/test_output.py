"""JSON output of the commands, and the progress of runs."""

import json
import subprocess
import sys

import pytest

from tests.helpers.cli import evaluate, only_run, wordpl
from tests.helpers.paths import HOME
from wordpl.cli._run_progress import RunProgress
from wordpl.core.records import EntryInfo, Run

BOT = "class Bot:\n    def first_move(self): return 'abide', 0\n    def next_move(self, *asked): pass\n"


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    (folder / "bot.py").write_text(BOT)
    options = ["--games", 30, "--repeats", 2, "--seed", 4, "--results", folder / "results", "--no-report", "--jobs", 1]
    return evaluate(folder / "bot.py", *options, "--json", "--quiet", "--csv-separator", ","), folder


def test_evaluate_prints_a_run_as_json_and_nothing_else(finished_run):
    result, _ = finished_run
    output = json.loads(result.stdout)
    assert (output["format"], output["kind"], output["seed"], output["n_games"]) == (1, "evaluate", "4", 30)
    (board,) = output["boards"]
    (entry,) = board["entries"]
    assert (board["game"], entry["strategy"], entry["n_games"], entry["n_won"] + entry["n_wrong"]) == (
        ("wordpl/1", "Bot", 30, 30)
    )
    assert entry["p95"] is None  # infinite
    assert result.stderr == ""


@pytest.mark.slow
def test_a_csv_with_commas_is_verified(finished_run):
    _, folder = finished_run
    run = only_run(folder / "results")
    assert (run / "scores.csv").read_text().startswith("strategy,p05,p50,p95,timeouts,rules,place")
    output = json.loads(wordpl("verify", run, "--json").stdout)
    assert (output["holds"], output["n_games"], output["differences"]) == (True, 30, [])


def test_verify_prints_differences_as_json_and_fails(finished_run):
    _, folder = finished_run
    run = only_run(folder / "results")
    page = run / "LEADERBOARD.md"
    original = page.read_text()
    page.write_text(original.replace("Bot", "Bat"))
    result = wordpl("verify", run, "--json")
    page.write_text(original)
    assert json.loads(result.stdout)["differences"][0]["source"] == "LEADERBOARD.md"
    assert result.exit_code == 1


@pytest.mark.slow
def test_check_prints_its_checks_as_json(finished_run):
    _, folder = finished_run
    result = wordpl("check", folder / "bot.py", "--games", 5, "--jobs", 1, "--isolation", "D", "--json", "--quiet")
    output = json.loads(result.stdout)
    assert output["passed"] is (result.exit_code == 0)
    assert {"name", "passed", "told", "details", "replay"} == set(output["checks"][0])


def test_suggestions_are_printed_as_json():
    output = json.loads(wordpl("suggest", "tares:.....", "crony:..c..", "--top", 2, "--json").stdout)
    assert len(output["answers"]) == 7
    assert (output["solved"], output["n_guesses_left"], len(output["suggestions"])) == (False, 4, 2)
    assert set(output["suggestions"][0]) == {"guess", "total", "guesses", "bits", "worst", "may_be_the_answer"}


def test_openers_are_printed_as_json():
    result = wordpl("solve", "tares:.....", "crony:..c..", "--opener", "blood", "--width", 3, "--json")
    (opener,) = json.loads(result.stdout)["openers"]
    assert (opener["opener"], opener["sum"]) == ("blood", 13)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [("--worst", "--width", 3), ("--prove", "--jobs", 1, "--log", "proof.log"), ("--width", 3, "--tree", "tree.json")],
)
def test_other_options_of_solve_add_nothing_to_its_json(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = wordpl("solve", "tares:.....", "crony:..c..", "--top", 1, *options, "--json")
    assert result.exit_code == 0, result.stderr
    assert len(json.loads(result.stdout)["openers"]) == 1


@pytest.mark.slow
def test_estimates_are_printed_as_json(finished_run):
    _, folder = finished_run
    result = wordpl("estimate", folder / "bot.py", "--games", 20, "--jobs", 1, "--isolation", "D",
                  "--results", folder / "estimates", "--json", "--quiet")  # fmt: skip
    output = json.loads(result.stdout)
    (entry,) = output["entries"]
    assert (output["format"], output["kind"], entry["entry"], entry["games"]) == (1, "estimate", "Bot", 20)
    assert {"budget", "counted", "counted_error", "by_answer", "by_answer_error", "rb", "rb_error"} <= entry.keys()
    exact = wordpl("estimate", folder / "bot.py", "--isolation", "D", "--exact", "--json", "--quiet")
    assert json.loads(exact.stdout)["entries"] == [{"entry": "Bot", "budget": 0.0, "exact": pytest.approx(1 / 2315)}]


def test_records_are_printed_as_json():
    output = json.loads(wordpl("record", HOME / "results" / "bundled", "--json").stdout)
    assert (output["format"], output["kind"], len(output["tables"])) == (1, "record", 3)
    assert {"title", "rows"} == set(output["tables"][0])
    assert any("is not official" in note for note in output["notes"])


@pytest.mark.slow
def test_a_closed_pipe_ends_a_command_without_an_error():
    command = f"set -o pipefail; {sys.executable} -m wordpl suggest tares:..... --json | head -1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, cwd=HOME)
    # Commands that are slow print lines like "searching ...".
    errors = [line for line in result.stderr.splitlines() if not line.endswith(" ...")]
    assert (result.returncode, errors) == (0, [])


def test_without_a_terminal_progress_is_printed_each_10_percent_and_per_entry(capfd, tmp_path):
    progress = RunProgress(run_of(tmp_path, n_entries=2, n_games=1000))
    for name in ("A", "B"):
        for n_played in range(1, 1001):
            progress.advance(name, n_played, 1000, f"{n_played // 2} won")
    progress.close()
    lines = capfd.readouterr().err.splitlines()
    assert [line[:5] for line in lines if "%" in line] == [f"{percent:3} %" for percent in range(10, 101, 10)]
    assert [line[:1] for line in lines if "1,000 games" in line] == ["A", "B"]
    assert max(map(len, lines)) <= 80


def run_of(folder, n_entries, n_games):
    """Return a run without records; only its numbers of entries and games matter."""
    from wordpl.contest.run_folder import describe
    from wordpl.core.game_kinds import Measure
    from wordpl.core.run_config import RunConfig

    entries = [EntryInfo(f"e{i}", f"e{i}", "wordpl/1", Measure.BUDGET, "", "", "") for i in range(n_entries)]
    return Run.create(folder / "run", describe(RunConfig(n_games=n_games, repeats=0), entries))
