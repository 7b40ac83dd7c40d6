"""`wordpl serve`: host the web page."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from wordpl.apps.web.config import DailyWords, WebConfig
from wordpl.cli._arguments import answers_option, guesses_option
from wordpl.cli._command import bind_game, conversation, database_option, library_needed, max_games_option
from wordpl.cli._options import options
from wordpl.cli._output import say
from wordpl.core import words


@conversation
@click.command(name="serve")
@click.option(
    "--game", metavar="FILE:CLASS", callback=bind_game, expose_value=False, help="Also serve a game of your own."
)
@options(WebConfig, "host", "port")
@database_option
@options(
    WebConfig,
    *("results", "league", "public_url", "prefix", "is_behind_proxy", "rate", "max_open_games", "max_open_per_address"),
)
@click.option(
    "--daily-words",
    metavar="LIST",
    help="Secrets of the daily puzzles, one per day: a file, or puzzle-order; not for noisy games. [default: random]",
)
@click.option(
    "--daily-from",
    default=words.FIRST_PUZZLE_DAY.isoformat(),
    show_default=True,
    type=click.DateTime(["%Y-%m-%d"]),
    help="Day of the first word of --daily-words.",
)
@max_games_option
@answers_option
@guesses_option
def serve_command(
    answers: Path | None,
    guesses: Path | None,
    daily_words: str | None,
    daily_from: datetime,
    results: Path,
    **chosen: Any,
) -> None:
    """Serve a web page on which people can play.

    People play alone, with friends, the daily puzzle, or a tournament (wordpl
    tournament new). The day's noisy game is ranked by budget, beside strategies.
    By default, the server is only reachable from this machine; see --host. It
    runs until Ctrl-C. All games are stored in the database and continue after a
    restart. Secrets stay on the server until a game has ended.

    \b
    wordpl serve
    wordpl serve --daily-words puzzle-order
    wordpl serve --public-url https://example.org --behind-proxy

    `wordpl docs web` explains how to run it behind a web server, and which requests it refuses.
    """
    lists = words.load(answers, guesses)
    with library_needed("serving", 'pip install "wordpl[serve]"'):
        from wordpl.apps.web.server import serve

    daily = DailyWords(words.find(daily_words), daily_from.date()) if daily_words else None
    config = WebConfig(lists, results=results if results.is_dir() else None, daily=daily, **chosen)
    serve(config, lambda address: say(f"Play on {address} Press Ctrl-C to stop."))
    say(f"Stopped. All games are kept in {config.database}.", err=True)
