"""The command line: `wordpl NAME` runs the command called `command` in the module NAME, imported when it is called."""

from importlib import import_module

import click

COMMANDS = (
    "bot",
    "check",
    "estimate",
    "league",
    "plan",
    "record",
    "serve",
    "solve",
    "suggest",
    "tournament",
    "tree",
    "verify",
    "words",
)


class LazyGroup(click.Group):
    """A group that imports the module of a subcommand only when it is asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the subcommand called `name`, or None where there is none."""
        if name not in COMMANDS:
            return None
        return import_module(f"{__name__}.{name}").command


@click.command(cls=LazyGroup, context_settings={"max_content_width": 110})
@click.version_option(package_name="wordpl", prog_name="wordpl")
def main() -> None:
    """Strategy contests on Wordle-family games: the commands beside evaluate.py and interactive.py."""
