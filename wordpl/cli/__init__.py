"""The command line. `wordpl NAME` imports the module of that command, here or in an app, and runs it."""

import sys
from collections.abc import Iterator
from importlib import import_module

import click

from wordpl.cli._command import WordplGroup, add_shared_options, log_option, version_option
from wordpl.core import apps

GROUPS = {
    "Write a strategy": {
        "new": "Write a template strategy, NAME.py, to the current folder; a program in a folder NAME.",
        "check": "Check that a strategy is ready for a contest.",
        "dev": "Watch the file of ENTRY and play it each time it is saved.",
        "profile": "Show where ENTRY spends its time, by line and by function.",
        "match": "Play NEW and OLD until it is clear which one is better.",
        "tune": "Search for the best parameters of ENTRY.",
        "analyse": "Show where ENTRY loses its games in RUN.",
        "grade": "Count the baselines that each of ENTRIES is shown to beat.",
    },
    "Hold a contest": {
        "evaluate": "Play ENTRIES on the same games and report percentiles.",
        "join": "Make RUN of its PARTS, by default of those in its own folder.",
        "replay": "Find games of RUN, or show the game with this NUMBER move by move.",
        "report": "Write an HTML page about one or more runs.",
        "verify": "Check a run by recomputing it from its seed.",
        "publish": "Write an archive of a finished run that anybody can verify on their own machine.",
        "site": "Write a static site about all runs in the folder RESULTS.",
        "export": "Export the games of RUN to one Parquet file.",
        "estimate": "Estimate how often ENTRIES win at the budget they spend; without ENTRIES, all that play the noisy "
        "game.",
        "record": "Show who holds the records, or judge a claim by a run.",
        "tournament": "Play tournaments of people or strategies.",
        "season": "Host a contest that stays open.",
    },
    "Solve puzzles": {
        "play": "Play in the terminal.",
        "tui": "Open the full-screen app.",
        "solve": "Rank first guesses by their best decision trees.",
        "suggest": "Suggest the next guess, given the clues so far.",
        "tree": "Check, show and compare decision trees.",
        "plan": "Compute plans of second guesses for the strategy Schedule.",
        "words": "Predict which words can be the answer.",
    },
    "Compare people": {
        "league": "Rank friends by their daily Wordle results.",
        "bot": "Play a puzzle on another site and share the result.",
    },
    "Host": {
        "serve": "Serve a web page on which people can play.",
        "warm-up": "Compile all kernels in advance.",
    },
    "Read": {
        "docs": "Read the page on TOPIC, or list the topics.",
    },
}
"""The subcommands by the work that they serve, in the order in which it is usually done, and what each does.

The sentences are the first ones of the commands, which --help does not import: a test compares them.
"""
LABELS = dict.fromkeys(("league", "bot"), " (experimental)")
"""The subcommands whose options and files may change in any release; `wordpl docs releases` says when they settle."""
EXPERIMENTAL_TEXT = "Experimental: until groups have used it for a season, options and files may change in any release."
APP_MODULES = {
    name: module
    for module, names in {
        "daily_bot.command": ("bot",),
        "league.command": ("league",),
        "season.command": ("season",),
        "terminal.command": ("play", "tui"),
        "tournament.command": ("tournament",),
        "web.command": ("serve",),
        "words.command": ("words",),
        "workbench.authoring": ("new", "dev", "profile", "analyse"),
        "workbench.matches": ("match", "grade", "tune"),
    }.items()
    for name in names
}
"""The modules of the subcommands that belong to apps, below `wordpl.apps`."""
MODULES = dict.fromkeys(("estimate", "record"), "claims") | dict.fromkeys(
    ("report", "verify", "publish", "site", "export"), "publishing"
)
"""The modules of subcommands that share one, below this package; others have one of their own name."""
COMMANDS = tuple(sorted(name for names in GROUPS.values() for name in names))


class LazyGroup(WordplGroup):
    """A group that imports the module of a subcommand only when the subcommand is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands that are installed."""
        return [name for name in COMMANDS if not missing_app(name)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands in their groups."""
        limit = formatter.width - 6 - max(map(len, COMMANDS))
        for title, sentences in GROUPS.items():
            rows = [
                (name, click.Command(name, help=text).get_short_help_str(limit) + LABELS.get(name, ""))
                for name, text in sentences.items()
                if not missing_app(name)
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand called `cmd_name`, or None if there is no such subcommand."""
        if cmd_name not in COMMANDS or missing_app(cmd_name):
            return None
        name = cmd_name.replace("-", "_")
        app, _, part = APP_MODULES.get(cmd_name, "").partition(".")
        module = apps.module(app, part) if app else import_module(f"{__name__}.{MODULES.get(cmd_name, name)}")
        command: click.Command = module.command if hasattr(module, "command") else getattr(module, f"{name}_command")
        if cmd_name in LABELS:
            command.epilog = EXPERIMENTAL_TEXT
        for _, leaf in leaves(command, cmd_name):
            add_shared_options(leaf)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand that the arguments name, and the rest of them.

        Raises:
            MissingAppError: It belongs to an app whose folder is not installed.
        """
        if app := missing_app(args[0]):
            apps.check_installed(app, f"wordpl {args[0]}")
        return super().resolve_command(ctx, args)


def leaves(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group, or the command itself, each with its path."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from leaves(inner, f"{path} {name}")


def missing_app(command: str) -> str:
    """Return the app to which a subcommand belongs if its folder is not installed, otherwise ""."""
    app = APP_MODULES.get(command, "").partition(".")[0]
    return app if app and not apps.is_installed(app) else ""


@click.command(cls=LazyGroup, invoke_without_command=True, context_settings={"max_content_width": 110})
@version_option
@log_option
@click.pass_context
def main(context: click.Context) -> None:
    """Begin with `wordpl new my_bot`, then `wordpl check my_bot`, then `wordpl evaluate my_bot`.

    wordpl runs strategy contests on Wordle-family games. Each command explains itself: wordpl COMMAND --help. In a
    terminal, wordpl without a command opens the full-screen app. wordpl docs lists the pages of the documentation.
    """
    if context.invoked_subcommand is None:
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        app = apps.module("terminal", "app") if apps.is_installed("terminal") else None
        if app is not None and is_terminal and app.is_installed():
            raise SystemExit(app.run(app.options_for([], is_terminal)))
        click.echo(context.get_help())
        if app is not None and is_terminal:
            click.echo(f"\n{app.MISSING[0].upper()}{app.MISSING[1:]}", err=True)
