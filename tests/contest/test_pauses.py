"""A machine that sleeps loses nobody a game; a player that alone does nothing is late."""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.contest.test_signals import SLEEPER, begin, leftovers, n_recorded, wait_until
from tests.helpers import killed_runs
from wordpl.core.moves import Verdict
from wordpl.run.folder import Run

PAUSE_S = 4.0
N_GAMES = 60
LIMITS = ("--timeout", "0.3", "--games", str(N_GAMES), "--repeats", "0")  # a game may last 2 s
BUSY = """
import time


class Bot:
    def first_move(self):
        until = time.process_time() + 0.6
        while time.process_time() < until:
            pass
        return "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with an entry, and another for temporary files."""
    (tmp_path / "bot.py").write_text(SLEEPER)
    (tmp_path / "temporary").mkdir()
    return tmp_path


def is_player_side(pid):
    with suppress(OSError):
        return b"fork_server" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def players(pid):
    """Return the processes that run a contestant's code: forks that have no child."""
    forks = killed_runs.descendants(pid, b"fork_server")
    parents = {killed_runs.parent_of(fork) for fork in forks}
    return [fork for fork in forks if fork not in parents]


def pause(pids):
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(PAUSE_S if number == signal.SIGSTOP else 0)


def finished(folder, process):
    assert process.wait(300) == 0
    assert leftovers(folder, process.pid) == []
    run = Run(next((folder / "results").glob("*/")))
    return run, [record.game for record in run.entries[0].read() if record.verdict != Verdict.WRONG]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("whom", ["everything", "the referee"])
def test_a_game_in_which_the_referee_did_not_run_is_played_again_and_listed(folder, whom):
    process = begin(folder, str(folder / "bot.py"), *LIMITS, "--jobs", "2")
    wait_until(lambda: n_recorded(folder) > 3, process)
    tree = [process.pid, *killed_runs.descendants(process.pid, b"")]
    pause([pid for pid in tree if whom == "everything" or not is_player_side(pid)])
    run, lost = finished(folder, process)
    assert lost == []
    assert 1 <= len(run.info.played_again["bot"]) <= 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_player_that_alone_is_stopped_is_late(folder):
    process = begin(folder, str(folder / "bot.py"), *LIMITS, "--jobs", "1")
    wait_until(lambda: n_recorded(folder) > 3, process)
    pause(players(process.pid))
    run, lost = finished(folder, process)
    assert len(lost) == 1
    assert run.info.played_again == {}


@pytest.mark.slow
def test_a_player_that_computes_too_long_is_late_even_if_it_keeps_the_processor_from_the_referee(folder):
    (folder / "bot.py").write_text(BUSY)
    process = begin(folder, str(folder / "bot.py"), "--timeout", "0.3", "--games", "3", "--repeats", "0")
    run, lost = finished(folder, process)
    assert lost == [0, 1, 2]
    assert run.info.played_again == {}
