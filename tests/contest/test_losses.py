"""Whatever happens to the harness, finished games are kept, and a resumed run ends like an undisturbed one."""

import json
import os
import random
import shutil
import subprocess

import pytest

from tests.helpers import killed_runs
from tests.helpers.cli import evaluate
from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.core.messages import UserError
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run

N_GAMES = 40
LONG_GAMES = """
    class Bot:
        def first_move(self):
            self.left = 400
            return "crane", 1.0

        def next_move(self, guess, epsilon, clues):
            self.left -= 1
            return ("crane", 1.0) if self.left > 0 else ("abide", 0)
"""
# Losses do not depend on the players, so none has to be started.
SETTINGS = {"n_games": N_GAMES, "player": PlayerKind.TRUSTED, "level": ""}


@pytest.fixture
def disk(tmp_path):
    """A disk of 128 KiB, and a function that mounts it again with other options."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only the superuser, where it may mount, can make a small disk")
    yield folder, lambda options: subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    """A run that nobody disturbed."""
    run = new_run(tmp_path_factory.mktemp("finished"), {"bot": DRAWS_ALL}, **SETTINGS)
    assert evaluate("--resume", run.folder, "--trust", "--jobs", 1).exit_code == 0
    return run.folder


@pytest.fixture
def interrupted(finished_run, tmp_path):
    """A copy of that run as if it had been interrupted after some games."""
    run = shutil.copytree(finished_run, tmp_path / "results" / "run")
    for name in ("scores.csv", "LEADERBOARD.md"):
        (run / name).unlink()
    path = run / "records" / "bot.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:9]))
    change_run_json(run, finished=None)
    return run


def change_run_json(run, **changes):
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def n_kept(folder):
    run = Run(folder)
    return sum(len(entry.read()) for entry in run.entries)


@pytest.mark.slow
def test_a_full_disk_is_reported_and_the_run_resumes_when_there_is_room(disk, tmp_path):
    folder, remount = disk
    run = new_run(folder, {"bot": LONG_GAMES}, **SETTINGS).folder
    undisturbed = shutil.copytree(run, tmp_path / "undisturbed")
    n_kept_before = 0
    for jobs in (2, 1):
        result = evaluate("--resume", run, "--trust", "--jobs", jobs)
        assert result.exit_code == 1
        assert "No space left on device. Free some disk space, then resume the run." in result.stderr
        assert f"{n_kept(run)} games are kept" in result.stderr
        assert max(n_kept_before, 3) <= n_kept(run) < N_GAMES
        n_kept_before = n_kept(run)
    remount("size=8m")
    for run_folder in (run, undisturbed):
        assert evaluate("--resume", run_folder, "--trust", "--jobs", 1).exit_code == 0
    assert killed_runs.differences(run, killed_runs.content(undisturbed)) == []


def test_a_folder_that_cannot_be_written_is_named(disk, finished_run):
    folder, remount = disk
    without_page = shutil.ignore_patterns("report.html")  # which is nearly as large as the disk
    run = shutil.copytree(finished_run, folder / "run", ignore=without_page)
    remount("ro")
    result = evaluate("--resume", run, "--trust")
    assert result.exit_code == 1
    assert f"cannot write to {run}: Read-only file system" in result.stderr
    with pytest.raises(UserError, match=r"Read-only file system\. Choose another one with --results"):
        Run.create(folder / "another", Run(finished_run).info)


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"format": 7}, [], "has format 7, which only the version of wordpl that wrote it can read"),
        ({"versions": {"wordpl": "0.0.1"}}, [], "was started with wordpl 0.0.1, but this is python"),
        ({}, ["--games", 40], "--games cannot be combined with --resume: a run keeps its settings, 40 games"),
        ({}, ["--timeout", 5], "--timeout cannot be combined with --resume"),
        ({}, ["bayesian_random"], "naming entries cannot be combined with --resume"),
    ],
)
def test_a_run_is_resumed_only_with_its_original_settings_and_versions(interrupted, changes, options, message):
    change_run_json(interrupted, **changes)
    result = evaluate("--resume", interrupted, "--trust", *options)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len((interrupted / "records" / "bot.jsonl").read_text().splitlines()) == 9


@pytest.mark.long  # kills whole runs
def test_a_harness_killed_three_times_ends_with_the_same_files(interrupted, finished_run, tmp_path):
    rng, results = random.Random(3), interrupted.parent
    options, exit_codes = ["--resume", str(interrupted), "--trust", "--jobs", "2"], []
    for kind in (killed_runs.START, killed_runs.MIDDLE, killed_runs.END):
        has_happened, target = killed_runs.moment(kind, results, N_GAMES, rng), rng.choice(["harness", "group"])
        exit_codes.append(killed_runs.kill_at(options, has_happened, target, tmp_path))
    assert exit_codes[0] == -9
    assert set(exit_codes[1:]) <= {-9, 0}  # the run may have ended first
    assert evaluate(*options).exit_code == 0
    assert killed_runs.differences(interrupted, killed_runs.content(finished_run)) == []
