"""The command lines, called in the tests' own process: they show the same and end the same, and start at once."""

from pathlib import Path

from click.testing import CliRunner, Result

from wordpl.cli import main
from wordpl.cli.evaluate import command as evaluate_command

PLAIN = {"COLUMNS": "120", "NO_COLOR": "1"}


def evaluate(*words: str | Path) -> Result:
    """Return what `python evaluate.py` with these words comes to; a run begins at the level that costs least."""
    begins = "--resume" not in words and "--isolation" not in words
    return _called(evaluate_command, [*words, "--isolation", "D"] if begins else words)


def wordpl(*words: str | Path) -> Result:
    """Return what `wordpl` with these words comes to."""
    return _called(main, words)


def _called(command, words) -> Result:
    done = CliRunner(env=PLAIN).invoke(command, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception  # where a user would see a traceback
    return done


def only_run(results: Path) -> Path:
    """Return the folder of the one run that is kept there."""
    (folder,) = results.iterdir()
    return folder
