"""A league's year on loopback: two servers, 12 people, 365 days, and a bot that is killed again and again.

Run `PYTHONPATH=. python benchmarks/league_year.py`. A fake Discord keeps a clock of its own, which jumps from event to
event. Each day people share, chat and rename themselves, and the Wordle app posts its summary before midnight UTC in
one server and after it in the other. Messages of any age are edited or deleted; Discord limits rates, fails, and is
away for hours. The bot is a process of its own, which is stopped or killed with SIGKILL at random moments and started
again. In the middle of the year the store is copied to the other kind of database, and the bot goes on there. In the
end the store has to equal the truth, and no scheduled post may be double.
"""

import asyncio
import logging
import os
import random
import signal
import time
import urllib.request
from collections import Counter
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from aiohttp import web

from tests.helpers import messages
from tests.helpers.discord import TOKEN, Discord, message, snowflake, user
from wordpl.league.bot.server import Address, Secrets, Service, serve
from wordpl.league.discord_message import APP
from wordpl.league.maintenance import copy_store
from wordpl.league.posts import Person
from wordpl.league.puzzles import number_before, number_on
from wordpl.league.schedules import DAILY, MONTHLY, WEEKLY, lost, make_schedule, set_schedule
from wordpl.league.share_text import SharedGame
from wordpl.league.store import Store

START = datetime(2025, 1, 1, 12, tzinfo=UTC)
SERVERS = {"91": ["81", "82"], "92": ["83"]}
SUMMARIES_AT_H = {"91": 23.0, "92": 5.5}
"""Hours after midnight UTC at which the app posts: before midnight in one server, after it in the other."""
NAMES = ["Anna", "Боря", "陳明", "🔥 Dora", "Emil 1/6: x", "fay", "Gül", "Hiro", "Ívar", "Jo @home", "K.", "Łukasz"]
FORKS = get_context("forkserver")
"""Bots are forked from a process that has imported everything: a start takes no seconds."""
SWEEP_S = 0.3
WAIT_S = 8.0


class World(Discord):
    """A Discord with a clock, faults, and the truth of who needed how many guesses."""

    def __init__(self, chance: random.Random, n_people: int):
        super().__init__()
        self.chance, self.clock, self.faults = chance, START, Counter()
        self.people = {str(100 + at): NAMES[at % len(NAMES)] + "" * at for at in range(n_people)}
        self.members = {server: [] for server in SERVERS}
        self.truth: dict[str, dict[tuple[str, int], int]] = {server: {} for server in SERVERS}
        self.n_messages = 0
        self.is_calm = False
        self._name_all()

    def _name_all(self):
        for server in SERVERS:
            self.members[server] = [(user(id, f"account_{id}", name), None) for id, name in self.people.items()]

    def now(self):
        return self.clock

    def post(self, channel, author, text, **more):
        self.n_messages += 1
        found = message(snowflake(self.clock, self.n_messages), channel, author, text, self.clock, **more)
        self.messages.setdefault(channel, []).append(found)
        return found

    def app_says(self, channel, text, mentions=()):
        return self.post(channel, user(APP, "Wordle", bot=True), text, mentions=list(mentions))

    @asynccontextmanager
    async def listening(self):
        async with super().listening() as url:
            yield url

    def fault(self):
        """Return a refusal now and then."""
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
        taken = await super()._post(request)
        if not self.is_calm and self.chance.random() < 0.05:  # it arrived, but the answer says otherwise
            self.faults["lost answer"] += 1
            return web.json_response({"message": "gateway timeout"}, status=504)
        return taken


def play_day(world: World, day: int) -> list[tuple[datetime, object]]:
    """Return the events of a day, as functions by their time."""
    chance, date = world.chance, (START + timedelta(day)).date()
    number, events = number_on(date), []
    midnight = datetime(date.year, date.month, date.day, tzinfo=UTC)
    for server, channels in SERVERS.items():
        played = {id: min(7, max(1, round(chance.gauss(3.6 + int(id) % 12 / 12, 1.1)))) for id in world.people}
        played = {id: guesses for id, guesses in played.items() if chance.random() < 0.8}
        events += summary(world, server, number, midnight, played)
        for id in chance.sample(sorted(played), min(3, len(played))):
            events.append((midnight + timedelta(hours=chance.uniform(1, 20)), share(world, server, id, number, played)))
        for _ in range(2):
            moment, channel = midnight + timedelta(hours=chance.uniform(0, 24)), chance.choice(channels)
            events.append((moment, partial(chat, world, channel)))
    if chance.random() < 0.03:
        events.append((midnight + timedelta(hours=12), lambda: rename(world)))
    events.append((midnight + timedelta(hours=chance.uniform(0, 24)), lambda: tamper(world)))
    return events


def summary(world, server, number, midnight, played):
    channel = SERVERS[server][0]
    hours = SUMMARIES_AT_H[server]
    posted = midnight + timedelta(hours=hours if hours > 12 else 24 + hours, minutes=world.chance.uniform(0, 30))
    assert number_before(posted) == number

    def say():
        mentions = [user(id, f"account_{id}", world.people[id]) for id in played]
        by_guesses: dict[int, list[Person]] = {}
        for id, guesses in sorted(played.items()):
            is_named = (
                world.chance.random() < 0.3 and " @" not in world.people[id]
            )  # the app mentions some by name alone
            by_guesses.setdefault(guesses, []).append(Person(world.people[id] if is_named else id, not is_named))
        text = messages.summary([(n, tuple(by_guesses[n])) for n in sorted(by_guesses)], streak=number % 300 + 1)
        if played:
            found = world.app_says(channel, text, mentions)
            found["truth"] = (server, number, dict(played))
            world.truth[server] |= {(id, number): guesses for id, guesses in played.items()}
            if world.chance.random() < 0.05:  # the same summary in the other channel
                world.app_says(SERVERS[server][-1], text, mentions)["truth"] = found["truth"]

    return [(posted, say)]


def share(world, server, id, number, played):
    def say():
        lie = world.chance.random() < 0.1
        guesses = 1 if lie else played[id]
        text = messages.share(SharedGame(number, guesses, False))
        world.post(SERVERS[server][0], user(id, f"account_{id}", world.people[id]), text)["claim"] = (
            server,
            number,
            guesses,
        )

    return say


def chat(world, channel):
    id = world.chance.choice(sorted(world.people))
    if world.chance.random() < 0.4:
        world.app_says(channel, f"{world.people[id]} is playing")
    else:
        world.post(channel, user(id, f"account_{id}", world.people[id]), "well played")


def rename(world):
    id = world.chance.choice(sorted(world.people))
    world.people[id] = f"{world.people[id].split(' #')[0]} #{world.chance.randrange(100)}"
    world._name_all()


def tamper(world):
    """Edit or delete a message of any age; the truth follows what the messages say in the end."""
    channel = world.chance.choice([one for channels in SERVERS.values() for one in channels])
    found = world.messages.get(channel, [])
    if not found or world.chance.random() < 0.3:
        return
    one = world.chance.choice(found)
    if world.chance.random() < 0.5:
        found.remove(one)
    elif "truth" in one:
        server, number, played = one["truth"]
        id = world.chance.choice(sorted(played))
        others = {name: guesses for name, guesses in played.items() if name != id}
        by_guesses: dict[int, list[Person]] = {}
        for name, guesses in sorted(others.items()):
            by_guesses.setdefault(guesses, []).append(Person(name, True))
        one["content"] = messages.summary([(n, tuple(by_guesses[n])) for n in sorted(by_guesses)]) or "edited"
        one["edited_timestamp"], one["truth"] = world.clock.isoformat(), (server, number, others)


def expected(world: World) -> dict[str, dict[tuple[str, int], int | None]]:
    """Return what the messages that are left say by the rule of precedence; None where they contradict each other."""
    found: dict[str, dict[tuple[str, int], int | None]] = {server: {} for server in SERVERS}
    for rank in ("truth", "claim"):
        reported: dict[tuple[str, str, int], set[int]] = {}
        for channel in world.messages.values():
            for one in channel:
                if rank in one:
                    server, number, said = one[rank]
                    said = said if isinstance(said, dict) else {one["author"]["id"]: said}
                    for id, guesses in said.items():
                        reported.setdefault((server, id, number), set()).add(guesses)
        for (server, id, number), guesses in reported.items():
            if (id, number) not in found[server]:
                found[server][id, number] = guesses.pop() if len(guesses) == 1 else None
    return found


class Bot:
    """The bot as a process, started and killed."""

    def __init__(self, world: World, url: str, folder: Path):
        self.world, self.url, self.folder = world, url, folder
        self.process = None
        self.kills = Counter()
        self.memory_mib: list[float] = []

    async def start(self):
        ours, theirs = FORKS.Pipe()
        arguments = (self.world.url, self.world.public_key, self.url, str(self.folder / "bot.log"), theirs)
        self.process = FORKS.Process(target=serve_bot, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        for _ in range(6_000):
            if ours.poll():
                return ours.recv()
            await asyncio.sleep(0.02)
        raise click.ClickException(f"the bot did not start: {(self.folder / 'bot.log').read_text()[-800:]}")

    async def end(self, kind):
        self.kills[kind.name] += 1
        self.measure()
        os.kill(self.process.pid, kind)
        while self.process.is_alive():
            await asyncio.sleep(0.01)

    def measure(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        self.memory_mib.append(int(status.split("VmRSS:")[1].split()[0]) / 1024)


async def year(n_days: int, n_people: int, seed: int, urls: tuple[str, str], folder: Path) -> str:
    """Play the year and return what to say of it. Raises ClickException where the store differs from the truth."""
    chance = random.Random(seed)
    world = World(chance, n_people)
    FORKS.set_forkserver_preload(
        ["wordpl.league.bot.server", "wordpl.league.bot.views", "sqlalchemy.dialects.postgresql"]
    )
    async with world.listening():
        bot = Bot(world, urls[0], folder)
        schedule_all(urls[0])
        address = await bot.start()
        for server, channels in SERVERS.items():
            for channel in channels:
                world.clock = START + timedelta(minutes=1)
                world.post(channel, user("100", "account_100", "Anna"), "hello")
                await world.command(address, "sync", server, channel, f"t{channel}")
        for day in range(n_days):
            if day == n_days // 2:
                await bot.end(signal.SIGTERM)
                copied = copy_store(*urls)
                bot.url = urls[1]
                await bot.start()
            await live(world, bot, play_day(world, day), day)
            click.echo(f"day {day}: {len(world.posted)} posts, kills {dict(bot.kills)}", err=True)
        world.is_calm, world.is_down = True, False
        await settle(world)
        bot.measure()
        await bot.end(signal.SIGTERM)
    wrong = differences(world, urls[1])
    posts = Counter((one["channel_id"], one["content"].split("\n")[0]) for one in world.posted)
    doubles = {post: n for post, n in posts.items() if n > 1}
    missed = {key: lost(league, world.clock) for key, league in leagues(urls[1])}
    first, *_, last = bot.memory_mib
    memory = f"{first:.0f} MiB at the first stop, {last:.0f} at the end, {max(bot.memory_mib):.0f} at most"
    said = (
        f"{n_days} days, {n_people} people, seed {seed}: {world.n_messages:,} messages, {len(world.posted)} posts, "
        f"{len(doubles)} double, {sum(map(len, missed.values()))} lost and listed; "
        f"kills {dict(bot.kills)}, faults {dict(world.faults)}; {memory}; copied with digest {copied[:12]}; "
        f"{sum(map(len, expected(world).values())):,} results expected, {len(wrong)} wrong"
    )
    if wrong or doubles:
        raise click.ClickException(f"{said}\nwrong: {wrong[:10]}\ndouble: {list(doubles)[:5]}")
    return said


async def live(world: World, bot: Bot, events, day: int) -> None:
    """Let a day's events happen; the bot works meanwhile, and is killed now and then."""
    chance = world.chance
    if chance.random() < 0.03:
        world.is_down, world.faults["outages"] = True, world.faults["outages"] + 1
    afternoon = datetime(*(START + timedelta(day)).timetuple()[:3], 16, tzinfo=UTC)
    ordered = sorted(events, key=lambda event: event[0])
    for is_before in (True, False):
        for moment, happen in ordered:
            if (moment < afternoon) == is_before:
                world.clock = max(world.clock, moment)
                happen()
                await asyncio.sleep(chance.uniform(0, 0.02))
        if is_before:
            world.clock = max(world.clock, afternoon)
            await afternoon_posts(world, bot, afternoon)
    await asyncio.sleep(chance.uniform(0.1, 0.4))
    world.is_down = False


async def afternoon_posts(world: World, bot: Bot, afternoon: datetime) -> None:
    """Let the bot post; kill it now and then at a random moment, and start it again."""
    chance, wanted = world.chance, {channels[0] for channels in SERVERS.values()}
    killed_after_s = chance.uniform(0, 1.5) if chance.random() < 0.2 else WAIT_S
    began = time.monotonic()
    while time.monotonic() - began < WAIT_S:
        await asyncio.sleep(0.02)
        day = f"**Day · {afternoon.date().isoformat()}**"
        found = {one["channel_id"] for one in world.posted if one["content"].startswith(day)}
        if time.monotonic() - began > killed_after_s:
            await bot.end(signal.SIGKILL if chance.random() < 0.8 else signal.SIGTERM)
            await bot.start()
            killed_after_s = WAIT_S
            world.clock += timedelta(minutes=chance.uniform(0, 10))
        elif (found == wanted or world.is_down) and killed_after_s == WAIT_S:
            return
        world.clock += timedelta(seconds=1)


def schedule_all(url: str) -> None:
    store = Store(url)
    for server, channels in SERVERS.items():
        for kind, at in ((DAILY, "13:00"), (WEEKLY, "14:00"), (MONTHLY, "15:00")):
            set_schedule(store.league(server), make_schedule(kind, channels[0], at, "Europe/Berlin", START))
    store.close()


def leagues(url: str):
    store = Store(url)
    yield from ((server, store.find(server)) for server in SERVERS)
    store.close()


async def settle(world: World) -> None:
    """Wait until the bot has gone through all channels twice."""
    n_pages = sum(len(found) // 100 + 2 for found in world.messages.values())
    n_asked = len(world.asked)
    for _ in range(600):
        await asyncio.sleep(0.5)
        if len(world.asked) > n_asked + 8 * n_pages:
            return


def differences(world: World, url: str) -> list[str]:
    wrong = []
    for (server, truth), (_, league) in zip(expected(world).items(), leagues(url), strict=True):
        found = league.resolved()
        kept = {
            (found.ids[row.player].key, int(row.day)): int(row.guesses) for row in found.results.itertuples(index=False)
        }
        for key in truth.keys() | kept.keys():
            if truth.get(key) != kept.get(key):
                wrong.append(f"{server} {key}: {kept.get(key)} kept, {truth.get(key)} true")
    return wrong


def serve_bot(url: str, public_key: str, store_url: str, log: str, ready: Connection) -> None:
    """Serve as the bot's process, by the clock of the fake Discord."""

    def clock() -> datetime:
        with urllib.request.urlopen(f"{url}/clock", timeout=30) as found:
            return datetime.fromisoformat(found.read().decode())

    logging.basicConfig(filename=log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    service = Service(Store(store_url), lambda data: (), clock, SWEEP_S, 0.2)
    asyncio.run(serve(Address("127.0.0.1", 0, url), Secrets(TOKEN, public_key), service, ready.send))


@click.command()
@click.option("--days", default=365, show_default=True)
@click.option("--people", default=12, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--first", help="URL of the store of the first half.  [default: a SQLite file]")
@click.option("--second", help="URL of the store of the second half, empty.  [default: a SQLite file]")
def main(days: int, people: int, seed: int, first: str | None, second: str | None) -> None:
    """Play a year of a league, and compare its store with the truth."""
    with TemporaryDirectory() as name:
        urls = first or f"sqlite:///{name}/first.sqlite", second or f"sqlite:///{name}/second.sqlite"
        began = time.monotonic()
        click.echo(asyncio.run(year(days, people, seed, urls, Path(name))))
        click.echo(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
