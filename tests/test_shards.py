"""Shards of the long and browser tests: each test belongs to one, and ten commits in a row run all."""

import os
import shutil
import subprocess
from collections import Counter

import pytest

from tests.helpers.paths import HOME
from tests.helpers.shards import PIECE_S, Duration, Shards, read

N_SHARDS, N_WORKERS, MAX_S = 10, 2, 180
"""The shards of .ci/shard, its workers, and the longest time."""
ENVIRONMENT = os.environ | {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def test_each_test_with_each_parameter_belongs_to_one_shard_of_about_the_same_length():
    table = {f"tests/test_{n % 7}.py::test_{n}": Duration(n + 1, 17.0 * n) for n in range(30)}
    shards = Shards(table, 5)
    n_tests = Counter(shards.of(name, number) for name, one in table.items() for number in range(one.n_tests))
    assert sorted(n_tests) == [0, 1, 2, 3, 4]
    lengths = [seconds.total() for seconds in shards.seconds]
    assert max(lengths) - min(lengths) <= PIECE_S
    assert all(shards.has_tests_of(name.partition("::")[0], shards.of(name)) for name in table)
    for name in ("tests/test_0.py::test_new", "tests/test_new.py::test_new"):
        assert shards.has_tests_of(name.partition("::")[0], shards.of(name))


def test_the_shards_of_ci_take_less_than_three_minutes():
    shards = Shards(read(), N_SHARDS)
    assert max(seconds.total() for seconds in shards.seconds) <= N_WORKERS * MAX_S
    assert max(max(seconds.values()) for seconds in shards.seconds) <= MAX_S  # one worker runs all tests of a file


@pytest.fixture
def checkout(tmp_path):
    """A folder with .ci/shard, where python prints which shard it is told to run."""
    for name in ("shard", "common"):
        (tmp_path / "checkout" / ".ci").mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / ".ci" / name, tmp_path / "checkout" / ".ci")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").write_text('#!/bin/sh\necho "python $*"\n')
    (tmp_path / "bin" / "python").chmod(0o755)
    return tmp_path / "checkout"


def shard_of(checkout, *words):
    variables = ENVIRONMENT | {
        "PATH": f"{checkout.parent}/bin:{os.environ['PATH']}",
        "VIRTUAL_ENV": "x",
        "WORDPL_AXE": "x",
    }
    command = [str(checkout / ".ci" / "shard"), *words]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return int(done.stdout.partition("--shard ")[2].partition("/")[0]), done.stdout


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)


def commit(folder):
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "x")


def test_ten_commits_in_a_row_run_all_shards_whatever_they_merge(checkout):
    git(checkout, "init", "--quiet", "-b", "main")
    commit(checkout)
    chosen = []
    for number in range(N_SHARDS):
        if number == 3:
            git(checkout, "checkout", "--quiet", "-b", "branch")
            commit(checkout)
            commit(checkout)
            git(checkout, "checkout", "--quiet", "main")
            git(checkout, "merge", "--quiet", "--no-ff", "-m", "x", "branch")
        else:
            commit(checkout)
        chosen.append(shard_of(checkout)[0])
    assert sorted(chosen) == list(range(1, N_SHARDS + 1))


def test_a_checkout_without_history_says_that_the_day_chooses(checkout):
    assert "that of the day, as this checkout has no history" in shard_of(checkout)[1]
    git(checkout, "init", "--quiet")
    commit(checkout)
    commit(checkout)
    git(checkout.parent, "clone", "--quiet", "--depth", "1", f"file://{checkout}", "shallow")
    shutil.copytree(checkout / ".ci", checkout.parent / "shallow" / ".ci")
    assert "that of the day" in shard_of(checkout.parent / "shallow")[1]
    assert shard_of(checkout.parent / "shallow", "7")[0] == 7
