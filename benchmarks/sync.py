"""Measure `/sync`: a bot in its own process reads 50,000 messages from a fake Discord on the loopback interface.

Run `PYTHONPATH=. python benchmarks/sync.py`. CPU seconds and memory of the bot include the start of Python and the
imports. Discord's own rate limits, which make 500 pages take minutes, are not simulated.
"""

import asyncio
import os
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import click

from tests.helpers.discord import Discord
from tests.league.test_bot import CHANNEL, GUILD, process, season
from wordpl.league.bot.interaction_handler import ANSWER_S

PER_DAY = 5  # messages of `season`, one of them a summary of three results


async def sync(n_messages: int, folder: Path) -> str:
    """Return the bot's final reply, and how long it took."""
    discord, reply = Discord(), ""
    discord.answer_s = ANSWER_S + 60
    discord.messages[CHANNEL] = season(CHANNEL, n_messages // PER_DAY)
    began = time.perf_counter()
    async with discord.listening(), process(discord, f"sqlite:///{folder}/league.sqlite") as bot:
        while not reply or "run /sync again" in reply:
            token = os.urandom(4).hex()
            reply, _ = await discord.command(bot, "sync", GUILD, CHANNEL, token, message_limit=n_messages)
    return f"{reply} {len(discord.asked):,} pages, {time.perf_counter() - began:.0f} s"


@click.command()
@click.option("--messages", default=50_000, show_default=True)
def main(messages: int) -> None:
    """Read a channel once and print the cost."""
    with TemporaryDirectory() as folder:
        click.echo(asyncio.run(sync(messages, Path(folder))))
        size = Path(folder, "league.sqlite").stat().st_size / (1 << 20)
    used = getrusage(RUSAGE_CHILDREN)
    cost = f"{used.ru_utime + used.ru_stime:.1f} processor s, {used.ru_maxrss / 1024:.0f} MiB at most"
    click.echo(f"bot: {cost}; store: {size:.1f} MiB")


if __name__ == "__main__":
    main()
