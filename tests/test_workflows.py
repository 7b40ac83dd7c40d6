"""The workflows run no untrusted code, and their shell scripts work."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.helpers.paths import HOME

FOLDER = HOME / ".github" / "workflows"
CONTEST = (FOLDER / "contest.yml").read_text()
ACTION = (HOME / "action.yml").read_text()
BOT = "class Bot:\n    def first_move(self): return 'abide', {}\n    def next_move(self, *asked): return 'abide', 0\n"


def scripts(text):
    """Return the shell script of each named step of a workflow or an action."""
    definition = yaml.safe_load(text)
    parts = [definition["runs"]] if "runs" in definition else definition["jobs"].values()
    return {step["name"]: step["run"] for part in parts for step in part["steps"] if "name" in step}


def git(folder, *arguments):
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    result = subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return result.stdout.strip()


@pytest.fixture
def pull_request(tmp_path):
    """Return a repository whose last commit merges a pull request, as on GitHub, and that commit."""
    folder, strategies = tmp_path / "repository", tmp_path / "repository" / "strategies"
    strategies.mkdir(parents=True)
    (folder / "wordpl").mkdir()
    (folder / "wordpl" / "__init__.py").write_text("raise SystemExit('not the harness that is asked for')")
    for name in ("kept", "changed", "gone"):
        (strategies / f"{name}.py").write_text(BOT.format(0))
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "base")
    git(folder, "checkout", "-b", "theirs")
    (strategies / "changed.py").write_text(BOT.format("0.0"))
    (strategies / "added $(touch pwned).py").write_text(BOT.format("1.0"))
    (folder / "wordpl" / "evil.py").write_text("")
    git(folder, "rm", "strategies/gone.py")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "theirs")
    git(folder, "checkout", "main")
    git(folder, "merge", "--no-ff", "-m", "merge", "theirs")
    return folder, git(folder, "rev-parse", "HEAD")


def run(script, folder, commit, summary, **inputs):
    variables = {"GITHUB_SHA": commit, "GITHUB_STEP_SUMMARY": str(summary), "GAMES": "3", "ENTRIES": "", **inputs}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    environment = {**os.environ, **variables, "PATH": path}
    one_cpu = {min(os.sched_getaffinity(0))}  # on one processor, fewer workers start
    return subprocess.run(
        shell,
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, one_cpu),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the workflow runs on Linux")
@pytest.mark.slow
def test_the_contest_workflow_checks_the_changes_of_a_pull_request(pull_request, tmp_path):
    folder, commit = pull_request
    (take_script,) = scripts(CONTEST).values()
    check_script = scripts(ACTION)["Check"]
    assert run(take_script, folder, commit, "").returncode == 0
    assert sorted(path.name for path in (folder / "strategies").iterdir()) == [
        "added $(touch pwned).py",
        "changed.py",
        "kept.py",
    ]
    assert not (folder / "wordpl" / "evil.py").exists()
    (folder / "wordpl" / "__init__.py").unlink()  # what is installed here is the harness under test
    summary = tmp_path / "summary.md"
    result = run(check_script, folder, commit, summary)
    page = summary.read_text()
    assert result.returncode == 0, result.stderr
    assert page.startswith("# Check: passed\n")
    assert not (folder / "pwned").exists()
    assert "changed.py (" in page
    assert "added &#36;(touch pwned).py (" in page
    assert "kept.py" not in page
    assert len(set(re.findall(r"\| (Bot [^|:]*\.py\\\]) \|", page))) == 2  # of two files: each carries its file's name
    assert re.search(r"^::stop-commands::(\w{32})\n[\s\S]*^::\1::$", result.stdout, re.MULTILINE)


@pytest.mark.skipif(sys.platform != "linux", reason="the action runs on Linux")
def test_a_pull_request_that_removes_all_strategies_checks_nothing(pull_request, tmp_path):
    folder, _ = pull_request
    git(folder, "checkout", "-b", "empty", "main^1")
    git(folder, "rm", "-r", "strategies")
    git(folder, "commit", "-m", "remove")
    git(folder, "checkout", "main")
    git(folder, "reset", "--hard", "main^1")
    git(folder, "merge", "--no-ff", "-m", "merge", "empty")
    commit, summary = git(folder, "rev-parse", "HEAD"), tmp_path / "summary.md"
    (take_script,) = scripts(CONTEST).values()
    assert run(take_script, folder, commit, "").returncode == 0
    assert run(scripts(ACTION)["Check"], folder, commit, summary).returncode == 0
    assert summary.read_text() == "No entry was added or changed.\n"


def test_every_action_is_pinned_to_a_commit():
    for text in [ACTION, *(path.read_text() for path in FOLDER.iterdir())]:
        for action in re.findall(r"uses: (\S+)", text):
            assert action == "./" or re.search(r"@[0-9a-f]{40}$", action)


def test_workflows_have_only_read_permission():
    for path in FOLDER.iterdir():
        text = path.read_text()
        assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
        assert "pull_request_target" not in text
        assert "secrets" not in re.sub(r"#.*", "", text)
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")
    for text in [ACTION, *(path.read_text() for path in FOLDER.iterdir())]:
        assert not [script for script in scripts(text).values() if "${{" in script]
