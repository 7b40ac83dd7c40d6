"""Whichever signal ends a run, it keeps its games and leaves no process, no temporary folder and no control group."""

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.helpers import killed_runs
from tests.helpers.paths import HOME
from wordpl.core.moves import Verdict
from wordpl.run.folder import Run

SLEEPER = """
import time


class Bot:
    def first_move(self):
        time.sleep(0.02)
        return "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""
THINKER = """
import time


class Bot:
    def first_move(self):
        return "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        time.sleep(0.1)
        return "abide", 0
"""
BUILDER = """
game = "wordpl/1"
build = ["sh", "-c", "touch {build}/begun; sleep 300 & setsid sleep 300"]
command = ["{build}/bot"]
"""
DELAY_WORKERS_END = """
import os, pathlib, runpy, signal, sys, time

kill = os.kill

def kill_late(pid, number):
    words = pathlib.Path(f"/proc/{pid}/cmdline")
    if number == signal.SIGKILL and words.exists() and b"popen_loky" in words.read_bytes():
        time.sleep(2)
    kill(pid, number)

os.kill = kill_late
sys.modules["psutil"] = None  # loky then kills the descendants of a worker one by one, with os.kill
sys.path.insert(0, os.getcwd())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program whose worker processes end later than their descendants."""
WAIT_S = 120.0
ENDED_S = 120.0
ENDINGS = {
    "terminated": (143, signal.SIGTERM),
    "hung up": (129, signal.SIGHUP),
    "terminated twice": (143, signal.SIGTERM, signal.SIGTERM),
    "hung up, then terminated": (129, signal.SIGHUP, signal.SIGTERM),
    "interrupted twice": (130, signal.SIGINT, signal.SIGINT),
    "interrupted, then terminated": (143, signal.SIGINT, signal.SIGTERM),
    "terminated, then interrupted": (143, signal.SIGTERM, signal.SIGINT, signal.SIGINT),
}
"""The exit code of the program after these signals."""
QUICK = "hung up, then terminated"


@pytest.fixture
def folder(tmp_path):
    """A folder with an entry, and another for temporary files."""
    (tmp_path / "bot.py").write_text(SLEEPER)
    (tmp_path / "builder.toml").write_text(BUILDER)
    (tmp_path / "temporary").mkdir()
    return tmp_path


def begin(folder, *arguments, terminal=None, before=None):
    """Start an evaluation.

    terminal: its controlling terminal's file, where it has one
    before: the source of a program that runs it
    """
    command = [sys.executable, *(["-c", before] if before else []), str(HOME / "evaluate.py"), *arguments,
               "--results", str(folder / "results"), "--no-report"]  # fmt: skip
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL if terminal is None else terminal)
    environment = {**os.environ, "TMPDIR": str(folder / "temporary")}
    set_terminal = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = command if terminal is None else [sys.executable, "-c", set_terminal, *command]
    return subprocess.Popen(command, cwd=HOME, start_new_session=True, env=environment, **streams)


def wait_until(condition, process):
    """Wait until something has happened while the process runs."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def leftovers(folder, pid):
    """Return the names of what this process has left behind, once processes that are ending have ended."""
    deadline = time.monotonic() + ENDED_S
    while (names := current_leftovers(folder, pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return names


def current_leftovers(folder, pid):
    names = [str(path) for path in (folder / "temporary").iterdir()]
    groups = (folder for folder, _, _ in os.walk("/sys/fs/cgroup"))  # unlike glob, passes over groups that vanish
    names += [group for group in groups if Path(group).name.startswith(f"wordpl-{pid}-")]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command_line, working_folder = (process / "cmdline").read_bytes(), str((process / "cwd").readlink())
            if f"{folder}/".encode() in command_line or working_folder.startswith(f"{folder}/"):
                names.append(f"{process.name} {command_line!r}")
    return names


def n_recorded(folder):
    return killed_runs.n_recorded(folder / "results")


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "ending",
    [pytest.param(ending, marks=pytest.mark.slow if ending == QUICK else pytest.mark.long) for ending in ENDINGS],
)
def test_a_signal_ends_a_run_and_leaves_only_its_games(folder, ending):
    process = begin(folder, str(folder / "bot.py"), "--games", "5000", "--jobs", "2")
    wait_until(lambda: n_recorded(folder) > 3, process)
    code, *signals = ENDINGS[ending]
    for signal_number in signals:
        process.send_signal(signal_number)
        time.sleep(0.1)
    ended = 128 + signals[0]  # if the clean-up after the first signal has ended when the second one comes
    assert process.wait(ENDED_S) in (code, ended)
    assert leftovers(folder, process.pid) == []
    run = Run(next((folder / "results").glob("*/")))
    assert len(run.entries[0].read()) == n_recorded(folder) > 3


@pytest.mark.long
@pytest.mark.timeout(400)
def test_a_closed_terminal_ends_a_run_and_leaves_only_its_games(folder):
    controller, terminal = pty.openpty()
    process = begin(folder, str(folder / "bot.py"), "--games", "5000", "--jobs", "2", terminal=terminal)
    os.close(terminal)
    os.set_blocking(controller, False)

    def has_games():
        with suppress(OSError):
            os.read(controller, 1 << 16)
        return n_recorded(folder) > 3

    wait_until(has_games, process)
    os.close(controller)
    process.wait(ENDED_S)
    assert leftovers(folder, process.pid) == []
    assert n_recorded(folder) > 3


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_build_and_all_its_processes(folder, signal_number):
    process = begin(folder, str(folder / "builder.toml"), "--games", "5")
    wait_until(lambda: list((folder / "temporary").glob("**/begun")), process)
    process.send_signal(signal_number)
    assert process.wait(ENDED_S) == 128 + signal_number
    assert leftovers(folder, process.pid) == []


def faults(run):
    return [record.game for entry in run.entries for record in entry.read() if record.verdict == Verdict.FAULT]


def resume(run, folder):
    command = [sys.executable, str(HOME / "evaluate.py"), "--resume", str(run.folder), "--jobs", "2", "--no-report"]
    subprocess.run(command, cwd=HOME, capture_output=True, check=True, timeout=2 * ENDED_S)


def interrupt(folder, process):
    process.send_signal(signal.SIGTERM)


def kill_a_worker(folder, process):
    os.kill(killed_runs.descendants(process.pid, b"popen_loky")[0], signal.SIGKILL)


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("end", [interrupt, kill_a_worker])
def test_no_game_is_lost_because_players_end_before_their_workers(folder, end):
    (folder / "bot.py").write_text(THINKER)
    process = begin(folder, str(folder / "bot.py"), "--games", "40", "--jobs", "2", "--seed", "7",
                    before=DELAY_WORKERS_END)  # fmt: skip
    wait_until(lambda: n_recorded(folder) > 3, process)
    end(folder, process)
    assert process.wait(ENDED_S) == (143 if end is interrupt else 1)
    assert leftovers(folder, process.pid) == []
    run = Run(next((folder / "results").glob("*/")))
    assert faults(run) == []
    resume(run, folder)
    assert faults(run) == []
    assert run.entries[0].played().n_games == 40
