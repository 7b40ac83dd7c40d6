"""The workflows run no untrusted code, and their shell scripts work."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.helpers.cli import wordpl
from tests.helpers.hostile_folder import set_traps
from tests.helpers.paths import HOME
from wordpl.apps.season.log import digest
from wordpl.apps.season.terms import hosting_files
from wordpl.players.sandbox.probe import probe

FOLDER = HOME / ".github" / "workflows"
CONTEST = (FOLDER / "contest.yml").read_text()
ACTION = (HOME / "action.yml").read_text()
LONG, NIGHTLY = (HOME / ".ci" / "long").read_text(), (FOLDER / "nightly.yml").read_text()
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
    variables |= {"SEASON": ".", "GITHUB_REF_NAME": "main"}
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


def test_the_job_of_each_change_has_the_history_by_which_its_shard_is_chosen():
    jobs = yaml.safe_load((FOLDER / "tests.yml").read_text())["jobs"]
    (steps,) = [job["steps"] for job in jobs.values() if any(step.get("run") == ".ci/run" for step in job["steps"])]
    assert steps[0]["with"]["fetch-depth"] == 0


def test_each_step_of_the_nightly_job_has_a_limit_and_all_end_before_the_job():
    step = re.compile(r"-m (pytest|benchmarks|build|twine)\b|\.sh\b|\binstall\b")
    long_steps = [line for line in LONG.splitlines() if step.search(line) and not line.lstrip().startswith("echo")]
    limits = [re.search(r"\btimeout (\d+) ", line) for line in long_steps]
    assert len(limits) > 5
    assert all(limits), long_steps
    assert sum(int(limit[1]) for limit in limits) < 60 * int(re.search(r"timeout-minutes: (\d+)", NIGHTLY)[1])


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
    assert result.returncode == 0, result.stdout + result.stderr
    page = summary.read_text()
    assert page.startswith("# Check: passed\n")
    assert not (folder / "pwned").exists()
    assert "changed.py (" in page
    assert "added &#36;(touch pwned).py (" in page
    assert "kept.py" not in page
    assert len(set(re.findall(r"\| (Bot [^|:]*\.py\\\]) \|", page))) == 2  # of two files: each carries its file's name
    assert re.search(r"^::stop-commands::(\w{32})\n[\s\S]*^::\1::$", result.stdout, re.MULTILINE)


@pytest.mark.skipif(sys.platform != "linux", reason="the action runs on Linux")
@pytest.mark.long
def test_a_push_to_a_course_is_graded_against_baselines_that_the_push_cannot_replace(tmp_path):
    folder, summary = tmp_path / "repository", tmp_path / "summary.md"
    shutil.copytree(HOME / "examples" / "course", folder)
    (folder / "strategies" / "n_guess.py").write_text("raise SystemExit('not the baseline')")
    (folder / "n_guess.py").write_text("raise SystemExit('not the baseline')")
    inputs = {"ENTRIES": "strategies/my_bot.py\n", "BASELINES": "NGuess(epsilon=2, n_guesses=1)\nMaxClueEntropy()\n"}
    graded = run(scripts(ACTION)["Grade"], folder, "", summary, NEED="1", **inputs | {"GAMES": "150"})
    assert graded.returncode == 0, graded.stdout + graded.stderr
    page = summary.read_text()
    assert page.startswith("# Check: passed\n")
    assert "strategies/my_bot.py: 1 of 2 baselines beaten" in page
    assert "Hardest secrets" in page
    (folder / "strategies" / "my_bot.py").write_text("class Bot\n")
    assert run(scripts(ACTION)["Grade"], folder, "", summary, NEED="1", **inputs).returncode == 1


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


WORKFLOW = hosting_files("", "", "", "OWNER/wordpl@" + "0" * 40)[".github/workflows/season.yml"]
SEASON_WORKFLOW = yaml.safe_load(WORKFLOW)


def step_of(job):
    """Return the inputs with which a job of a season's workflow uses the action."""
    (inputs,) = [step["with"] for step in SEASON_WORKFLOW["jobs"][job]["steps"] if "wordpl" in step["uses"]]
    return inputs


def test_only_the_job_of_a_season_that_runs_no_entry_may_write():
    assert SEASON_WORKFLOW["permissions"] == {"contents": "read"}
    jobs = SEASON_WORKFLOW["jobs"]
    assert {name for name, job in jobs.items() if "permissions" in job} == {"publish"}
    assert all(step_of(name)["season"] == name for name in jobs)
    for name, job in jobs.items():
        assert ("persist-credentials" in job["steps"][0]["with"]) == (name != "publish")
    publish = scripts(ACTION)["Publish"]
    assert set(re.findall(r"wordpl season (\w+)", publish)) == {"accept", "site", "standings"}
    assert "pull_request_target" not in WORKFLOW


def test_the_workflow_of_a_season_uses_the_inputs_of_the_action_and_pinned_actions():
    known = yaml.safe_load(ACTION)["inputs"]
    for job in SEASON_WORKFLOW["jobs"]:
        assert set(step_of(job)) <= set(known)
    for action in re.findall(r"uses: (\S+)", WORKFLOW):
        assert re.search(r"@[0-9a-f]{40}$", action)


@dataclass
class Host:
    """A season in a bare repository, and the clones in which jobs run."""

    folder: Path
    n_clones: int = 0

    @property
    def repository(self):
        return self.folder / "season.git"

    def clone(self, *options):
        self.n_clones += 1
        target = self.folder / f"clone{self.n_clones}"
        git(self.folder, "clone", "--quiet", *options, f"file://{self.repository}", str(target))
        return target

    def job(self, step, folder, commit="", **inputs):
        """Run a step of the action in a clone, and return the process and the summary."""
        summary = self.folder / f"summary-{self.n_clones}-{len(inputs)}.md"
        summary.write_text("")
        state = {name: str(folder.with_name("state")) for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return run(scripts(ACTION)[step], folder, commit, summary, **inputs, **state), summary.read_text()

    def merge(self, files, branch="theirs", base="origin/main"):
        """Return a clone whose last commit merges a fork's branch with these files, as a pull request is tested."""
        clone = self.clone()
        git(clone, "checkout", "--quiet", "-b", branch, base)
        for name, content in files.items():
            path = clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink() or content is None:
                path.unlink()
            if isinstance(content, Path):
                path.symlink_to(content)
            elif content is not None:
                path.write_text(content)
        git(clone, "add", "--all", ".")
        git(clone, "commit", "--quiet", "-m", "an entry")
        git(clone, "checkout", "--quiet", "main")
        git(clone, "merge", "--quiet", "--no-ff", "-m", "merge", branch)
        return clone, git(clone, "rev-parse", "HEAD")


@pytest.fixture
def host(tmp_path):
    folder = tmp_path / "season"
    result = wordpl("season", "new", folder, "--no-bundled", "--score", "p_win")
    assert result.exit_code == 0, result.output
    terms = (folder / "season.toml").read_text()
    for old, new in (("games = 1000 ", "games = 6 "), ("confirmation_games = 26000", "confirmation_games = 100")):
        terms = terms.replace(old, new)
    (folder / "season.toml").write_text(terms)
    for name in ("one", "two"):
        (folder / "strategies" / f"{name}.py").write_text(BOT.format(5.0 if name == "one" else 5.5))
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "-m", "a season")
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), str(tmp_path / "season.git"))
    return Host(tmp_path)


def played_round(host):
    """Run the job that plays; return the folder of the round and the commit on which it was played."""
    clone = host.clone()
    output, out = host.folder / "output", host.folder / f"round{host.n_clones}"
    output.unlink(missing_ok=True)
    result, _ = host.job("Note the commit", clone, GITHUB_OUTPUT=str(output))
    assert result.returncode == 0, result.stderr
    result, _ = host.job("Round", clone, ROUND=str(out))
    assert result.returncode == 0, result.stderr
    assert "commitment " in result.stderr
    return out, output.read_text().strip().removeprefix("commit=")


def published(host, out, base):
    """Run the job that publishes; return its process, and the newest commit on the branch."""
    result, summary = host.job("Publish", host.clone(), ROUND=str(out), BASE=base)
    return result, summary, git(host.repository, "rev-parse", "main")


isolated = pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")


@pytest.mark.long
@pytest.mark.timeout(900)
@isolated
def test_a_season_is_hosted_by_pull_requests_and_merges(host):
    out, base = played_round(host)
    result, summary, tip = published(host, out, base)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Standings by P(win)" in summary
    assert base == git(host.repository, "rev-parse", f"{tip}^")
    assert "2 versions" in git(host.repository, "show", "main:README.md")
    assert "one&#64;1" in git(host.repository, "show", "main:README.md")
    assert "one@1" in git(host.repository, "show", "main:docs/index.html")

    better = BOT.replace("'abide'", "'crane'")
    more = {"season.toml": "title = 'mine'", "docs/x": "x", "strategies/one.py": better.format(8.0)}
    clone, commit = host.merge({"strategies/late.py": better.format(9.0), **more})
    result, summary = host.job("Sample", clone, commit)
    assert result.returncode == 1
    assert "# Gate: refused" in summary
    for sentence in ("season.toml is no entry", "docs/x is no entry", "it changes 2 entries, late, one: send one at a"):
        assert sentence in summary.replace("\\", ""), summary
    clone, commit = host.merge({"strategies/late.py": better.format(9.0)})
    result, summary = host.job("Sample", clone, commit)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "# Gate: passed" in summary
    assert "# Check: passed" in summary
    assert re.search(r"\| late&#64;1 \| late \| P\(win\) \| [\d.]+ \| 1( to 3)? of 3 \|", summary), summary
    assert git(clone, "status", "--porcelain") == "A  strategies/late.py"
    assert git(host.repository, "rev-parse", "main") == tip

    git(clone, "checkout", "--quiet", "-f", "main")
    git(clone, "reset", "--quiet", "--hard", "main^1")
    (clone / "strategies" / "late.py").write_text(better.format(9.0))
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "-m", "merged by the host")
    git(clone, "push", "--quiet", "origin", "main")
    out, base = played_round(host)
    later = host.clone()
    (later / "strategies" / "after.py").write_text(BOT.format(1.0))
    git(later, "add", ".")
    git(later, "commit", "--quiet", "-m", "merged while the round was played")
    git(later, "push", "--quiet", "origin", "main")
    result, _, tip = published(host, out, base)
    assert result.returncode == 0, result.stdout + result.stderr
    assert git(host.repository, "rev-parse", f"{tip}^") == git(later, "rev-parse", "HEAD")
    result = wordpl("season", "verify", "-C", host.clone())
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.timeout(900)
@isolated
def test_a_hostile_pull_request_changes_nothing_of_a_season(host):
    evil = "import os\nos.system('touch /tmp/pwned')\nprint('::set-output name=base::0')\n" + BOT.format(3.0)
    files = {
        "strategies/evil.py": evil,
        "strategies/$(touch pwned).py": BOT.format(4.0),
        "strategies/link.py": Path("/etc/passwd"),
        "strategies/shared.txt": "one.py\n",
        "strategies/one.py": None,
        "log.jsonl": "",
        ".github/workflows/season.yml": "on: pull_request_target",
        "wordpl/__init__.py": "raise SystemExit('not the harness that was installed')",
        "wordpl.py": "raise SystemExit('not the harness that was installed')",
    }
    clone, commit = host.merge(files)
    result, summary = host.job("Sample", clone, commit)
    assert result.returncode != 0
    refused = summary.replace("\\", "")
    for name in ("log.jsonl", ".github/workflows/season.yml", "strategies/shared.txt", "wordpl.py"):
        assert f"{name} is no entry" in refused, summary
    assert "link" in summary
    assert "one: it is removed" in refused
    assert not (clone / "pwned").exists()
    assert not (clone / "pwned").exists()
    assert not (clone / "wordpl").exists()
    assert not (clone / "strategies" / "shared.txt").exists()
    assert not (clone / "log.jsonl").exists()  # as on the base branch, whose season is not open yet
    assert re.search(r"^::stop-commands::(\w{32})\n[\s\S]*^::\1::$", result.stdout, re.MULTILINE)


@pytest.mark.long
@pytest.mark.timeout(900)
@isolated
def test_no_mode_of_the_action_runs_what_lies_at_the_top_of_a_repository(host, tmp_path):
    clone = host.clone()
    set_traps(clone, tmp_path / "ran", is_repository=False)
    git(clone, "add", "--all", "--force", ".")
    git(clone, "commit", "--quiet", "-m", "files called like modules, settings and programs")
    git(clone, "push", "--quiet", "origin", "main")
    clone, commit = host.merge({"strategies/queue.py": BOT.format(7.0)})
    for step in ("Check", "Sample"):
        result, summary = host.job(step, clone, commit, GAMES="4")
        assert result.returncode == 0, result.stdout + result.stderr
        assert "# Check: passed" in summary
    inputs = {
        "ENTRIES": "strategies/queue.py\n",
        "BASELINES": "NGuess(epsilon=2, n_guesses=1)\n",
        "GAMES": "4",
        "NEED": "0",
    }
    result, _ = host.job("Grade", clone, commit, **inputs)
    assert "Traceback" not in result.stderr
    out, base = played_round(host)
    result, _, tip = published(host, out, base)
    assert result.returncode == 0, result.stdout + result.stderr
    assert base == git(host.repository, "rev-parse", f"{tip}^")
    assert not list(tmp_path.glob("ran-*"))


def change_log(out, kind, **values):
    """Change the last event of a kind, or make it another event, and write the digests of all lines anew."""
    path = out / "log.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    index = max(number for number, event in enumerate(events) if event["event"] == kind)
    kept = {name: events[index][name] for name in ("time", "release")} if "event" in values else events[index]
    events[index] = kept | values
    before, lines = "", []
    for event in events:
        linked = {"event": event.pop("event"), "time": event.pop("time"), "before": before, "release": event["release"]}
        lines.append(json.dumps(linked | {**event, "before": before}, separators=(",", ":")).encode())
        before = digest(lines[-1])
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def of_round(name):
    """Return a forgery that replaces the first file of records."""

    def forge(out):
        records = sorted(out.glob("rounds/*/records/*.jsonl"))[0]
        text = records.read_text()
        records.unlink()
        if name == "text":
            records.write_text(text.replace("abide", "crane"))
        elif name == "link":
            records.symlink_to("/etc/passwd")
        else:
            os.mkfifo(records)

    return forge


def with_large_file(out):
    with (next((out / "rounds").iterdir()) / "records" / "large").open("wb") as file:
        file.truncate(1 << 40)


def with_many_files(out):
    for number in range(2000):
        (next((out / "rounds").iterdir()) / "records" / f"{number}").touch()


def with_a_link_for_a_folder(out):
    (folder,) = (out / "rounds").iterdir()
    folder.rename(out / "moved")
    folder.symlink_to(out / "moved")


FORGERIES = [
    (of_round("text"), "expected"),
    (of_round("link"), "is a link, where a regular file is needed"),
    (of_round("pipe"), "is a pipe, where a regular file is needed"),
    (with_large_file, "exceed the limit of 128 MiB"),
    (with_many_files, "more than 1,000 files"),
    (with_a_link_for_a_folder, "is not a folder"),
    (lambda out: shutil.rmtree(out / "rounds"), "is not a folder"),
    (lambda out: (out / "log.jsonl").write_text(""), "does not continue the season's log"),
    (lambda out: change_log(out, "round", run="../../.git"), "is not a plain name"),
    (lambda out: change_log(out, "round", run="a b"), "cannot be the name of a new round"),
    (lambda out: change_log(out, "round", players={"bot": "one@1"}), "the next players are one@1, two@1"),
    (lambda out: change_log(out, "round", players={}, faults={"one@1": "", "two@1": ""}), "has other entries"),
    (lambda out: change_log(out, "round", commitment="0" * 64), "has another commitment"),
    (lambda out: change_log(out, "played", seal="0" * 64), "has another seal"),
    (lambda out: change_log(out, "played", time="2099-01-01T00:00:00+00:00"), "times of the new events are impossible"),
    (lambda out: change_log(out, "submitted", name="uno"), "uno@1 differs from the next version of strategies/two.py"),
    (lambda out: change_log(out, "submitted", name="../uno"), "is not a plain name"),
    (lambda out: change_log(out, "submitted", file="../season.toml"), "is not a plain name"),
    (lambda out: change_log(out, "submitted", file="season.toml"), "strategies/ has no such entry"),
    (lambda out: change_log(out, "submitted", make="Bot(1)"), "two@1 differs from the next version"),
    (lambda out: change_log(out, "submitted", event="withdrawn", version="one@1"), "should add versions and one round"),
    (lambda out: change_log(out, "played", more="x"), "is not written as wordpl writes it"),
]


@pytest.mark.slow
@pytest.mark.timeout(900)
@isolated
def test_the_job_that_may_write_refuses_a_forged_round(host):
    out, base = played_round(host)
    clone, before = host.clone(), git(host.repository, "rev-parse", "main")
    for forge, message in FORGERIES:
        copy = host.folder / "forged"
        shutil.copytree(out, copy)
        forge(copy)
        result = wordpl("season", "accept", copy, "-C", clone)
        assert result.exit_code == 1, message
        assert message in result.output, result.output
        assert git(clone, "status", "--porcelain") == "", message
        shutil.rmtree(copy)
    for wrong in ("HEAD; touch pwned", "0" * 40):
        assert published(host, out, wrong)[0].returncode != 0
    copy = host.folder / "forged"
    shutil.copytree(out, copy)
    of_round("text")(copy)
    result, _, tip = published(host, copy, base)
    assert result.returncode != 0
    assert tip == before
