"""The command line. `wordpl NAME` imports the module `wordpl.cli.NAME` and runs its `command`."""

import sys
from importlib import import_module

import click

from wordpl.cli._errors import WordplGroup
from wordpl.cli._options import log_option, version_option

GROUPS = {
    "Write a strategy": ("new", "check", "dev", "profile", "match", "tune", "analyse", "grade"),
    "Hold a contest": (
        "evaluate",
        "report",
        "verify",
        "publish",
        "site",
        "export",
        "estimate",
        "record",
        "tournament",
        "season",
        "cluster",
    ),
    "Solve puzzles": ("play", "tui", "solve", "suggest", "tree", "plan", "words"),
    "Compare people": ("league", "bot"),
    "Host": ("serve", "warm-up"),
    "Read": ("docs",),
}
"""The subcommands by the work that they serve, in the order in which it is usually done."""
EXPERIMENTAL = ("cluster", "league", "bot")
"""The subcommands whose options and files may change in any release; `wordpl docs releases` says when they settle."""
EXPERIMENTAL_TEXT = "Experimental: until groups have used it for a season, options and files may change in any release."
COMMANDS = tuple(sorted(name for names in GROUPS.values() for name in names))


class LazyGroup(WordplGroup):
    """A group that imports the module of a subcommand only when the subcommand is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands in their groups."""
        limit = formatter.width - 6 - max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            rows = [
                (name, f"{command.get_short_help_str(limit)}{' (experimental)' if name in EXPERIMENTAL else ''}")
                for name, command in commands
                if command is not None
            ]
            with formatter.section(title):
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand called `cmd_name`, or None if there is no such subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name.replace('-', '_')}").command
        if cmd_name in EXPERIMENTAL:
            command.epilog = EXPERIMENTAL_TEXT
        return command


@click.command(cls=LazyGroup, invoke_without_command=True, context_settings={"max_content_width": 110})
@version_option
@log_option
@click.pass_context
def main(context: click.Context) -> None:
    """Begin with `wordpl new my_bot`, then `wordpl check my_bot`, then `wordpl evaluate`.

    wordpl runs strategy contests on Wordle-family games. Each command explains itself: wordpl COMMAND --help. In a
    terminal, wordpl without a command opens the full-screen app. wordpl docs lists the pages of the documentation.
    """
    if context.invoked_subcommand is None:
        from wordpl.terminal import app

        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if is_terminal and app.is_installed():
            raise SystemExit(app.run(app.options_for([], is_terminal)))
        click.echo(context.get_help())
        if is_terminal:
            click.echo(f"\n{app.MISSING[0].upper()}{app.MISSING[1:]}", err=True)
