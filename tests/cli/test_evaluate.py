"""`python evaluate.py` from a user's point of view."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from textwrap import dedent

import pytest

from tests.helpers.cli import evaluate, only_run
from tests.helpers.paths import HOME
from tests.helpers.runs import new_run
from wordpl.cli import _arguments
from wordpl.cli.evaluate import OPTION_GROUPS, command
from wordpl.run.config import PlayerKind
from wordpl.run.folder import load_run

BOTS = {
    "lucky": """
        import random
        from pathlib import Path

        ANSWERS = Path("answers.txt").read_text().split()

        class Lucky:
            def __repr__(self):
                return "Lucky()"

            def first_move(self):
                print("I am lucky")
                return "abide", 1e9

            def next_move(self, guess, epsilon, clues):
                return ("abide", 0) if clues == "ccccc" else (random.choice(ANSWERS), 0)
    """,
    "sleepy": """
        import time

        class Sleepy:
            def first_move(self):
                time.sleep(0.05)
                return "abide", 1.0

            def next_move(self, guess, epsilon, clues):
                return "abide", 0
    """,
    "wordler": """
        import random
        from pathlib import Path

        ANSWERS = Path("answers.txt").read_text().split()

        class Wordler:
            game = "wordle/1"

            def __repr__(self):
                return "Wordler()"

            def first_move(self):
                return "slate"

            def next_move(self, guess, clues):
                return random.choice(ANSWERS)
    """,
    "broken": "import nothing_of_that_name",
    "empty": "ANSWER = 42",
    "needy": """
        class Needy:
            def __init__(self, epsilon):
                self.epsilon = epsilon

            def first_move(self):
                return "abide", self.epsilon

            def next_move(self, guess, epsilon, clues):
                return "abide", 0
    """,
    "failing": """
        class Failing:
            def first_move(self):
                return "abide", 1.0

            def next_move(self, guess, epsilon, clues):
                raise ValueError("out of ideas")
    """,
}


@pytest.fixture(scope="module")
def bots(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bots")
    for name, source in BOTS.items():
        (folder / f"{name}.py").write_text(dedent(source))
    return folder


@pytest.fixture(scope="module")
def finished_run(bots):
    """The result of `evaluate` for all these bots, and the folder of the run."""
    options = ["--games", 12, "--seed", 7, "--jobs", 1, "--repeats", 2, "--against", bots / "sleepy.py"]
    result = evaluate(*(bots / f"{name}.py" for name in BOTS), *options, "--results", bots / "results")
    assert result.exit_code == 0, result.stderr
    return result, only_run(bots / "results")


@pytest.mark.slow
def test_a_run_ends_with_a_table_and_its_files(finished_run):
    result, folder = finished_run
    for text in ("Lucky", "Sleepy", "Wordler", "wordpl/1", "wordle/1", "12 games", "seed 7"):
        assert text in result.stdout
    assert "I am lucky" not in result.output
    assert " INFO " not in result.stderr
    games = load_run(folder).groupby("entry").size().to_dict()
    assert games == dict.fromkeys(("Lucky()", "Sleepy", "Wordler()", "Failing"), 12)
    assert (folder / "scores.csv").read_text().startswith("strategy;p05;p50;p95;timeouts")
    assert "Lucky" in (folder / "LEADERBOARD.md").read_text()


@pytest.mark.slow
def test_entries_are_compared_on_the_same_games(finished_run):
    assert "Sleepy minus each other entry" in " ".join(finished_run[0].stdout.split())


@pytest.mark.slow
def test_games_are_played_again_in_fresh_processes(finished_run):
    result, folder = finished_run
    sentence = (
        "Repeated in fresh processes, with the same clues under another secret: 2 games of each entry, all with the "
        "same moves."
    )
    assert sentence in result.stdout
    assert sentence in (folder / "LEADERBOARD.md").read_text()


@pytest.mark.slow
def test_a_file_without_an_entry_is_reported_and_the_others_are_played(finished_run):
    errors = finished_run[0].stderr
    assert "broken.py could not be loaded" in errors
    assert "No module named 'nothing_of_that_name'" in errors
    assert "empty.py could not be loaded" in errors
    assert "it has no class with the methods first_move and next_move" in errors
    assert "requires epsilon: add defaults, list what plays in ENTRIES" in errors


@pytest.mark.slow
def test_listing_shows_the_entries_of_the_game_s_kind_and_plays_nothing(bots, tmp_path):
    arguments = [bots / "lucky.py", bots / "wordler.py", "--game", "wordle-hard/1", "--list"]
    result = evaluate(*arguments, "--results", tmp_path / "results")
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [["Wordler()", "wordle-hard/1"]]
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_other_word_lists_can_be_played(tmp_path):
    (tmp_path / "answers").write_text("cat\ndog\n")
    (tmp_path / "guesses").write_text("cat\ncow\ndog\n")
    (tmp_path / "three.py").write_text(
        "def words(name): return open(name).read().split()\n"
        "class Three:\n"
        "    def first_move(self): return words('valid.txt')[1], 20.0\n"
        "    def next_move(self, guess, epsilon, clues): return words('answers.txt')[clues[1] == 'i'], 0\n"
    )
    options = ["--answers", tmp_path / "answers", "--guesses", tmp_path / "guesses", "--games", 40, "--jobs", 1]
    result = evaluate(tmp_path / "three.py", *options, "--repeats", 0, "--results", tmp_path / "results")
    assert result.exit_code == 0, result.stderr
    table = load_run(only_run(tmp_path / "results"))
    assert set(table.secret) == {"cat", "dog"}
    assert set(table.verdict) <= {"won", "wrong"}


@pytest.mark.slow
def test_a_failure_is_reported_with_its_replay_command(finished_run, bots):
    result, _ = finished_run
    assert "ValueError: out of ideas" in result.stdout
    (command,) = [line.strip() for line in result.stdout.splitlines() if "--number" in line]
    assert command.startswith("wordpl evaluate ")
    replay = evaluate(*shlex.split(command)[2:], bots / "lucky.py")
    assert "ValueError: out of ideas" in replay.stdout
    assert "Lucky() plays game 0 of wordpl/1, seed 7. The secret is" in replay.stdout
    assert "epsilon 1e+09" in replay.stdout
    assert "true" in replay.stdout
    assert "I am lucky" in replay.stderr


@pytest.mark.parametrize(("jobs", "player"), [(1, PlayerKind.PROCESS), (2, PlayerKind.TRUSTED)])
@pytest.mark.slow
def test_ctrl_c_keeps_every_game_and_prints_the_resume_command(tmp_path, jobs, player):
    source = BOTS["sleepy"].replace("Sleepy", "Bot")
    run = new_run(tmp_path, {"bot": source}, player=player)
    command = [sys.executable, str(HOME / "evaluate.py"), "--resume", str(run.folder), "--jobs", str(jobs)]
    command += ["--trust"] if player == PlayerKind.TRUSTED else ["--isolation", "D"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HOME, start_new_session=True
    )
    (entry,) = run.entries
    deadline, path = time.monotonic() + 120, entry.records_path
    while not (path.exists() and path.stat().st_size > 500) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in errors
    n_kept = len(entry.read())
    assert 0 < n_kept < 60
    assert f"{n_kept} games are kept" in errors
    assert f"wordpl evaluate --resume {run.folder}" in errors


@pytest.mark.slow
def test_a_changed_entry_is_not_resumed(finished_run, tmp_path):
    run = shutil.copytree(finished_run[1], tmp_path / "run")
    facts = json.loads((run / "run.json").read_text())
    facts["entries"][0]["sha256"] = "0" * 64
    (run / "run.json").write_text(json.dumps(facts))
    result = evaluate("--resume", run, "--isolation", "D")
    assert result.exit_code == 1
    assert "with the files of Lucky(), is missing or has changed" in result.stderr


@pytest.mark.slow
def test_a_game_for_which_there_is_no_entry_is_refused():
    result = evaluate("letter_frequency", "--game", "wordpl/1")
    assert result.exit_code == 1
    assert "there is no entry for wordpl/1 to play" in " ".join(result.stderr.split())


def test_help_needs_no_heavy_import():
    program = (
        "import sys, evaluate; print([m for m in ('numba', 'pandas', 'scipy', 'joblib', 'numpy') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=HOME)
    assert result.stdout.strip() == "[]"


@pytest.mark.slow
def test_names_of_the_original_contest_select_todays_entries():
    expected = {
        "NGuess(epsilon=7.8, G=3)": "NGuess(epsilon=7.8, n_guesses=2)",
        "MaxClueEntropy(n_guesses=3, epsilon_per_guess=13.0, monte_carlo=200)": (
            "MaxClueEntropy(n_guesses=3, epsilon_per_guess=13.0)"
        ),
        "MaxClueEntropy(n_guesses=3, epsilon_per_guess=32.0, monte_carlo=200)": (
            "MaxClueEntropy(n_guesses=3, epsilon_per_guess=32.0)"
        ),
    }
    lines = evaluate(*expected, "--list").stdout.splitlines()
    assert [line.startswith(name) for line, name in zip(lines, expected.values(), strict=True)] == [True] * 3, lines


@pytest.mark.slow
def test_a_file_that_is_slow_to_start_is_reported_with_the_limit_and_its_option(tmp_path):
    (tmp_path / "slow.py").write_text("while True: pass")
    result = evaluate(tmp_path / "slow.py", "--warmup", 0.3, "--results", tmp_path)
    assert "slow.py could not be loaded:" in result.stderr
    assert " took more than 0.3 s to start and play a warm-up game. " in result.stderr
    assert "compute less there, or raise --warmup SECONDS." in result.stderr


@pytest.mark.slow
def test_a_debugger_in_the_sandbox_explains_how_to_debug(tmp_path):
    (tmp_path / "stops.py").write_text(
        "class Stops:\n    def first_move(self): breakpoint()\n    def next_move(self, *asked): pass\n"
    )
    result = evaluate(tmp_path / "stops.py", "--seed", 1, "--number", 0)
    assert "--number N --trust" in result.stdout


@pytest.mark.slow
def test_a_debugger_stops_once_in_a_trusted_replay(tmp_path):
    (tmp_path / "stops.py").write_text(
        "class Stops:\n    def first_move(self):\n        breakpoint()\n        return 'crane', 0\n"
        "    def next_move(self, *asked): pass\n"
    )
    command = [sys.executable, HOME / "evaluate.py", tmp_path / "stops.py", "--seed", "1", "--number", "0", "--trust"]
    result = subprocess.run(command, input="c\nc\nc\n", capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert result.stdout.count("(Pdb)") == 1
    assert "proposed as the answer" in result.stdout


def test_the_help_lists_each_option_once_in_a_group_of_few():
    text = evaluate("--help").stdout
    listed = re.findall(r"^  (--[\w-]+)", text, re.M)
    options = [option for option in command.params if option.param_type_name == "option"]
    assert sorted(listed) == sorted(["--help", *(option.opts[0] for option in options)])
    sizes = [len(re.findall(r"^  --", group, re.M)) for group in re.split(r"\n\n(?=\w[\w ]*:\n)", text)[1:]]
    assert len(sizes) == 8 + len(_arguments.hosted_groups())
    assert max(sizes) <= 9
    named = {name for names in OPTION_GROUPS.values() for name in names}
    assert named <= {option.name for option in command.params}
