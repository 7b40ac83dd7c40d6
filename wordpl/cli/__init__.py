"""The command line. `wordpl NAME` imports the module `wordpl.cli.NAME` and runs its `command`."""

import sys
from importlib import import_module

import click

from wordpl.cli._errors import WordplGroup
from wordpl.cli._options import log_option, version_option

COMMANDS = (
    "analyse",
    "bot",
    "check",
    "cluster",
    "dev",
    "estimate",
    "evaluate",
    "export",
    "league",
    "match",
    "new",
    "plan",
    "play",
    "profile",
    "record",
    "report",
    "serve",
    "site",
    "solve",
    "suggest",
    "tournament",
    "tree",
    "tui",
    "tune",
    "verify",
    "warm-up",
    "words",
)


class LazyGroup(WordplGroup):
    """A group that imports the module of a subcommand only when the subcommand is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand called `cmd_name`, or None if there is no such subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name.replace('-', '_')}").command
        return command


@click.command(cls=LazyGroup, invoke_without_command=True, context_settings={"max_content_width": 110})
@version_option
@log_option
@click.pass_context
def main(context: click.Context) -> None:
    """Run strategy contests on Wordle-family games.

    In a terminal, wordpl without a command opens the full-screen app.
    """
    if context.invoked_subcommand is None:
        from wordpl.terminal import app

        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if is_terminal and app.is_installed():
            raise SystemExit(app.run(app.options_for([], is_terminal)))
        click.echo(context.get_help())
        if is_terminal:
            click.echo(f"\n{app.MISSING[0].upper()}{app.MISSING[1:]}", err=True)
