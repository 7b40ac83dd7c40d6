"""JSON output of the commands, and the progress of runs."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from tests.helpers.cli import all_commands, documented_fields, evaluate, only_run, wordpl
from tests.helpers.paths import HOME
from wordpl.cli import GROUPS, main, missing_app
from wordpl.cli._command import add_shared_options, is_conversation
from wordpl.cli._output import new_console
from wordpl.cli._run_progress import ProgressBars
from wordpl.contest import EntryProgress
from wordpl.games import game_class
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo

BOT = "class Bot:\n    def first_move(self): return 'abide', 0\n    def next_move(self, *asked): pass\n"


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    (folder / "bot.py").write_text(BOT)
    options = ["--games", 30, "--repeats", 2, "--seed", 4, "--results", folder / "results", "--no-report", "--jobs", 1]
    return evaluate(folder / "bot.py", *options, "--json", "--quiet", "--csv-separator", ","), folder


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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
    [
        ("--worst", "--width", 3),
        ("--prove", "--jobs", 1, "--log", "proof.log"),
        ("--top", 1, "--width", 3, "--save", "tree.json"),
    ],
)
def test_other_options_of_solve_add_nothing_to_its_json(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = wordpl("solve", "tares:.....", "crony:..c..", *options, "--json")
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
    assert {
        "budget",
        "counted",
        "counted_error",
        "by_answer",
        "by_answer_error",
        "without_luck",
        "without_luck_error",
    } <= entry.keys()
    exact = wordpl("estimate", folder / "bot.py", "--isolation", "D", "--exact", "--json", "--quiet")
    assert json.loads(exact.stdout)["entries"] == [{"entry": "Bot", "budget": 0.0, "exact": pytest.approx(1 / 2315)}]


@pytest.mark.slow
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


FULL = "Error: cannot write the output or a temporary file: No space left on device. Free some disk space.\n"
UNWRITABLE = {"a full disk": (">/dev/full", 1, FULL), "a closed output": (">&-", 0, "")}


@pytest.mark.slow
@pytest.mark.parametrize("where", UNWRITABLE)
@pytest.mark.parametrize(
    "words", ["-m wordpl --help", "-m wordpl verify --help", "-m wordpl suggest --help", "evaluate.py --help"]
)
def test_an_output_that_cannot_be_written_is_one_sentence(where, words):
    target, exit_code, message = UNWRITABLE[where]
    command = f"{sys.executable} {words} {target}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, cwd=HOME)
    assert (result.returncode, result.stderr) == (exit_code, message)


@pytest.mark.slow
@pytest.mark.parametrize("n_kib", [4, 300])
def test_a_limit_on_the_size_of_files_is_named(tmp_path, n_kib):
    (tmp_path / "bot.py").write_text(BOT)
    command = (
        f"ulimit -f {n_kib}; {sys.executable} evaluate.py {tmp_path}/bot.py --games 9000 --results {tmp_path}/runs"
    )
    how = "--isolation D --repeats 0 --no-report --jobs 1 2>&1 | cat"
    result = subprocess.run(["bash", "-c", f"{command} {how}"], capture_output=True, text=True, timeout=300, cwd=HOME)
    assert "File too large. Raise the limit on the size of files" in result.stdout.splitlines()[-1]
    assert "Traceback" not in result.stdout


def test_without_a_terminal_progress_is_printed_each_10_percent_and_per_entry(capfd, tmp_path):
    progress, run = ProgressBars(), run_of(tmp_path, n_entries=2, n_games=1000)
    progress.started(run)
    for entry in run.info.entries:
        for n_played in range(1, 1001):
            progress.progress(EntryProgress(entry, n_played, n_played // 2, 1000))
    progress.finished(run)
    _, *lines = capfd.readouterr().err.splitlines()
    assert [line[:5] for line in lines if "%" in line] == [f"{percent:3} %" for percent in range(10, 101, 10)]
    assert [line[:2] for line in lines if "1,000 games, 500 won" in line] == ["e0", "e1"]
    assert max(len(line) for line in lines if not line.startswith("Sandbox level")) <= 80


def test_games_that_are_played_again_are_named_and_set_the_time_that_is_left(capfd, tmp_path, monkeypatch):
    seconds = 0.0
    monkeypatch.setattr("wordpl.cli._run_progress.time", SimpleNamespace(monotonic=lambda: seconds))
    progress, run = ProgressBars(), run_of(tmp_path, n_entries=2, n_games=80, repeats=20)
    progress.started(run)
    for entry in run.info.entries:
        seconds += 8
        progress.progress(EntryProgress(entry, 80, 40, 80))
    assert capfd.readouterr().err.splitlines()[-1].startswith(" 80 %  2 of 2 entries done, ")
    progress.repeated(0, 40)
    seconds += 600
    progress.repeated(20, 40)
    assert capfd.readouterr().err == " 90 %  playing games again, 10:16 elapsed, about 10:00 left\n"


def run_of(folder, n_entries, n_games, repeats=0):
    """Return a run without records; only its numbers of entries and games matter."""
    from wordpl.contest.run_folder import describe
    from wordpl.run.config import RunConfig

    entries = [EntryInfo(f"e{i}", f"e{i}", game_class("wordpl/1").facts, "", "", "") for i in range(n_entries)]
    return Run.create(folder / "run", describe(RunConfig(n_games=n_games, repeats=repeats), entries))


def test_the_word_lists_are_printed_as_json():
    output = json.loads(wordpl("words", "lists", "--json").stdout)
    assert (output["format"], output["kind"], output["priors"][0]["name"]) == (1, "words-lists", "default")
    assert {"name": "answers-2023", "words": 3158}.items() <= output["lists"][0].items()


@pytest.mark.slow
def test_each_command_that_prints_json_has_a_documented_kind_and_a_call():
    printing = {path for path, one in all_commands().items() if any(option.name == "as_json" for option in one.params)}
    rows = (HOME / "docs" / "library.md").read_text().split("| command | JSON | call |")[1].split("\n\n")[0]
    listed = {name for cell in re.findall(r"^\| (.*?) \|", rows, re.MULTILINE) for name in re.findall(r"`(.*?)`", cell)}
    assert printing <= {name.removeprefix("wordpl ") for name in listed}
    kinds = set(re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\|.*?\| (.*?) \|", rows, re.MULTILINE))))
    assert kinds <= documented_fields().keys()


def test_what_many_commands_share_is_on_all_of_them():
    found = all_commands()
    assert len(found) > 70
    for path, leaf in found.items():
        options = [name for parameter in leaf.params for name in parameter.opts]
        assert {"--quiet", "--log-level"} <= set(options), path
        assert ("--json" in options) != is_conversation(leaf), path
        assert len(options) == len(set(options)), path
    talks = {path for path, leaf in found.items() if is_conversation(leaf)}
    assert talks == {"docs", "league bot", "play", "serve", "tui"}


def test_a_command_without_a_json_of_its_own_prints_its_tables_and_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = wordpl("new", "my_bot", "--json")
    output = json.loads(written.stdout)
    assert (output["format"], output["kind"], output["tables"], written.exit_code) == (1, "new", [], 0)
    assert "Wrote my_bot.py. Next:" in output["notes"]
    failed = wordpl("new", "my_bot", "--json")
    assert (failed.stdout, failed.exit_code) == ("", 1)
    assert "my_bot.py already exists" in failed.stderr
    assert "Wrote" in wordpl("new", "other_bot").stdout  # the next command prints text again


def test_what_a_command_prints_by_other_ways_is_in_its_json_too(monkeypatch):
    command = click.Command("speak", callback=lambda: (click.echo("aloud"), new_console().print("in colour")))
    add_shared_options(command)
    monkeypatch.setattr(main, "get_command", lambda context, name: command)
    monkeypatch.setattr(main, "resolve_command", lambda context, given: ("speak", command, given[1:]))
    output = json.loads(CliRunner().invoke(main, ["speak", "--json"]).stdout)
    assert (output["kind"], output["notes"]) == ("speak", ["aloud", "in colour"])


def test_trees_are_checked_shown_and_compared_as_json():
    tree = HOME / "strategies" / "tree" / "tree-salet.json"
    checked = json.loads(wordpl("tree", "check", tree, "--json").stdout)
    assert (checked["correct"], checked["total"], checked["n_answers"]) == (True, 7920, 2315)
    assert sum(checked["by_guesses"]) == checked["n_answers"]
    shown = json.loads(wordpl("tree", "show", tree, "--depth", 2, "--json").stdout)["tree"]
    assert (shown["guess"], shown["n_answers"]) == ("salet", 2315)
    assert sum(branch["n_answers"] for branch in shown["after"].values()) == 2315
    assert all("after" not in branch for branch in shown["after"].values())
    compared = json.loads(wordpl("tree", "compare", tree, tree, "--json").stdout)
    assert [side["total"] for side in compared["trees"]] == [7920, 7920]
    assert compared["divergences"] == []


@pytest.mark.slow
def test_shares_are_compared_as_json():
    shares = ("--shares", ".5/.3/.2", "--shares", ".4/.3/.3")
    output = json.loads(wordpl("plan", "p50", "--splits", 4, *shares, "--json").stdout)
    assert (output["kind"], output["n_games"], len(output["splits"])) == ("plan-splits", 4, 2)


def test_the_main_help_says_of_each_command_what_the_command_says_itself():
    context = click.Context(main)
    for sentences in GROUPS.values():
        for name, sentence in sentences.items():
            if missing_app(name):
                continue
            assert main.get_command(context, name).get_short_help_str(1000) == sentence


@pytest.mark.slow
def test_what_the_help_recommends_works_in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first_sentence = main.help.partition(".")[0]
    commands = re.findall(r"`wordpl ([^`]+)`", first_sentence)
    assert [command.split()[0] for command in commands] == ["new", "check", "evaluate"]
    for command in commands:
        fewer = [] if command.startswith("new") else ["--games", "5", "--jobs", "1"]
        result = wordpl(*command.split(), *fewer)
        assert result.exit_code == 0, result.output
    assert "MyBot" in result.stdout
