"""Measure how fast the league bot answers many people at once: `python -m benchmarks.league_commands`.

A bot in its own process serves a league of simulated results in a fake Discord. 60 commands, 12 distinct questions, are
sent at the same time. Printed are the times until Discord has the text of each answer, and the bot's CPU time for these
and for the pictures that follow.
"""

import asyncio
import os
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np

from benchmarks.league_world import Bot
from tests.helpers.discord import CONTENT_AND_MEMBERS, Discord, user
from wordpl.apps.league.posts import DISCORD, DayFrom, DiscordUser, Person, ReportedResult, ResultPost
from wordpl.apps.league.store import LeagueStore
from wordpl.core.puzzles import number_on

NOW = datetime.now(UTC)
QUESTIONS = (
    ("leaderboard", {}),
    ("leaderboard", {"method": "elo"}),
    ("leaderboard", {"method": "total"}),
    ("leaderboard", {"season": f"{NOW:%Y}"}),
    ("personal_stats", {"name": "Player 3"}),
    ("personal_stats", {"name": "Player 4"}),
    ("day", {"puzzle": "yesterday"}),
    ("crowns", {}),
    ("missing", {}),
    ("season", {"season": f"{NOW:%Y}"}),
    ("compare", {"name": "Player 1", "other_name": "Player 2"}),
    ("why", {}),
)


def fill(url: str, n_players: int, n_days: int) -> None:
    """Write a league of simulated results."""
    rng, store, today = np.random.default_rng(3), LeagueStore(url), number_on(NOW.date())
    league = store.league("91", "A Group")
    league.save_members([DiscordUser(str(100 + i), f"Player {i}", "", f"p{i}") for i in range(n_players)], NOW)
    guesses = rng.normal(4, 1.1, (n_days, n_players)).round().clip(1, 7).astype(int)
    posts = []
    for day, row in enumerate(guesses):
        number, posted = today - n_days + day, NOW - timedelta(days=n_days - day)
        results = (ReportedResult(Person(str(100 + i), True), number, int(n)) for i, n in enumerate(row))
        posts.append(ResultPost(DISCORD, str(day), tuple(results), DayFrom.TEXT, "81", posted))
    league.add(posts)
    store.close()


async def measure(url: str, folder: Path, n_commands: int) -> None:
    """Start the bot, send all commands at once, and print the times."""
    took: list[float] = []

    async def ask(discord: Discord, address: str, n: int) -> None:
        (name, options), began = QUESTIONS[n % len(QUESTIONS)], time.perf_counter()
        text, _ = await discord.command(address, name, "91", "81", f"{name}-{n}", user("100", "p0"), **options)
        took.append(time.perf_counter() - began)
        if "wrong" in text or "no command" in text:
            raise click.ClickException(f"/{name} answers {text[:200]!r}")

    discord = Discord(CONTENT_AND_MEMBERS)
    async with discord.listening():
        bot = Bot(discord, url, folder)
        await bot.start()
        await asyncio.sleep(10)  # it loads what answers need
        await asyncio.gather(*(ask(discord, bot.address, n) for n in range(n_commands)))
        for n in range(4):
            await discord.picture(f"leaderboard-{n}")
        await bot.end(signal.SIGTERM)
    half, most = np.quantile(took, [0.5, 0.95])
    click.echo(f"half within {half:.2f} s, 95% {most:.2f} s, all {max(took):.2f} s")
    click.echo(f"bot {bot.cpu_s:.1f} CPU s from its start to the last picture, load {os.getloadavg()[0]:.1f}")


@click.command()
@click.option("--commands", default=60, show_default=True)
@click.option("--players", default=30, show_default=True)
@click.option("--days", default=200, show_default=True)
def main(commands: int, players: int, days: int) -> None:
    """Measure with a store in a temporary folder."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/league.sqlite"
        fill(url, players, days)
        asyncio.run(measure(url, Path(folder), commands))


if __name__ == "__main__":
    main()
