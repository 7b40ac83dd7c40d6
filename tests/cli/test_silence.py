"""A command that loads modules for more than a second says so, whichever it is."""

import sys

import click
import pytest
from click.testing import CliRunner

from wordpl.cli import _status_line
from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import quiet_option

SLOW = """
import sys, time
until = time.monotonic() + {most_s}
while b"loading" not in sys.stderr.buffer.getvalue() and time.monotonic() < until:
    time.sleep(0.02)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command which imports a module until "loading" is said, and prints a word."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_status_line, "SILENT_S", 1.0)

    @click.command(cls=WordplCommand)
    @quiet_option
    def command(quiet):
        import slow_to_load  # noqa: F401

        click.echo("done")

    def _run(*arguments, most_s):
        (tmp_path / "slow_to_load.py").write_text(SLOW.format(most_s=most_s))
        try:
            return CliRunner().invoke(command, arguments, catch_exceptions=False)
        finally:
            sys.modules.pop("slow_to_load", None)

    return _run


def test_a_long_import_is_said_once(run):
    done = run(most_s=60)
    assert (done.stderr, done.stdout) == ("loading ...\n", "done\n")


def test_a_long_import_is_not_said_to_who_wants_quiet(run):
    done = run("--quiet", most_s=1.5)
    assert (done.stderr, done.stdout) == ("", "done\n")
