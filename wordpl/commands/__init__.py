"""What the command line does: `wordpl NAME` is the command called `command` in the file NAME.py, loaded when called."""

import re
from importlib import import_module
from pathlib import Path

import click

DEFINES = re.compile(r"^(def command\(|command\b.*=)", re.MULTILINE)
"""What shows that a file holds a command, without importing what the others need."""


class Commands(click.Group):
    """The commands found in this package; a file that holds no `command` is a step that others share."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(self._names())

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command with this name; None where there is none."""
        if name not in self._names():
            return None
        return import_module(f"{__name__}.{name}").command

    def _names(self) -> set[str]:
        files = Path(__file__).parent.glob("*.py")
        return {file.stem for file in files if DEFINES.search(file.read_text())}


@click.command(cls=Commands, context_settings={"max_content_width": 110})
@click.version_option(package_name="wordpl", prog_name="wordpl")
def main() -> None:
    """Strategy contests on Wordle-family games: the commands beside evaluate.py and interactive.py."""
