"""The command lines, called in the tests' own process: same output and exit code, without a slow start."""

from pathlib import Path

from click.testing import CliRunner, Result

from wordpl.cli import main
from wordpl.cli.evaluate import command as evaluate_command

PLAIN = {"COLUMNS": "120", "NO_COLOR": "1"}


def evaluate(*arguments: str | Path) -> Result:
    """Return the result of `python evaluate.py` with these arguments; new runs use the cheapest level."""
    is_new_run = not {"--resume", "--run", "--isolation"} & set(arguments)
    return _invoke(evaluate_command, [*arguments, "--isolation", "D"] if is_new_run else arguments)


def wordpl(*arguments: str | Path) -> Result:
    """Return the result of `wordpl` with these arguments."""
    return _invoke(main, arguments)


def _invoke(command, arguments) -> Result:
    result = CliRunner(env=PLAIN).invoke(command, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception  # a user would see a traceback
    return result


def only_run(results: Path) -> Path:
    """Return the folder of the only run there."""
    (folder,) = results.iterdir()
    return folder
