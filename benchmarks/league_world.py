"""A simulated Discord with two servers: what people and the Wordle app do there in a year, and the true results.

Its bot is a process that is started and killed, and follows the clock of the simulated Discord.
"""

import asyncio
import logging
import os
import random
import time
import urllib.request
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import click
from aiohttp import web

from tests.helpers import messages
from tests.helpers.discord import CONTENT_AND_MEMBERS, TOKEN, Discord, member, message, snowflake, user
from wordpl.apps.league.bot.server import Credentials, Endpoints, LeagueBotConfig, serve
from wordpl.apps.league.discord_message import APP
from wordpl.apps.league.posts import Person
from wordpl.apps.league.share_text import SharedGame
from wordpl.apps.league.store import LeagueStore
from wordpl.core.puzzles import number_on, number_summarized_at

START = datetime(2025, 1, 1, 12, tzinfo=UTC)
SERVERS = {"91": ["81", "82"], "92": ["83"]}
SUMMARIES_AT_H = {"91": 23.0, "92": 5.5}
"""Hour (UTC) at which the app posts its summary: before midnight in one server, after it in the other."""
NAMES = ["Anna", "Боря", "陳明", "🔥 Dora", "Emil 1/6: x", "fay", "Gül", "Hiro", "Ívar", "Jo @home", "K.", "Łukasz"]
EDITED_AFTER = timedelta(days=7)
"""The age of a share from which it is edited: the bot has read it before, also if Discord was down for hours."""
FORKS = get_context("forkserver")
"""Bots are forked from a process with these modules imported, so that they start quickly."""
PRELOADED = [
    "wordpl.apps.league.bot.server",
    "wordpl.apps.league.bot.commands",
    "sqlalchemy.dialects.postgresql",
    "matplotlib",
]
FORKS.set_forkserver_preload(PRELOADED)
SWEEP_S, SWEEP_WITH_GATEWAY_S, TICK_S = 0.3, 5.0, 0.1


class World(Discord):
    """A simulated Discord with a clock, faults, and the true number of guesses of everybody.

    Attributes:
        newest: The last puzzle that the app has summarized in each server.
        forgotten: All names since the start of people who had themselves forgotten, by their ids.
        outbox: Events that the gateway has not sent yet.
    """

    def __init__(self, seed: int, n_people: int):
        super().__init__()
        self.chance, self.clock, self.faults = random.Random(seed), START, Counter()
        self.people = {str(100 + index): NAMES[index % len(NAMES)] for index in range(n_people)}
        self.guild_of = {channel: server for server, channels in SERVERS.items() for channel in channels}
        self.n_messages, self.newest, self.outbox, self.forgotten = 0, {}, [], {}
        self.is_calm = False
        self.name_all()

    def name_all(self):
        for server in SERVERS:
            self.members[server] = [(user(id, f"account_{id}", name), None) for id, name in self.people.items()]

    def use_gateway(self, is_used):
        """Let the bot use the gateway from its next start on, or only HTTP."""
        self.flags = CONTENT_AND_MEMBERS if is_used else 0

    def now(self):
        return self.clock

    def post(self, channel, author, text, **more):
        self.n_messages += 1
        posted = message(snowflake(self.clock, self.n_messages), channel, author, text, self.clock, **more)
        self.messages.setdefault(channel, []).append(posted)
        self.outbox.append(("MESSAGE_CREATE", posted | {"guild_id": self.guild_of[channel]}))
        return posted

    def app_says(self, channel, text, mentions=()):
        return self.post(channel, user(APP, "Wordle", bot=True), text, mentions=list(mentions))

    async def tell(self):
        """Let the gateway send the pending events; during an outage nobody receives them."""
        events, self.outbox = self.outbox, []
        for name, data in events if not self.is_down else ():
            await self.gateway.emit(name, **data)

    async def have_outage(self):
        self.is_down = self.gateway.is_down = True
        self.faults["outages"] += 1
        await self.gateway.drop()
        self.gateway.forget_sessions()

    def end_outage(self):
        self.is_down = self.gateway.is_down = False

    def fault(self):
        """Return a refusal occasionally."""
        if self.is_calm or self.chance.random() > 0.01:
            return None
        kind = self.chance.choice(["rate limit", "bad gateway"])
        self.faults[kind] += 1
        if kind == "bad gateway":
            return web.json_response({"message": "bad gateway"}, status=502)
        body = {"message": "You are being rate limited.", "retry_after": 0.05, "global": False}
        headers = {"Retry-After": "1", "X-RateLimit-Bucket": "b", "X-RateLimit-Limit": "5", "X-RateLimit-Scope": "user"}
        headers |= {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "0.05"}
        return web.json_response(body, status=429, headers=headers | {"X-RateLimit-Reset": str(time.time() + 0.05)})

    async def _messages(self, request):
        return self.fault() or await super()._messages(request)

    async def _post(self, request):
        before = self.fault()
        if before is not None:
            return before
        response = await super()._post(request)
        if not self.is_calm and self.chance.random() < 0.05:  # it arrived, but the response reports an error
            self.faults["lost answer"] += 1
            return web.json_response({"message": "gateway timeout"}, status=504)
        return response


def play_day(world: World, day: int) -> list[tuple[datetime, object]]:
    """Return the events of a day, as functions by time."""
    chance, date = world.chance, (START + timedelta(day)).date()
    number, events = number_on(date), []
    midnight = datetime(date.year, date.month, date.day, tzinfo=UTC)
    for server, channels in SERVERS.items():
        played = {id: min(7, max(1, round(chance.gauss(3.6 + int(id) % 12 / 12, 1.1)))) for id in world.people}
        played = {id: guesses for id, guesses in played.items() if chance.random() < 0.8}
        events.append(summary(world, server, number, midnight, played))
        for id in chance.sample(sorted(played), min(3, len(played))):
            moment = midnight + timedelta(hours=chance.uniform(1, 20))
            events.append((moment, partial(share, world, server, id, number, played)))
        if chance.random() < 0.1:
            moment, id = midnight + timedelta(hours=chance.uniform(1, 20)), chance.choice(sorted(world.people))
            events.append((moment, partial(share_late, world, server, id, number - chance.randint(3, 60))))
        for _ in range(2):
            moment, channel = midnight + timedelta(hours=chance.uniform(0, 24)), chance.choice(channels)
            events.append((moment, partial(chat, world, channel)))
    if chance.random() < 0.03:
        events.append((midnight + timedelta(hours=12), partial(rename, world)))
    events.append((midnight + timedelta(hours=chance.uniform(0, 24)), partial(tamper, world)))
    return events


def summary(world, server, number, midnight, played):
    """Return when the app posts the summary, and the function that posts it."""
    hours = SUMMARIES_AT_H[server]
    posted = midnight + timedelta(hours=hours if hours > 12 else 24 + hours, minutes=world.chance.uniform(0, 30))
    assert number_summarized_at(posted) == number

    def say():
        channel = SERVERS[server][0]
        mentions = [user(id, f"account_{id}", world.people[id]) for id in played]
        by_guesses: dict[int, list[Person]] = {}
        for id, guesses in sorted(played.items()):
            is_named = (
                world.chance.random() < 0.3 and " @" not in world.people[id]
            )  # the app mentions some people only by name
            by_guesses.setdefault(guesses, []).append(Person(world.people[id] if is_named else id, not is_named))
        text = messages.summary([(n, tuple(by_guesses[n])) for n in sorted(by_guesses)], streak=number % 300 + 1)
        if played:
            truth = (server, number, dict(played))
            world.newest[server] = number
            world.app_says(channel, text, mentions)["truth"] = truth
            if world.chance.random() < 0.05:  # the same summary in another channel
                world.app_says(SERVERS[server][-1], text, mentions)["truth"] = truth

    return posted, say


def share(world, server, id, number, played):
    """Let a player share a result; one in ten shares claims a single guess."""
    guesses = 1 if world.chance.random() < 0.1 else played[id]
    text = messages.share(SharedGame(number, guesses, False))
    posted = world.post(SERVERS[server][0], user(id, f"account_{id}", world.people[id]), text)
    posted["claim"] = (server, number, guesses)


def share_late(world, server, id, number):
    """Let a player share an old puzzle, which does not count."""
    text = messages.share(SharedGame(number, 1, False))
    world.post(SERVERS[server][0], user(id, f"account_{id}", world.people[id]), text)["late"] = True


def chat(world, channel):
    id = world.chance.choice(sorted(world.people))
    if world.chance.random() < 0.4:
        world.app_says(channel, f"{world.people[id]} is playing")
    else:
        world.post(channel, user(id, f"account_{id}", world.people[id]), "well played")


def rename(world):
    id = world.chance.choice(sorted(world.people))
    world.people[id] = f"{world.people[id].split(' #')[0]} #{world.chance.randrange(100)}"
    if id in world.forgotten:
        world.forgotten[id].add(world.people[id])
    world.name_all()
    for server in SERVERS:
        renamed = member(user(id, f"account_{id}", world.people[id]), None) | {"guild_id": server}
        world.outbox.append(("GUILD_MEMBER_UPDATE", renamed))


def tamper(world):
    """Edit or delete a message of any age; the truth follows the final content of the messages."""
    channel = world.chance.choice(sorted(world.guild_of))
    posts = world.messages.get(channel, [])
    if not posts or world.chance.random() < 0.3:
        return
    post = world.chance.choice(posts)
    named = {"id": post["id"], "channel_id": channel, "guild_id": world.guild_of[channel]}
    if world.chance.random() < 0.5:
        posts.remove(post)
        world.outbox.append(("MESSAGE_DELETE", named))
    elif "truth" in post:
        server, number, played = post["truth"]
        id = world.chance.choice(sorted(played))
        others = {name: guesses for name, guesses in played.items() if name != id}
        by_guesses: dict[int, list[Person]] = {}
        for name, guesses in sorted(others.items()):
            by_guesses.setdefault(guesses, []).append(Person(name, True))
        post["content"] = messages.summary([(n, tuple(by_guesses[n])) for n in sorted(by_guesses)]) or "edited"
        post["edited_timestamp"], post["truth"] = world.clock.isoformat(), (server, number, others)
        world.outbox.append(("MESSAGE_UPDATE", named))
    elif "claim" in post and world.clock - datetime.fromisoformat(post["timestamp"]) > EDITED_AFTER:
        post["content"] = messages.share(SharedGame(post["claim"][1], 1, False))  # what it said before still counts
        post["edited_timestamp"] = world.clock.isoformat()
        world.outbox.append(("MESSAGE_UPDATE", named))


def expected(world: World) -> dict[str, dict[tuple[str, int], int | None]]:
    """Return the result that follows from the remaining messages by precedence; None if they contradict each other."""
    results: dict[str, dict[tuple[str, int], int | None]] = {server: {} for server in SERVERS}
    for rank in ("truth", "claim"):
        reported: dict[tuple[str, str, int], set[int]] = {}
        for channel in world.messages.values():
            for post in channel:
                if rank in post:
                    server, number, reports = post[rank]
                    reports = reports if isinstance(reports, dict) else {post["author"]["id"]: reports}
                    for id, guesses in reports.items():
                        reported.setdefault((server, id, number), set()).add(guesses)
        for (server, id, number), guesses in reported.items():
            if id not in world.forgotten and (id, number) not in results[server]:
                results[server][id, number] = guesses.pop() if len(guesses) == 1 else None
    return results


class Bot:
    """The bot's process.

    Attributes:
        memory_mib: The memory of each process, day by day.
    """

    def __init__(self, world: Discord, url: str, folder: Path):
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
