"""Every command reports imports that take longer than a second; progress bars fit every terminal."""

import os
import pty
import re
import sys
import termios

import click
import pytest
from click.testing import CliRunner

from wordpl.cli import _output
from wordpl.cli._command import WordplCommand, quiet_option
from wordpl.cli._output import progress_bar

SLOW = """
import sys, time
until = time.monotonic() + {max_s}
while b"loading" not in sys.stderr.buffer.getvalue() and time.monotonic() < until:
    time.sleep(0.02)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command; it imports a module until "loading" is printed, then prints "done"."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_output, "SILENT_S", 0.2)

    @click.command(cls=WordplCommand)
    @quiet_option
    def command(quiet):
        import slow_to_load  # noqa: F401

        click.echo("done")

    def _run(*arguments, max_s):
        (tmp_path / "slow_to_load.py").write_text(SLOW.format(max_s=max_s))
        try:
            return CliRunner().invoke(command, arguments, catch_exceptions=False)
        finally:
            sys.modules.pop("slow_to_load", None)

    return _run


def test_a_long_import_is_reported_once(run):
    result = run(max_s=60)
    assert (result.stderr, result.stdout) == ("loading ...\n", "done\n")


def test_a_long_import_is_not_reported_with_quiet(run):
    result = run("--quiet", max_s=0.4)
    assert (result.stderr, result.stdout) == ("", "done\n")


@pytest.mark.parametrize("size", [(0, 0), (24, 80)])
def test_progress_bars_are_shown_on_a_terminal_of_unknown_size(size, monkeypatch):
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, size)
    with os.fdopen(writer, "w") as terminal, os.fdopen(reader, "rb", buffering=0) as screen:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_bar(10, "game", "two entries", leave=False):
            assert re.fullmatch(rb"\rtwo entries:   0%\|  +\| 0/10 \[00:00<\?, \?game/s\]", screen.read(1000))


@pytest.fixture
def clock(monkeypatch):
    """The time in seconds that progress bars see, as the only item of a list."""
    seconds = [0.0]
    monkeypatch.setattr(_output.time, "monotonic", lambda: seconds[0])
    return seconds


def test_progress_in_a_log_is_a_line_every_ten_percent(clock, capsys):
    with progress_bar(40, "clue", "plan", leave=False) as bar:
        for _ in range(40):
            clock[0] += 1
            bar.update()
    assert capsys.readouterr().err.splitlines() == [
        f"{percent:3} %  plan: {percent * 40 // 100} of 40 clues done, 0:{percent * 40 // 100:02} elapsed, "
        f"about 0:{40 - percent * 40 // 100:02} left"
        for percent in range(10, 101, 10)
    ]


def test_progress_in_a_log_has_no_line_for_short_work(clock, capsys):
    with progress_bar(1000, "game") as bar:
        for _ in range(1000):
            clock[0] += 0.0019
            bar.update()
    assert capsys.readouterr().err == ""


def test_progress_in_a_log_is_a_line_now_and_then_if_the_total_is_unknown(clock, capsys):
    with progress_bar(None, " word", "openers") as bar:
        for number in range(40):
            clock[0] += 1
            bar.set_postfix_str(f"at best {number}", refresh=False)
            bar.update(100)
    assert capsys.readouterr().err.splitlines() == [
        "openers: 200 words done, at best 1, 0:02 elapsed",
        "openers: 1,700 words done, at best 16, 0:17 elapsed",
        "openers: 3,200 words done, at best 31, 0:32 elapsed",
    ]
