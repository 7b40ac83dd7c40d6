"""The files of examples/extensions extend a copy of the package, without an edit elsewhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A folder with the package, extended by all files."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("wordpl", "strategies"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("answers.txt", "valid.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "examples" / "extensions", folder / "wordpl", dirs_exist_ok=True)
    return folder


def run(folder, *words):
    """Run the command line of the package in the folder and return what it prints."""
    command = [sys.executable, "-c", "from wordpl.cli import main; main()", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(folder), "XDG_DATA_HOME": str(folder / "data")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_a_score_and_a_section_appear_on_every_board(extended):
    text = run(extended, "evaluate", "n_guess", "--games", 20, "--repeats", 0, "--trust", "--full", "--seed", 1)
    assert "longest game" in text
    (folder,) = (extended / "results").glob("*/")
    assert "Longest games" in (folder / "LEADERBOARD.md").read_text()
    assert "within_50" in (folder / "scores.csv").read_text().splitlines()[0].split(";")


@pytest.mark.long
def test_a_game_can_be_evaluated_with_entries_that_play_any_classic_game(extended):
    words = ("--games", 20, "--repeats", 0, "--trust", "--seed", 1, "--results", "three")
    assert "three/1" in run(extended, "evaluate", "letter_frequency", "--game", "three/1", *words)


@pytest.mark.long
def test_a_source_and_a_ranking_serve_the_league(extended):
    results = [(who, number, guesses) for number in range(200, 212) for who, guesses in (("Ann", 3), ("Bob", 5))]
    lines = [f"{who} solved {number} in {guesses}" for who, number, guesses in results]
    (extended / "lines.txt").write_text("\n".join(lines))
    store = ("--store", extended / "league.db")
    assert "24" in run(extended, "league", "import", *store, "--zone", "UTC", "lines.txt")
    table = run(extended, "league", "leaderboard", *store, "--method", "in-four")
    assert [word for word in table.split() if word in ("Ann", "Bob")][:2] == ["Ann", "Bob"]
