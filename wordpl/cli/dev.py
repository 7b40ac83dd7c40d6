"""`wordpl dev`: play a strategy each time its file is saved, and show what changed."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from wordpl.cli import _run_options
from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import log_option
from wordpl.cli._output import say
from wordpl.cli._values import ENTRY
from wordpl.run.config import RunConfig

N_GAMES = 200


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", type=ENTRY)
@_run_options.options("n_games", "game_id", "seed", "answers", "guesses", "loss_cost", "player",
                      *_run_options.LIMIT_FIELDS, n_games=N_GAMES)  # fmt: skip
@click.option("--goal", type=click.Choice(["won", "cost", "guesses"]), help="Measure by which versions are compared. "
              "[default: cost; guesses for classic games]")  # fmt: skip
@click.option("--once", is_flag=True, help="Play the file once and exit, with code 1 if it cannot play.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each version, for editors.")
@log_option
def command(entry: str, config: RunConfig, goal: str | None, once: bool, as_json: bool) -> None:
    """Watch the file of ENTRY and play it each time it is saved.

    \b
    wordpl dev my_bot.py
    wordpl dev my_bot.py --games 500 --goal won
    wordpl dev "my_bot.py:MyBot(epsilon=8)"

    Each version plays the same games and is compared with the version before. The output lists the games that got worse
    and the command that replays one of them. Errors are shown immediately. Changes of other files in the same folder
    count too. Ctrl-C ends the command.
    """
    from wordpl.workbench.dev import DevSession, watch

    is_wrong = False
    with DevSession(entry, config, n_games=config.n_games, goal=goal) as session:
        try:
            for event in watch(session, _progress(as_json)):
                is_wrong = event.to_json()["event"] == "error"
                if as_json:
                    click.echo(_line(event.to_json()))
                else:
                    say("\n".join(event.lines()))
                sys.stdout.flush()
                if once:
                    break
                if not as_json:
                    say(f"Watching {session.file.name}. Press Ctrl-C to stop.", err=True)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
    click.get_current_context().exit(1 if is_wrong else 0)


def _line(event: Mapping[str, Any]) -> str:
    from wordpl.reports.as_json import FORMAT

    return json.dumps({"format": FORMAT, "kind": "dev", **event})


def _progress(as_json: bool) -> Callable[[int], object]:
    def show(n_played: int) -> None:
        if as_json:
            click.echo(_line({"event": "progress", "n_games": n_played}))
            sys.stdout.flush()

    return show
