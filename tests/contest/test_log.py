"""The log reports the steps of a run, and at level debug every line between referee and player."""

import os
import re
import subprocess
import sys

import pytest

from tests.helpers.paths import HOME

BOT = """
class Bot:
    def first_move(self):
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""


@pytest.mark.long  # whole runs in processes
def test_the_debug_log_has_every_line_with_time_process_and_game(tmp_path):
    output = log_of(tmp_path, "--log-level", "debug", "--jobs", 2)
    line = r"\d\d:\d\d:\d\d\.\d{3} DEBUG process \d+ wordpl\.players\.process: game 1, player process \d+ "
    moves = re.findall(rf"{line}-> b'\{{\"move\":\[\"(\w+)\",", output)
    assert moves[-2:] == ["crane", "abide"]
    assert re.search(rf"{line}<- b'\{{\"new_game\":", output)
    assert re.search(r"game 1 ends: (won|wrong)", output)


@pytest.mark.long  # whole runs in processes
def test_the_info_log_has_the_steps_of_a_run_without_players_lines(tmp_path):
    output = log_of(tmp_path, WORDPL_LOG="info")
    for message in (
        "2 games of each of Bot",
        "2 games are left to play, 1 at a time",
        "this worker now plays Bot",
        "is finished",
    ):
        assert message in output
    assert "crane" not in output


def log_of(folder, *options, **variables):
    """Return what a run of two games writes to standard error."""
    (folder / "bot.py").write_text(BOT)
    arguments = [folder / "bot.py", "--games", 2, "--repeats", 0, "--isolation", "D", "--results", folder / "results"]
    jobs = [] if "--jobs" in options else ["--jobs", 1]
    command = [sys.executable, HOME / "evaluate.py", *arguments, *jobs, *options]
    environment = {name: value for name, value in os.environ.items() if name != "WORDPL_LOG"} | variables
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=HOME, env=environment)
    assert process.returncode == 0, process.stderr
    return process.stderr
