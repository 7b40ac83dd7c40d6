"""The app in a pseudo-terminal: its screens match the stored texts, and no process outlives it.

WORDPL_KEEP_SCREENS=1 writes the stored texts again; check them before committing.
"""

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.helpers.pilot import LARGE, SMALL
from tests.helpers.pseudo_terminal import LONGEST_S, terminal

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
STORED = Path(__file__).parent / "screens"
COMMAND = ["-c", "from wordpl.cli import main; main()", "tui"]
VARYING = ((r"\d+\.\d\d s\.", "0.00 s."),)
"""Parts that differ between runs of the test: seconds."""


def app(*arguments, size=SMALL):
    return terminal(sys.executable, [*COMMAND, *arguments], size, {})


def check(name, program, expected):
    """Wait until the screen matches the stored text; with WORDPL_KEEP_SCREENS, store it once it shows `expected`."""
    path = STORED / f"{name}.txt"
    if os.environ.get("WORDPL_KEEP_SCREENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(normalized(program.wait_for(settled(expected))), encoding="utf-8")
    stored = path.read_text(encoding="utf-8")
    program.wait_for(lambda text: normalized(text) == stored)


def normalized(text):
    """Return the screen's text without the parts that differ between runs of the test."""
    for pattern, replacement in VARYING:
        text = re.sub(pattern, replacement, text)
    return text + "\n"


def settled(expected):
    """Return a condition: the screen shows this text and has not changed for a second."""
    since = {}

    def condition(text):
        if since.get("text") != text:
            since.update(text=text, time=time.monotonic())
        return expected in " ".join(text.split()) and time.monotonic() - since["time"] > 1.0

    return condition


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def state_of(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_until_gone(pids):
    deadline = time.monotonic() + LONGEST_S
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


both_sizes = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80", "120"])


@both_sizes
def test_the_solve_screen_matches_its_stored_text(size):
    with app("--top", "5", "tares:....i", size=size) as program:
        program.wait_for(settled("5 guesses rated"))
        program.type("crony")
        check(f"solve-{size[0]}", program, "CRONY: 21 clues")


@both_sizes
def test_the_setup_screen_matches_its_stored_text(size):
    with app("--filter", "suffix", "--past", "weigh", size=size) as program:
        program.wait_for(settled("answers"))
        program.type("\x13")
        check(f"setup-{size[0]}", program, "2,277 answers, 12,972 guesses")


@both_sizes
@pytest.mark.parametrize("game", ["wordle/1", "wordpl/1"])
def test_the_play_screen_matches_its_stored_text(size, game):
    is_noisy = game == "wordpl/1"
    with app("--screen", "play", "--game", game, "--seed", "kept", size=size) as program:
        program.wait_for(settled("11.2 bits left" if is_noisy and size == SMALL else "Letters"))
        program.type("crane8\rmoist" if is_noisy else "crane\rmoi")
        check(f"play-{game.partition('/')[0]}-{size[0]}", program, "Epsilons for MOIST" if is_noisy else "Guess 2 of 6")


def test_a_larger_terminal_is_used_at_once():
    with app("--screen", "play", "--game", "wordle/1", "--seed", "kept") as program:
        program.wait_for(settled("Guess 1 of 6"))
        program.resize(*LARGE)
        program.wait_for(lambda text: "Quit" in text.splitlines()[-1] and "Your games" in text)


@pytest.mark.parametrize("key, code", [("\x11", 0), ("\x03", 130)], ids=["Ctrl+Q", "Ctrl+C"])
def test_leaving_ends_every_process_without_a_traceback(key, code):
    with app("tares:....i") as program:
        program.wait_for(settled("answers"))
        workers = children_of(program.process.pid)
        assert workers
        program.type(key)
        assert program.wait_for_end() == code
        assert "Traceback" not in program.rest
        wait_until_gone(workers)


def test_a_closed_terminal_ends_every_process():
    with app() as program:
        program.wait_for(settled("answers"))
        workers = children_of(program.process.pid)
        pid = program.process.pid
        program.process.ptyproc.fileobj.close()  # as when the window of the terminal is closed
        program.process.ptyproc.fd, program.process.child_fd, program.process.closed = -1, -1, True
        program.process.ptyproc.closed = True
        wait_until_gone(workers)
        deadline = time.monotonic() + LONGEST_S
        while state_of(pid) != "Z":  # it has ended, but its parent has not waited for it
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_suspended_app_continues_with_its_rows():
    with app("tares:....i") as program:
        program.wait_for(settled("answers"))
        program.type("\x1a")
        deadline = time.monotonic() + LONGEST_S
        while state_of(program.process.pid) != "T":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(program.process.pid, signal.SIGCONT)
        program.type("crony")
        program.wait_for(settled("CRONY"))
