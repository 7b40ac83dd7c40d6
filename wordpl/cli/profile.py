"""`wordpl profile`: show where an entry spends its time."""

import click

from wordpl.cli import _run_options
from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import json_option, log_option
from wordpl.cli._output import print_json, say
from wordpl.cli._values import ENTRY
from wordpl.core.messages import amount
from wordpl.run.config import RunConfig

N_GAMES = 100


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", type=ENTRY)
@_run_options.options("n_games", "game_id", "seed", "answers", "guesses", "player", *_run_options.LIMIT_FIELDS,
                      n_games=N_GAMES)  # fmt: skip
@click.option(
    "--time",
    "seconds",
    default=10.0,
    metavar="SECONDS",
    type=click.FloatRange(0.1),
    help="Start no further game after this time.",
)
@json_option
@log_option
def command(entry: str, config: RunConfig, seconds: float, as_json: bool) -> None:
    """Show where ENTRY spends its time, by line and by function.

    \b
    wordpl profile my_bot.py
    wordpl profile max_clue_entropy --games 50
    wordpl profile "MyBot(epsilon=8)" --trust

    A sampling profiler records the stack every millisecond. It runs inside the player, in the same sandbox as in a
    contest, and does not need root; with --trust it runs in this process. The time of a call into compiled code counts
    for the line of the call. Start and warm-up, which do not count against an entry's time limit, are shown separately.
    """
    from wordpl.cli._status_line import ProgressLine
    from wordpl.workbench.profile import profile

    with ProgressLine() as line:
        measured = profile(
            entry, config, n_games=config.n_games, seconds=seconds,
            progress=lambda n_played: line.show(f"{n_played} of {amount(config.n_games, 'game')}"),
        )  # fmt: skip
    if as_json:
        from dataclasses import asdict

        print_json("profile", asdict(measured) | {"entry": measured.entry.name})
        return
    from rich.console import Console

    from wordpl.reports.terminal import show_table
    from wordpl.workbench.profile import sentences, tables

    for table in tables(measured):
        show_table(table, Console())
        say("")
    for sentence in sentences(measured):
        say(sentence)
