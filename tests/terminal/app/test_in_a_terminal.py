"""The app in a pseudo-terminal: its screens are the kept texts, and however it is left, nothing stays behind.

WORDPL_KEEP_SCREENS=1 writes the kept texts anew; look at them before they are committed.
"""

import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.helpers import written_runs
from tests.helpers.pilot import LARGE, SMALL
from tests.helpers.pseudo_terminal import LONGEST_S, terminal

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
KEPT = Path(__file__).parent / "screens"
COMMAND = ["-c", "from wordpl.cli import main; main()", "tui"]
VARYING = ((r"\d+\.\d\d s\.", "0.00 s."), (r"\S*/run:", "RUN:"))
"""What differs from time to time: seconds, and the folder of the run."""


def app(*arguments, size=SMALL):
    return terminal(sys.executable, [*COMMAND, *arguments], size, {})


def check(name, terminal, wanted):
    """Wait until the screen is the kept text; where it is kept anew, until it shows what is wanted and settles."""
    path = KEPT / f"{name}.txt"
    if os.environ.get("WORDPL_KEEP_SCREENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(alike(terminal.wait_for(settled(wanted))), encoding="utf-8")
    kept = path.read_text(encoding="utf-8")
    terminal.wait_for(lambda shown: alike(shown) == kept)


def alike(shown):
    """Return the screen's text without what differs from time to time."""
    for pattern, instead in VARYING:
        shown = re.sub(pattern, instead, shown)
    return shown + "\n"


def settled(wanted):
    """Return the question whether the screen shows this, and has for a moment."""
    since = {}

    def holds(shown):
        if since.get("text") != shown:
            since.update(text=shown, time=time.monotonic())
        return wanted in " ".join(shown.split()) and time.monotonic() - since["time"] > 1.0

    return holds


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_until_gone(pids):
    end = time.monotonic() + LONGEST_S
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_solve_shows_what_is_kept():
    with app("--top", "5", "tares:....i") as one:
        one.wait_for(settled("5 guesses rated"))
        one.type("crony")
        check("solve", one, "CRONY: 21 clues")


def test_setup_shows_what_is_kept():
    with app("--filter", "suffix", "--past", "weigh") as one:
        one.wait_for(settled("answers"))
        one.type("\x13")
        check("setup", one, "2,277 answers, 12,972 guesses")


def test_play_shows_what_is_kept():
    with app("--screen", "play", "--game", "wordle/1", "--seed", "kept") as one:
        one.wait_for(settled("Guess 1 of 6"))
        one.type("crane\rmoi")
        check("play", one, "Guess 2 of 6")


@pytest.fixture
def short_folder():
    """Return a folder whose path never wraps a line of the screen, however deep the folders of the tests are."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_watch_and_replay_show_what_is_kept(short_folder):
    run = written_runs.new_run(short_folder / "run")
    for at in (0, 1):
        written_runs.append(run, at, range(12))
    run.finish("2026-01-31T12:05:00+00:00")
    with app("--run", str(run.folder)) as one:
        check("watch", one, "24 of 24 games")
        one.type("\x1b[15~")  # F5
        one.wait_for(settled(": 24 games"))
        one.type("\x1b[B\r")
        check("replay", one, "rank 160")


def test_a_larger_terminal_is_used():
    with app("--screen", "play", "--game", "wordle/1", "--seed", "kept") as one:
        one.wait_for(settled("Guess 1 of 6"))
        one.resize(*LARGE)
        one.wait_for(lambda shown: "Quit" in shown.splitlines()[-1])
        one.type("crane\r")
        check("play-large", one, "Guess 2 of 6")


@pytest.mark.parametrize("leave, code", [("\x11", 0), ("\x03", 130)], ids=["Ctrl+Q", "Ctrl+C"])
def test_leaving_ends_every_process_without_a_traceback(leave, code):
    with app("tares:....i") as one:
        one.wait_for(settled("answers"))
        workers = children_of(one.process.pid)
        assert workers
        one.type(leave)
        assert one.wait_for_end() == code
        assert "Traceback" not in one.rest
        wait_until_gone(workers)


def test_a_closed_terminal_ends_every_process():
    with app() as one:
        one.wait_for(settled("answers"))
        workers = children_of(one.process.pid)
        pid = one.process.pid
        one.process.ptyproc.fileobj.close()  # the terminal is gone, as when its window is closed
        one.process.ptyproc.fd, one.process.child_fd, one.process.closed = -1, -1, True
        one.process.ptyproc.closed = True
        wait_until_gone(workers)
        end = time.monotonic() + LONGEST_S
        while state_of(pid) != "Z":  # it has ended, and waits for its parent to notice
            assert time.monotonic() < end
            time.sleep(0.05)


def test_a_suspended_app_goes_on_with_its_rows():
    with app("tares:....i") as one:
        one.wait_for(settled("answers"))
        one.type("\x1a")
        end = time.monotonic() + LONGEST_S
        while state_of(one.process.pid) != "T":
            assert time.monotonic() < end
            time.sleep(0.05)
        os.kill(one.process.pid, signal.SIGCONT)
        one.type("crony")
        one.wait_for(settled("CRONY"))
