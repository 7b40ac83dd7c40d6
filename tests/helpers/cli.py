"""The command lines, called in the tests' own process: same output and exit code, without a slow start.

Each JSON object that a command prints is compared with docs/output.md, which has to name all its fields.
"""

import json
import re
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.helpers.paths import HOME
from wordpl.cli import leaves, main, missing_app
from wordpl.cli.evaluate import command as evaluate_command

PLAIN = {"COLUMNS": "120", "NO_COLOR": "1"}


def evaluate(*arguments: str | Path) -> Result:
    """Return the result of `python evaluate.py` with these arguments; new runs use the cheapest level."""
    is_new_run = not {"--resume", "--run", "--isolation"} & set(arguments)
    return _invoke(evaluate_command, [*arguments, "--isolation", "D"] if is_new_run else arguments)


def wordpl(*arguments: str | Path) -> Result:
    """Return the result of `wordpl` with these arguments; skip the test if the command's app has been deleted."""
    if arguments and (app := missing_app(str(arguments[0]))):
        pytest.skip(f"needs wordpl/apps/{app}")
    return _invoke(main, arguments)


def _invoke(command, arguments) -> Result:
    result = CliRunner(env=PLAIN).invoke(command, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception  # a user would see a traceback
    if "--json" in arguments:
        require_documented(result.stdout)
    return result


def require_documented(text: str) -> None:
    """Check that docs/output.md names all fields of the JSON object that a command printed, if it printed one."""
    if text.startswith('{\n  "format"'):
        printed = json.loads(text)
        unknown = printed.keys() - documented_fields().get(printed["kind"], {"tables", "notes"}) - {"format", "kind"}
        assert not unknown, f"docs/output.md does not name {sorted(unknown)} of {printed['kind']}"


def all_commands() -> dict[str, click.Command]:
    """Return all commands that are no groups, by their words."""
    context = click.Context(main)
    groups = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {path: command for name, group in groups.items() for path, command in leaves(group, name)}


@cache
def documented_fields() -> dict[str, set[str]]:
    """Return the fields of each kind of JSON, as docs/output.md lists them."""
    rows = re.findall(r"^\| (`[a-z-]+`[^|]*) \| (.*) \|$", (HOME / "docs" / "output.md").read_text(), re.M)
    return {
        kind: set(re.findall(r"`(\w+)`", text))
        for kinds, text in rows
        for kind in re.findall(r"`([a-z-]+)`", kinds.partition("(")[0])
    }


def only_run(results: Path) -> Path:
    """Return the folder of the only run there."""
    (folder,) = results.iterdir()
    return folder
