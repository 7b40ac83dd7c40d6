"""The bot of a simulated year, as a process that is started and killed and follows the clock of a fake Discord."""

import asyncio
import logging
import os
import urllib.request
from collections import Counter
from datetime import datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import click

from benchmarks.league_world import World
from tests.helpers.discord import TOKEN
from wordpl.league.bot.server import Credentials, Endpoints, LeagueBotConfig, serve
from wordpl.league.store import LeagueStore

FORKS = get_context("forkserver")
"""Bots are forked from a process with these modules imported, so that they start quickly."""
PRELOADED = ["wordpl.league.bot.server", "wordpl.league.bot.replies", "sqlalchemy.dialects.postgresql", "matplotlib"]
FORKS.set_forkserver_preload(PRELOADED)
SWEEP_S, SWEEP_WITH_GATEWAY_S, TICK_S = 0.3, 5.0, 0.1


class Bot:
    """The bot's process.

    Attributes:
        memory_mib: The memory of each process, day by day.
    """

    def __init__(self, world: World, url: str, folder: Path):
        self.world, self.url, self.folder = world, url, folder
        self.process, self.address = None, ""
        self.kills, self.memory_mib, self.cpu_s = Counter(), [], 0.0

    async def start(self):
        ours, theirs = FORKS.Pipe()
        sweep_s = SWEEP_WITH_GATEWAY_S if self.world.flags else SWEEP_S
        discord = self.world.url, self.world.public_key
        arguments = (discord, self.url, str(self.folder / "bot.log"), theirs, sweep_s)
        self.process = FORKS.Process(target=serve_bot, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.memory_mib.append([])
        for _ in range(6_000):
            if ours.poll():
                self.address = ours.recv()
                return
            await asyncio.sleep(0.02)
        raise click.ClickException(f"the bot did not start: {(self.folder / 'bot.log').read_text()[-800:]}")

    async def end(self, kind):
        self.kills[kind.name] += 1
        self.cpu_s += sum(map(int, Path(f"/proc/{self.process.pid}/stat").read_text().split()[13:15])) / 100
        os.kill(self.process.pid, kind)
        while self.process.is_alive():
            await asyncio.sleep(0.01)

    def measure(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        self.memory_mib[-1].append(int(status.split("VmRSS:")[1].split()[0]) / 1024)


def serve_bot(discord: tuple[str, str], store_url: str, log: str, ready: Connection, sweep_s: float) -> None:
    """Run the bot in its process, with the clock of the fake Discord given by its URL and public key."""
    url, public_key = discord

    def clock() -> datetime:
        with urllib.request.urlopen(f"{url}/clock", timeout=30) as response:
            return datetime.fromisoformat(response.read().decode())

    logging.basicConfig(filename=log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    service = LeagueBotConfig(LeagueStore(store_url), lambda data: (), clock, sweep_s, TICK_S)
    asyncio.run(serve(Endpoints("127.0.0.1", 0, url), Credentials(TOKEN, public_key), service, ready.send))
