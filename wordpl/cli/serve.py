"""`wordpl serve`: a page to play on."""

from datetime import date, datetime
from pathlib import Path

import click

from wordpl.cli._echo import say
from wordpl.core import words
from wordpl.core.errors import UserError

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FIRST_DAY = "2021-06-19"


@click.command(name="serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; 0.0.0.0 is all.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 for any that is free.")
@click.option(
    "--database",
    default="wordpl-games.sqlite",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keeps all games.",
)
@click.option(
    "--results",
    default="results",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The folder of runs to show.",
)
@click.option("--public-url", default="", metavar="URL", help="The address that browsers use, behind a proxy.")
@click.option("--prefix", default="", metavar="PATH", help="The path below which a proxy offers the page: /wordpl.")
@click.option("--behind-proxy", "is_behind_proxy", is_flag=True, help="Take the client's address from X-Forwarded-For.")
@click.option(
    "--rate",
    default=20.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Requests a second of one address; 0: any.",
)
@click.option("--max-open-games", default=20_000, show_default=True, type=click.IntRange(1), help="Open games in all.")
@click.option("--max-open-per-address", default=500, show_default=True, type=click.IntRange(1), help="Of one address.")
@click.option(
    "--daily-words", metavar="LIST", help="The daily secrets, one a day: a file, or puzzle-order. [default: drawn]"
)
@click.option(
    "--daily-from",
    default=FIRST_DAY,
    show_default=True,
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day of the first.",
)
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
def command(
    answers: Path | None,
    guesses: Path | None,
    daily_words: str | None,
    daily_from: datetime,
    results: Path,
    **chosen: object,
) -> None:
    """Serve a page on which people play, alone, with friends, or the daily puzzle, until Ctrl-C.

    It listens on this machine only unless --host says otherwise. The database keeps all games, so a restart loses none.
    Secrets stay on the server until a game has ended; nothing that is played here is ranked.

    \b
    wordpl serve
    wordpl serve --public-url https://example.org/wordpl --prefix /wordpl --behind-proxy
    wordpl serve --daily-words puzzle-order          the original puzzles, from 2021-06-19 on

    docs/web.md tells how to put it behind a web server, and what it refuses.
    """
    lists = words.load(answers, guesses)
    try:
        from wordpl.web.config import WebConfig
        from wordpl.web.server import serve
    except ModuleNotFoundError as error:
        raise UserError(f'serving needs the library {error.name}: pip install "wordpl[serve]"') from None
    from wordpl.web.config import DailyWords

    daily = (
        DailyWords(words.find(daily_words), date(daily_from.year, daily_from.month, daily_from.day))
        if daily_words
        else None
    )
    config = WebConfig(lists, results=results if results.is_dir() else None, daily=daily, **chosen)  # type: ignore[arg-type]
    serve(config, lambda address: say(f"Play on {address} Ctrl-C ends it."))
    say(f"Ended. All games are kept in {config.database}.", err=True)
