"""A bot for tests, in a process of its own or in this one, and a month of messages for it to read."""

import asyncio
import os
import re
import sys
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from tests.helpers import messages
from tests.helpers.discord import TOKEN, message, snowflake, user
from wordpl.apps.league.bot.server import Credentials, Endpoints, LeagueBotConfig, serve
from wordpl.apps.league.discord_message import APP
from wordpl.apps.league.ocr import picture_reader
from wordpl.apps.league.posts import Person
from wordpl.apps.league.store import LeagueStore

GUILD, OTHER_GUILD, CHANNEL, OTHER_CHANNEL = "91", "92", "81", "82"
START = datetime(2025, 7, 1, 5, tzinfo=UTC)
PLAYERS = {"11": "Player One", "12": "Player `Two`", "13": "Player 1/6: @Three"}


def season(channel, n_days=30, first=1):
    """Return a month's summaries, each followed by chat messages."""
    sent = []
    for day in range(n_days):
        posted = START + timedelta(days=day)
        scores = [(1 + (day + at * (day % 3)) % 7, (Person(id, True),)) for at, id in enumerate(PLAYERS)]
        app = user(APP, "Wordle", bot=True)
        mentions = [user(id, f"account_{id}", name) for id, name in PLAYERS.items()]
        text = messages.summary(sorted(scores, key=lambda score: score[0]), streak=day + 1)
        sent.append(message(snowflake(posted, first), channel, app, text, posted, mentions=mentions))
        for at in range(4):
            later = posted + timedelta(hours=1 + at)
            sent.append(message(snowflake(later, first), channel, mentions[0], "well played", later))
    return sent


@asynccontextmanager
async def process(discord, url, program=(sys.executable, "-c", "from wordpl.cli import main; main()", "league", "bot")):
    """Yield the address of a bot in a process of its own; check that it hides its token and ends without an error."""
    environment = os.environ | {
        "WORDPL_BOT_TOKEN": TOKEN,
        "WORDPL_BOT_PUBLIC_KEY": discord.public_key,
        "WORDPL_BOT_REST_URL": discord.url,
    }
    program = [*program, "--port", "0", "--store", url]
    pipe = asyncio.subprocess.PIPE
    bot = await asyncio.create_subprocess_exec(*program, env=environment, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    output = ""
    async with asyncio.timeout(120):
        while "http://" not in output and (line := await bot.stdout.readline()):
            output += line.decode()
    try:
        yield (re.findall(r"http://\S+", output) or [output])[0]
    finally:
        if bot.returncode is None:
            bot.terminate()
        output += (await asyncio.wait_for(bot.communicate(), 60))[0].decode()
        assert TOKEN not in output
    assert bot.returncode == 0, output


@asynccontextmanager
async def serving(discord, url, token=TOKEN, public_key=None, **more):
    """Yield the address of a bot in this process, which starts faster; without a key, that of its invitation."""
    more = {"sweep_every_s": 3600.0, **more}  # no requests in the background, unless a test asks for them
    store, address = LeagueStore(str(url)), asyncio.get_running_loop().create_future()
    bot = serve(
        Endpoints("127.0.0.1", 0, discord.url),
        Credentials(token, discord.public_key if public_key is None else public_key),
        LeagueBotConfig(store, picture_reader(), **more),
        address.set_result,
    )
    task = asyncio.create_task(bot)
    try:
        await asyncio.wait([task, address], return_when=asyncio.FIRST_COMPLETED)
        yield task.result() if task.done() else address.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        store.close()
