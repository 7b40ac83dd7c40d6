"""No file of the current folder, or of a checkout's top folder, is run in place of a module, or obeyed as settings."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from contextlib import chdir
from pathlib import Path

import pytest

from tests.helpers.hostile_folder import BOT, TRAP, contents, hostile_git_settings, set_traps
from tests.helpers.paths import HOME
from wordpl.contest import Contest, run_worker
from wordpl.core.messages import UserError
from wordpl.players.sandbox import probe
from wordpl.run.config import RunConfig
from wordpl.run.folder import explain

pytestmark = pytest.mark.skipif(not probe.probe().level.is_official, reason="needs Landlock or bubblewrap")
LEVEL = probe.probe().level
WORDPL = str(Path(sys.executable).with_name("wordpl"))


@pytest.fixture
def folder(tmp_path):
    """A folder full of traps in another one."""
    set_traps(tmp_path / "above", tmp_path / "ran")
    set_traps(tmp_path / "above" / "contest", tmp_path / "ran")
    return tmp_path / "above" / "contest"


def run(folder, *command, **variables):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent.parent / "cache"), "COLUMNS": "120", **variables}
    return subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, capture_output=True, text=True, timeout=280
    )


def require_no_trap(folder, done):
    assert done.returncode == 0, done.stdout + done.stderr
    assert "memory" not in done.stderr
    assert not list(folder.parent.parent.glob("ran-*"))


@pytest.mark.slow
def test_an_entry_called_like_a_module_plays_in_an_official_run_and_nothing_around_it_runs(folder):
    before = contents(folder.parent)
    games = ["--games", "4", "--repeats", "2", "--jobs", "2", "--no-report"]
    done = run(
        folder, WORDPL, "evaluate", "queue.py", "letter_frequency", "--official", "--isolation", LEVEL.name, *games
    )
    require_no_trap(folder, done)
    (played,) = (folder / "results").iterdir()
    assert sorted(path.stem for path in (played / "records").iterdir()) == ["bot", "letterfrequency"]
    after = contents(folder.parent)
    assert {name: after[name] for name in before} == before
    assert all(name.startswith(f"{folder}/results") for name in after.keys() - before.keys())


@pytest.mark.slow
def test_an_entry_that_stands_in_for_a_module_of_the_workers_is_not_run_by_them(tmp_path):
    folder = tmp_path / "above" / "contest"
    folder.mkdir(parents=True)
    genuine = Path(os.__file__).with_name("queue.py").read_text()
    (folder / "queue.py").write_text(genuine + TRAP.format(marker=str(tmp_path / "ran")) + BOT)
    done = run(folder, WORDPL, "evaluate", "queue.py", "--games", "4", "--repeats", "0", "--jobs", "2", "--no-report")
    require_no_trap(folder, done)


MORE = ("random", "numpy", "wordpl", "strategies", "sitecustomize", "__main__")


@pytest.mark.parametrize(
    "name",
    [pytest.param("json", marks=pytest.mark.slow), *(pytest.param(name, marks=pytest.mark.long) for name in MORE)],
)
def test_an_entry_called_like_a_module_is_checked_and_tried(folder, name):
    checked = run(folder, WORDPL, "check", f"{name}.py", "--games", "4", "--isolated")
    require_no_trap(folder, checked)
    assert "All checks passed" in checked.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "variables"), [([WORDPL], {"PYTHONPATH": ":/nowhere"}), ([sys.executable, "-m", "wordpl"], {})]
)
def test_wordpl_takes_the_current_folder_off_the_path_of_python(folder, command, variables):
    for path in [*folder.glob("*.py"), *folder.glob("*.pyc")]:
        if path.name not in ("queue.py", "joblib.py", "numpy.py", "pandas.py"):  # nothing keeps Python from the others
            path.unlink()
    options = ["--games", "4", "--repeats", "0", "--jobs", "2", "--no-report"]
    require_no_trap(folder, run(folder, *command, "evaluate", "queue.py", *options, **variables))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout that is not installed, with traps in its top folder."""
    folder = tmp_path_factory.mktemp("project") / "above" / "checkout"
    set_traps(folder.parent, folder.parent.parent / "ran")
    set_traps(folder, folder.parent.parent / "ran")
    for name in ("answers.txt", "valid.txt", "evaluate.py", "interactive.py"):
        shutil.copy2(HOME / name, folder / name)
    (folder / "wordpl").unlink()
    for name in ("wordpl", "strategies"):
        shutil.copytree(HOME / name, folder / name)  # with its times, so that compiled kernels stay valid
    return folder


NOT_INSTALLED = "def install(): pass"


@pytest.mark.slow
def test_files_at_the_top_of_a_checkout_that_is_not_installed_are_no_modules(checkout, tmp_path):
    for path in Path(sysconfig.get_path("purelib")).glob("__editable___wordpl*.py"):
        (tmp_path / path.name).write_text(NOT_INSTALLED)
    options = [
        "queue.py",
        "--games",
        "4",
        "--repeats",
        "0",
        "--jobs",
        "2",
        "--no-report",
        "--results",
        tmp_path / "results",
    ]
    require_no_trap(checkout, run(checkout, sys.executable, "evaluate.py", *options, PYTHONPATH=str(tmp_path)))


@pytest.mark.slow
def test_a_person_plays_in_a_checkout_with_files_called_like_modules(checkout):
    done = subprocess.run(
        [sys.executable, checkout / "interactive.py", "--secret", "crane", "--game", "wordle/1"],
        cwd=checkout, input="crane\n", capture_output=True, text=True,
    )  # fmt: skip
    require_no_trap(checkout, done)


PROGRAM = """
import json, os, sys
import queue  # the one beside this file, as Python's documentation says
word = "crane" if queue.IS_OWN and "PYTHONSAFEPATH" not in os.environ else "fails"
for line in sys.stdin:
    print(json.dumps({"move": word}), flush=True)
"""


@pytest.mark.slow
def test_a_program_of_a_contestant_imports_what_lies_beside_it(tmp_path, lists):
    place = tmp_path / "program"
    place.mkdir()
    (place / "bot.toml").write_text('game = "wordle/1"\ncommand = ["python3", "main.py"]\n')
    (place / "main.py").write_text(PROGRAM)
    (place / "queue.py").write_text("IS_OWN = True\n")
    with chdir(tmp_path):
        finished = Contest(RunConfig(n_games=2, repeats=0), ["program"], jobs=2).play()
    (player,) = finished.info.entries
    assert {record.moves[0].guess for record in finished.entry(player).read()} == {"crane"}


@pytest.mark.slow
def test_the_environment_and_the_folder_of_whoever_calls_the_library_stay(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setenv("PYTHONPATH", "relative:/nowhere")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    before = dict(os.environ), list(sys.path), Path.cwd()
    Contest(RunConfig(n_games=2, repeats=0, level="D"), ["bot.py"], jobs=2).play()
    assert (dict(os.environ), sys.path, Path.cwd()) == before


@pytest.mark.slow
def test_a_worker_that_ends_by_itself_is_not_said_to_have_been_killed_for_its_memory(tmp_path):
    tasks = [(3,), (3,)]
    with (
        pytest.raises(UserError, match="a worker ended by itself"),
        explain(tmp_path),
        run_worker.unordered(os._exit, tasks, 2) as results,
    ):
        list(results)
    with (
        pytest.raises(UserError, match="probably because memory ran out"),
        explain(tmp_path),
        run_worker.unordered(signal.raise_signal, [(signal.SIGKILL,)] * 2, 2) as results,
    ):
        list(results)


@pytest.mark.slow
def test_git_runs_no_program_for_the_revision_of_a_file(folder):
    done = run(folder, WORDPL, "match", "queue.py@main", "random.py", "--games", "4")
    assert done.returncode == 1, done.stdout
    assert "revision" in done.stderr or "git" in done.stderr
    assert not list(folder.parent.parent.glob("ran-*"))
    repository = folder / ".git"
    shutil.rmtree(repository)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "--quiet"], ["add", "queue.py"], [*author, "commit", "--quiet", "-m", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    listed = subprocess.run(
        ["git", "rev-parse", "HEAD:queue.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    blob = listed.stdout.strip()
    (repository / "objects" / blob[:2] / blob[2:]).unlink()  # git would fetch it, by a program of the author
    (repository / "config").write_text(hostile_git_settings(folder))
    done = run(folder, WORDPL, "match", "queue.py@HEAD", "random.py", "--games", "4")
    assert done.returncode == 1, done.stdout
    assert "git has not fetched queue.py" in done.stderr
    assert not list(folder.parent.parent.glob("ran-*"))
