"""`wordpl league bot`: the Discord bot."""

import logging
import os

import click

from wordpl.cli._echo import say
from wordpl.cli._league_store import open_store, store_option
from wordpl.core.errors import UserError

TOKEN, PUBLIC_KEY, REST_URL = "WORDPL_BOT_TOKEN", "WORDPL_BOT_PUBLIC_KEY", "WORDPL_BOT_REST_URL"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="0 for any that is free.")
@store_option
def bot(host: str, port: int, url: str) -> None:
    """Answer /sync, /leaderboard and /personal_stats in Discord, until Ctrl-C.

    The app's token and public key come from the environment variables WORDPL_BOT_TOKEN and WORDPL_BOT_PUBLIC_KEY, and
    from nowhere else. Discord sends its requests by HTTPS: put a web server with a certificate in front, and give its
    address to Discord as the Interactions Endpoint URL. docs/bot.md tells how, from the start.

    \b
    WORDPL_BOT_TOKEN=... WORDPL_BOT_PUBLIC_KEY=... wordpl league bot --port 8080
    """
    absent = [name for name in (TOKEN, PUBLIC_KEY) if not os.environ.get(name)]
    if absent:
        raise UserError(f"{' and '.join(absent)} should be set in the environment: docs/bot.md says from where.")
    store = open_store(url)
    try:
        from wordpl.league.bot.replies import Replies
        from wordpl.league.bot.server import Address, Secrets, serve
    except ModuleNotFoundError as error:
        raise UserError(f"the bot needs the library {error.name}: pip install -e '.[league,bot]'") from None
    import asyncio

    from wordpl.cli._league_views import views
    from wordpl.league.ocr import picture_reader

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    replies = Replies(store, views(), picture_reader())
    secrets = Secrets(os.environ[TOKEN], os.environ[PUBLIC_KEY])
    address = Address(host, port, os.environ.get(REST_URL))
    asyncio.run(serve(address, secrets, replies, lambda where: say(f"Listening on {where} Ctrl-C ends it.")))
