"""The command line: `wordpl NAME` runs the command called `command` in the module NAME, imported when it is called."""

from importlib import import_module

import click

from wordpl.cli._errors import WordplGroup
from wordpl.cli._log_option import log_option

COMMANDS = (
    "bot",
    "check",
    "estimate",
    "evaluate",
    "league",
    "plan",
    "play",
    "record",
    "serve",
    "solve",
    "suggest",
    "tournament",
    "tree",
    "verify",
    "words",
)


class LazyGroup(WordplGroup):
    """A group that imports the module of a subcommand only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand called `cmd_name`, or None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command


@click.command(cls=LazyGroup, context_settings={"max_content_width": 110})
@click.version_option(package_name="wordpl", prog_name="wordpl")
@log_option
def main() -> None:
    """Strategy contests on Wordle-family games."""
