"""`wordpl plan` saves its progress and explains errors."""

import json
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

import pytest

from tests.helpers.cli import wordpl
from wordpl.core import paths, words
from wordpl.run.bundle import Bundle
from wordpl.run.folder import Run
from wordpl.solvers.plans import plan_file, recipes

PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background has it ignored
from wordpl.cli import main
main()
"""
SLOW = ["plan", "mine", "--budget", "20", "--shares", ".4/.3/.3", "--tried", "2"]


@pytest.mark.timeout(240)
@pytest.mark.long  # computes a plan of three rounds
def test_an_interrupted_plan_saves_its_progress_and_prints_how_to_resume(tmp_path):
    command = [sys.executable, "-c", PROGRAM, *SLOW, "--folder", str(tmp_path)]
    process, partial = (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True),
        tmp_path / ".schedule-mine.json.part",
    )
    while process.poll() is None and (not partial.exists() or len(partial.read_text().splitlines()) < 2):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert "To resume:\n    wordpl plan mine --budget 20" in errors

    rows_by_clue = {clues: row for clues, _, (row, *_) in map(json.loads, partial.read_text().splitlines()[1:])}
    missing_clues = [clues for clues in map("".join, product(".ic", repeat=5)) if clues not in rows_by_clue]
    with partial.open("a") as file:  # as if it had run for some more minutes
        file.writelines(json.dumps([clues, 0.001, [0, 0.0, 0.5]]) + "\n" for clues in missing_clues)
    assert wordpl(*SLOW, "--folder", tmp_path).exit_code == 0
    plan, first = plan_file.load(tmp_path / "schedule-mine.json"), words.load().guesses[0]
    assert [plan.second[clues] for clues in missing_clues] == [first] * len(missing_clues)
    assert plan.second["....."] != first
    assert not partial.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["p05", "--opener", "xyzzy"], "'xyzzy' is not a word of the guesses"),
        (["../p05"], "'../p05' cannot name a plan"),
        (["p05", "--opener", "trace", "--opener", "slate"], "a plan has one first word"),
        (["p05", "--shares", ".7"], "'.7' must be two or more parts"),
        (["p05", "--shares", ".7/-.3"], "'.7/-.3' must be two or more parts"),
        (["p05", "--budget", "0"], "0.0 is not in the range"),
        (["mine", "--shares", ".5/.3"], "'.5/.3' adds up to 0.8"),
        (["mine", "--budget", "15", "--folder", "missing"], "there is no folder missing"),
    ],
    ids=str,
)
def test_invalid_arguments_are_explained_and_nothing_is_written(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = wordpl("plan", *arguments)
    assert result.exit_code != 0
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.fixture
def plan_folder(monkeypatch, tmp_path):
    """Return the empty working folder; plans get the contents of p05 there, so that they need no time."""

    def build(lists, recipe, path, command, step):
        path.write_bytes((paths.bundled() / "strategies" / "schedule" / "schedule-p05.json").read_bytes())
        return plan_file.load(path)

    monkeypatch.setattr(recipes, "build", build)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_plan_can_be_played_in_the_folder_in_which_it_was_computed(plan_folder):
    result = wordpl("plan", "my_own", "--budget", 14)
    assert "wordpl evaluate strategies/schedule-my_own\n" in result.stderr
    names = sorted(path.name for path in (plan_folder / "strategies" / "schedule-my_own").iterdir())
    assert names == ["schedule-my_own.json", "schedule-my_own.py"]
    result = wordpl("evaluate", "strategies/schedule-my_own", "--games", 3, "--repeats", 2)
    assert result.exit_code == 0, result.output
    (entry,) = Run(next((plan_folder / "results").iterdir())).entries
    assert entry.name == "ScheduleMyOwn(plan='my_own', budget=14.32)"
    stored = Bundle.of(plan_folder / "strategies" / "schedule-my_own")
    assert ([Path(name).name for name in stored.files], stored.digest) == (names, entry.info.sha256)


def test_an_edited_strategy_of_a_plan_is_not_overwritten(plan_folder):
    own = plan_folder / "strategies" / "schedule-mine"
    own.mkdir(parents=True)
    (own / "schedule-mine.py").write_text("# edited")
    assert wordpl("plan", "mine", "--budget", 14).exit_code == 0
    assert (own / "schedule-mine.py").read_text() == "# edited"
    assert (own / "schedule-mine.json").exists()


def test_no_strategy_is_written_for_a_plan_beside_the_bundled_schedule(plan_folder, monkeypatch):
    copytree(paths.bundled() / "strategies", plan_folder / "strategies", ignore=ignore_patterns("__pycache__"))
    for name in paths.WORD_LISTS:
        copy(paths.bundled() / name, plan_folder)
    files_before = sorted((plan_folder / "strategies").rglob("*"))
    monkeypatch.setattr(paths, "bundled", lambda: plan_folder)
    assert wordpl("plan", "p05").stderr == ""
    assert sorted((plan_folder / "strategies").rglob("*")) == files_before
