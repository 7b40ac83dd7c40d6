"""`python evaluate.py`, as its users drive it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from wordpl.records import Run, load_run
from wordpl.words import HOME

BOTS = {
    "lucky": """
        from wordpl import Strategy

        class Lucky(Strategy):
            def first_move(self):
                print("I am lucky")
                return "abide", 1e9

            def next_move(self, guess, epsilon, clues):
                return ("abide", 0) if clues == "ccccc" else (self.rng.choice(self.answers), 0)
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
        from wordpl import Strategy

        class Wordler(Strategy):
            game = "wordle/1"

            def first_move(self):
                return "slate"

            def next_move(self, guess, clues):
                return self.rng.choice(self.answers)
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
                raise ValueError("out of ideas")
    """,
}


@pytest.fixture
def bots(tmp_path):
    for name, source in BOTS.items():
        (tmp_path / f"{name}.py").write_text(dedent(source))
    return tmp_path


def evaluate(bots, *words, jobs=1):
    names = [str(bots / f"{word}.py") if word in BOTS else word for word in words]
    command = [sys.executable, str(HOME / "evaluate.py"), *names]
    if not {"--help", "--resume"} & set(words):
        command += ["--results", str(bots / "results"), "--jobs", str(jobs)]
    return subprocess.run(command, capture_output=True, text=True, cwd=HOME, env=plain_environment())


def plain_environment():
    return {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}


def only_run(bots):
    (folder,) = (bots / "results").iterdir()
    return folder


def test_a_run_ends_with_a_table_and_its_files(bots):
    done = evaluate(bots, "lucky", "sleepy", "wordler", "--games", "30", "--seed", "7", jobs=2)
    assert done.returncode == 0, done.stderr
    for text in ("Lucky", "Sleepy", "Wordler", "wordpl/1", "wordle/1", "30 games", "seed 7"):
        assert text in done.stdout
    assert "I am lucky" not in done.stdout + done.stderr
    folder = only_run(bots)
    table = load_run(folder)
    assert table.groupby("entry").size().to_dict() == {"Lucky()": 30, "Sleepy": 30, "Wordler()": 30}
    assert (folder / "scores.csv").read_text().startswith("strategy;p05;p50;p95;timeouts")
    assert "Lucky" in (folder / "LEADERBOARD.md").read_text()


def test_a_file_without_an_entry_costs_only_itself(bots):
    done = evaluate(bots, "broken", "empty", "needy", "lucky", "--games", "3")
    assert done.returncode == 0
    assert "broken.py: no entry" in done.stderr
    assert "No module named 'nothing_of_that_name'" in done.stderr
    assert "empty.py: no entry" in done.stderr
    assert "no class of its own has the methods first_move and next_move" in done.stderr
    assert "Needy needs epsilon" in done.stderr
    assert set(load_run(only_run(bots)).entry) == {"Lucky()"}


def test_listing_plays_nothing(bots):
    done = evaluate(bots, "lucky", "wordler", "--list")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        ["Lucky()", "wordpl/1"],
        ["Wordler()", "wordle/1"],
    ]
    assert not (bots / "results").exists()


def test_a_game_is_chosen_for_the_entries_of_its_kind(bots):
    done = evaluate(bots, "lucky", "wordler", "--game", "wordle-hard/1", "--games", "5")
    assert done.returncode == 0
    assert set(load_run(only_run(bots)).rules) == {"wordle-hard/1"}


def test_other_word_lists_can_be_played(bots):
    (bots / "answers").write_text("cat\ndog\n")
    (bots / "guesses").write_text("cat\ncow\ndog\n")
    (bots / "three.py").write_text(
        "def words(name): return open(name).read().split()\n"
        "class Three:\n"
        "    def first_move(self): return words('valid.txt')[1], 20.0\n"
        "    def next_move(self, guess, epsilon, clues): return words('answers.txt')[clues[1] == 'i'], 0\n"
    )
    lists = ("--answers", str(bots / "answers"), "--guesses", str(bots / "guesses"))
    done = evaluate(bots, str(bots / "three.py"), *lists, "--games", "40")
    assert done.returncode == 0, done.stderr
    table = load_run(only_run(bots))
    assert set(table.secret) == {"cat", "dog"}
    assert set(table.verdict) <= {"won", "wrong"}


def test_a_replay_shows_the_noise_beside_the_truth_and_what_the_entry_prints(bots):
    done = evaluate(bots, "sleepy", "--replay", "3", "--seed", "7")
    assert "Sleepy plays game 3 of wordpl/1, seed 7; the secret is" in done.stdout
    assert "epsilon 1" in done.stdout
    assert "true" in done.stdout
    done = evaluate(bots, "lucky", "--replay", "3", "--seed", "7")
    assert "I am lucky" in done.stderr


def test_an_entry_s_failure_prints_the_command_that_replays_it(bots):
    needy = f"{bots / 'needy.py'}"
    Path(needy).write_text(Path(needy).read_text().replace("self, epsilon):", "self, epsilon=1.0):"))
    done = evaluate(bots, "needy", "--games", "3", "--seed", "7")
    assert "ValueError: out of ideas" in done.stdout
    (command,) = [line.strip() for line in done.stdout.splitlines() if "--replay" in line]
    again = subprocess.run(
        command.replace("python", sys.executable, 1), shell=True, capture_output=True, text=True, cwd=HOME
    )
    assert "ValueError: out of ideas" in again.stdout


def test_entries_are_compared_on_the_same_games(bots):
    done = evaluate(bots, "lucky", "--against", str(bots / "sleepy.py"), "--games", "40")
    assert done.returncode == 0, done.stderr
    assert "Sleepy less each other entry" in " ".join(done.stdout.split())


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_every_game_and_says_how_to_go_on(bots, jobs):
    command = [sys.executable, str(HOME / "evaluate.py"), str(bots / "sleepy.py"), "--games", "60", "--seed", "7"]
    command += ["--results", str(bots / "results"), "--jobs", str(jobs)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HOME, start_new_session=True
    )
    records = bots / "results"
    until = time.monotonic() + 30
    while not any(path.stat().st_size > 500 for path in records.glob("*/records/*")) and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in told
    folder = only_run(bots)
    (entry,) = Run(folder).info.entries
    kept = len(Run(folder).read(entry))
    assert 0 < kept < 60
    assert f"{kept} games are kept" in told
    assert f"python evaluate.py --resume {folder}" in told
    done = evaluate(bots, "--resume", str(folder))
    assert done.returncode == 0, done.stderr
    assert len(Run(folder).read(entry)) == 60


def test_a_changed_entry_is_not_resumed(bots):
    evaluate(bots, "lucky", "--games", "3")
    (bots / "lucky.py").write_text(dedent(BOTS["lucky"]) + "\n")
    done = evaluate(bots, "--resume", str(only_run(bots)))
    assert done.returncode == 1
    assert "has changed since the run began" in done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nobody"], "no strategy 'nobody'"),
        (["bayesian_randon"], "Did you mean 'bayesian_random'?"),
        (["lucky", "--game", "wordle"], "Did you mean 'wordle/1'?"),
        (["wordler", "--game", "wordpl/1"], "there is no entry for wordpl/1 to play"),
        (["lucky", "--games", "0"], "0 is not in the range x>=1"),
        (["lucky", "--answers", "nowhere.txt"], "'nowhere.txt' does not exist"),
        (["lucky", "--answers", "README.md"], "the word list"),
        (["--resume", "tests"], "has no run.json"),
    ],
)
def test_a_wrong_word_is_answered_with_a_right_one(bots, words, complaint):
    done = evaluate(bots, *words)
    assert done.returncode in (1, 2)
    assert complaint in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_help_waits_for_no_heavy_import():
    program = (
        "import sys, evaluate; print([m for m in ('numba', 'pandas', 'scipy', 'joblib', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=HOME)
    assert done.stdout.strip() == "[]"
