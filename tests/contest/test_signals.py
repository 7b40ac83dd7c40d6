"""However a run is told to end, it keeps its games and leaves no process, no temporary folder and no control group."""

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks import soak_runs
from tests.helpers.paths import HOME
from wordpl.core.records import Run

SLEEPS = """
import time


class Bot:
    def first_move(self):
        time.sleep(0.02)
        return "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""
BUILDS = """
game = "wordpl/1"
build = ["sh", "-c", "touch {build}/begun; sleep 300 & setsid sleep 300"]
command = ["{build}/bot"]
"""
WAIT_S = 120.0
ENDED_S = 120.0
ENDINGS = {
    "terminated": (signal.SIGTERM,),
    "hung up": (signal.SIGHUP,),
    "terminated twice": (signal.SIGTERM, signal.SIGTERM),
    "hung up, then terminated": (signal.SIGHUP, signal.SIGTERM),
    "interrupted twice": (signal.SIGINT, signal.SIGINT),
    "interrupted, then terminated": (signal.SIGINT, signal.SIGTERM),
    "terminated, then interrupted": (signal.SIGTERM, signal.SIGINT, signal.SIGINT),
}
QUICK = "hung up, then terminated"


@pytest.fixture
def folder(tmp_path):
    """A folder with an entry, and another for temporary files."""
    (tmp_path / "bot.py").write_text(SLEEPS)
    (tmp_path / "builder.toml").write_text(BUILDS)
    (tmp_path / "temporary").mkdir()
    return tmp_path


def begin(folder, *words, terminal=None):
    """Start an evaluation; terminal: its controlling terminal's file, where it has one."""
    command = [sys.executable, str(HOME / "evaluate.py"), *words, "--results", str(folder / "results"), "--no-report"]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL if terminal is None else terminal)
    own = {**os.environ, "TMPDIR": str(folder / "temporary")}
    program = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = command if terminal is None else [sys.executable, "-c", program, *command]
    return subprocess.Popen(command, cwd=HOME, start_new_session=True, env=own, **streams)


def until(has_come, process):
    """Wait until something has happened while the process runs."""
    limit = time.monotonic() + WAIT_S
    while not has_come():
        assert process.poll() is None
        assert time.monotonic() < limit
        time.sleep(0.02)


def left(folder, pid):
    """Return what is left of the run of this process, after what is ending has ended."""
    limit = time.monotonic() + ENDED_S
    while (found := _left(folder, pid)) and time.monotonic() < limit:
        time.sleep(0.1)
    return found


def _left(folder, pid):
    found = [str(path) for path in (folder / "temporary").iterdir()]
    groups = (folder for folder, _, _ in os.walk("/sys/fs/cgroup"))  # unlike glob, passes over groups that vanish
    found += [group for group in groups if Path(group).name.startswith(f"wordpl-{pid}-")]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words, place = (process / "cmdline").read_bytes(), str((process / "cwd").readlink())
            if f"{folder}/".encode() in words or place.startswith(f"{folder}/"):
                found.append(f"{process.name} {words!r}")
    return found


def n_recorded(folder):
    return soak_runs.n_recorded(folder / "results")


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "how", [pytest.param(how, marks=pytest.mark.slow if how == QUICK else pytest.mark.long) for how in ENDINGS]
)
def test_a_signal_ends_a_run_and_leaves_its_games_alone(folder, how):
    process = begin(folder, str(folder / "bot.py"), "--games", "5000", "--jobs", "2")
    until(lambda: n_recorded(folder) > 3, process)
    for number in ENDINGS[how]:
        process.send_signal(number)
        time.sleep(0.1)
    assert process.wait(ENDED_S) == 130
    assert left(folder, process.pid) == []
    run = Run(next((folder / "results").glob("*/")))
    assert len(run.read(run.entries[0])) == n_recorded(folder) > 3


@pytest.mark.long
@pytest.mark.timeout(400)
def test_a_closed_terminal_ends_a_run_and_leaves_its_games_alone(folder):
    ours, theirs = pty.openpty()
    process = begin(folder, str(folder / "bot.py"), "--games", "5000", "--jobs", "2", terminal=theirs)
    os.close(theirs)
    os.set_blocking(ours, False)

    def has_come():
        with suppress(OSError):
            os.read(ours, 1 << 16)
        return n_recorded(folder) > 3

    until(has_come, process)
    os.close(ours)
    process.wait(ENDED_S)
    assert left(folder, process.pid) == []
    assert n_recorded(folder) > 3


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_build_with_all_it_started(folder, number):
    process = begin(folder, str(folder / "builder.toml"), "--games", "5")
    until(lambda: list((folder / "temporary").glob("**/begun")), process)
    process.send_signal(number)
    assert process.wait(ENDED_S) == 130
    assert left(folder, process.pid) == []
