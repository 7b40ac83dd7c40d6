"""Measure how fast the league bot answers many servers at once: `PYTHONPATH=. python benchmarks/league_commands.py`.

A bot in its own process serves 20 servers, each with a league of its own, of a fake Discord. 15 commands of each server
are sent at the same time. Printed are the times until Discord has the acknowledgement and the answer of each command,
and how many answers took so long that a message said so before.
"""

import asyncio
import os
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

from benchmarks.league_world import Bot
from tests.helpers.discord import Discord, user
from wordpl.league.posts import DISCORD, DayFrom, DiscordUser, Person, ReportedResult, ResultPost
from wordpl.league.puzzles import number_on
from wordpl.league.store import LeagueStore

NOW = datetime.now(UTC)
COMMANDS = (
    ("leaderboard", {}),
    ("leaderboard", {"method": "elo"}),
    ("leaderboard", {"method": "map-elo"}),
    ("personal_stats", {}),
    ("day", {}),
    ("crowns", {}),
    ("season", {}),
    ("my_data", {}),
    ("help", {}),
    ("compare", {"name": "Player 1", "other_name": "Player 2"}),
)
EXPECTED = ("Player", "Puzzle", "Attached", "/leaderboard")
"""One of these is in every answer that is not an error."""
SEED = 3


class Servers(Discord):
    """A fake Discord with servers in which nothing is posted."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.guild_of = {f"8{name}": name for name in names}
        self.answer_s = 300
        self.acknowledged_s: list[float] = []

    async def send(self, url: str, body: dict[str, Any]) -> Any:
        began = time.perf_counter()
        response = await super().send(url, body)
        self.acknowledged_s.append(time.perf_counter() - began)
        return response


def fill(url: str, servers: list[str], n_players: int, n_days: int) -> None:
    """Write a league of simulated results for each server."""
    rng, store, today = np.random.default_rng(SEED), LeagueStore(url), number_on(NOW.date())
    for server in servers:
        league = store.league(server, f"Server {server}")
        league.save_members([DiscordUser(str(100 + i), f"Player {i}", "", f"p{i}") for i in range(n_players)], NOW)
        guesses = rng.normal(4, 1.1, (n_days, n_players)).round().clip(1, 7).astype(int)
        posts = []
        for day, row in enumerate(guesses):
            number, posted = today - n_days + day, NOW - timedelta(days=n_days - day)
            results = (ReportedResult(Person(str(100 + i), True), number, int(n)) for i, n in enumerate(row))
            posts.append(ResultPost(DISCORD, str(day), tuple(results), DayFrom.TEXT, f"8{server}", posted))
        league.add(posts)
    store.close()


async def answered(world: Servers, address: str, server: str, number: int) -> tuple[str, float]:
    """Send a command; return its name and the seconds until its answer."""
    name, options = COMMANDS[number % len(COMMANDS)]
    author, began = user("100", "p0", "Player 0"), time.perf_counter()
    reply, _ = await world.command(address, name, server, f"8{server}", f"{server}-{number}", author, **options)
    took = time.perf_counter() - began
    if not any(expected in reply for expected in EXPECTED):
        raise click.ClickException(f"/{name} answers {reply[:200]!r}")
    return name, took


async def measure(url: str, folder: Path, servers: list[str], n_each: int) -> None:
    """Start the bot, send all commands at once, and print the times."""
    world = Servers(servers)
    async with world.listening():
        bot = Bot(world, url, folder)
        await bot.start()
        await answered(world, bot.address, servers[0], 8)
        world.acknowledged_s.clear()
        jobs = [answered(world, bot.address, server, number) for server in servers for number in range(10, 10 + n_each)]
        took = await asyncio.gather(*jobs)
        await bot.end(signal.SIGTERM)
    cost = f"bot {bot.cpu_s:.1f} CPU s, load {os.getloadavg()[0]:.1f}"
    click.echo(f"{len(took)} commands of {len(servers)} servers at once; {cost}")
    show("acknowledged", world.acknowledged_s)
    show("answered", [seconds for _, seconds in took])
    for name in dict.fromkeys(name for name, _ in took):
        show(f"  {name}", [seconds for other, seconds in took if other == name])


def show(what: str, seconds: list[float]) -> None:
    """Print within how many seconds things happened."""
    half, most = np.quantile(seconds, [0.5, 0.95])
    click.echo(f"{what:<18} {len(seconds):>4}: half within {half:.2f} s, 95% {most:.2f} s, all {max(seconds):.2f} s")


@click.command()
@click.option("--servers", default=20, show_default=True)
@click.option("--commands", default=15, show_default=True, help="Commands of each server.")
@click.option("--players", default=30, show_default=True)
@click.option("--days", default=200, show_default=True)
def main(servers: int, commands: int, players: int, days: int) -> None:
    """Measure with a store in a temporary folder."""
    names = [str(900 + number) for number in range(servers)]
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/league.sqlite"
        fill(url, names, players, days)
        asyncio.run(measure(url, Path(folder), names, commands))


if __name__ == "__main__":
    main()
