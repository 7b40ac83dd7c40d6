"""`wordpl serve`: host the web page."""

from datetime import datetime
from pathlib import Path

import click

from wordpl.cli._arguments import answers_option, guesses_option
from wordpl.cli._command import bind_game, database_option, library_needed, max_games_option
from wordpl.cli._output import say
from wordpl.core import words


@click.command(name="serve")
@click.option(
    "--game", metavar="FILE:CLASS", callback=bind_game, expose_value=False, help="Also serve a game of your own."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 selects a free one.",
)
@database_option
@click.option(
    "--results",
    default="results",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of runs to show.",
)
@click.option("--store", "league", metavar="STORE", help="Store of a league whose pages to serve at /league/.")
@click.option("--public-url", default="", metavar="URL", help="Address that browsers use, if there is a reverse proxy.")
@click.option(
    "--prefix", default="", metavar="PATH", help="Path under which a reverse proxy serves the page, such as /wordpl."
)
@click.option(
    "--behind-proxy", "is_behind_proxy", is_flag=True, help="Read the address of clients from X-Forwarded-For."
)
@click.option(
    "--rate",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Rate limit in requests per second and address; 0: no limit.",
)
@click.option(
    "--max-open-games",
    default=20_000,
    show_default=True,
    type=click.IntRange(1),
    help="Maximum number of unfinished games.",
)
@click.option(
    "--max-open-per-address",
    default=500,
    show_default=True,
    type=click.IntRange(1),
    help="Maximum number of unfinished games per address.",
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
    **chosen: object,
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
        from wordpl.apps.web.config import DailyWords, WebConfig
        from wordpl.apps.web.server import serve

    daily = DailyWords(words.find(daily_words), daily_from.date()) if daily_words else None
    config = WebConfig(lists, results=results if results.is_dir() else None, daily=daily, **chosen)  # type: ignore[arg-type]
    serve(config, lambda address: say(f"Play on {address} Press Ctrl-C to stop."))
    say(f"Stopped. All games are kept in {config.database}.", err=True)
