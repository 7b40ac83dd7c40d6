"""Simulate a year of a league: two servers, 12 people, 365 days, and a bot that is killed again and again.

Run `PYTHONPATH=. python benchmarks/league_year.py year --second postgresql://...`. A fake Discord has its own clock,
which jumps from event to event (benchmarks/league_world.py). Each day people share, chat and change their names, and
the Wordle app posts its summary before midnight UTC in one server and after it in the other. Messages of any age are
edited or deleted, people share old puzzles, and some have themselves forgotten; Discord limits rates, fails, loses
answers, and is down for hours. The bot is a separate process, which is stopped or killed with SIGKILL at random times
and restarted; in every other month it uses the gateway. In the middle of the year the store is copied to the other
database, and the bot continues there. At the end the store must equal the truth, no scheduled post may have been sent
twice, and nobody who was forgotten may appear in the store, a backup, the site or the bot's log.
"""

import asyncio
import signal
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import sqlalchemy as sa

from benchmarks.league_world import SERVERS, START, Bot, World, expected, play_day
from tests.helpers.discord import user
from wordpl.apps.league.bot.announcer import heading
from wordpl.apps.league.database import backup, copy_store
from wordpl.apps.league.schedules import (
    DAILY,
    MONTHLY,
    WEEKLY,
    make_schedule,
    missed_posts,
    periods,
    read_schedules,
    set_schedule,
)
from wordpl.apps.league.site import LeagueSite, write_site
from wordpl.apps.league.store import LeagueStore

WAIT_S = 90.0
RESTART_DAYS = 15
"""The days after which the bot is started again, at most."""
PERSONAL = {"person", "key", "name", "player", "actor"}
"""The columns of the store that hold ids of people."""
FORGET_DAYS = {40: "101", 100: "104", 200: "107", 300: "109"}
"""The days after which a person uses /forget in both servers."""


class Year:
    """A simulated year.

    Attributes:
        month: Days after which the bot switches between gateway and HTTP; two of four such months have no kills.
    """

    def __init__(self, folder: Path, urls: tuple[str, str], world: World, n_days: int, month: int):
        self.folder, self.urls, self.n_days, self.month = folder, urls, n_days, month
        self.world, self.bot = world, Bot(world, urls[0], folder)
        self.digest, self.answers = "", Counter()

    async def play(self) -> str:
        """Play the year and return a report."""
        for url in self.urls:
            empty(url)
        async with self.world.listening():
            await self.begin()
            for day in range(self.n_days):
                await self.live_day(day)
            await self.bot.end(signal.SIGTERM)
            return await self.end()

    async def begin(self):
        schedule_all(self.urls[0])
        await self.bot.start()
        for server, channels in SERVERS.items():
            for channel in channels:
                self.world.clock = START + timedelta(minutes=1)
                self.world.post(channel, user("100", "account_100", "Anna"), "hello")
                await self.world.command(self.bot.address, "sync", server, channel, f"t{channel}")
        await self.bot.end(signal.SIGTERM)

    async def live_day(self, day: int) -> None:
        """Play a day; on some, the bot is started again before, with the gateway or without, or on the other store."""
        is_middle = day == self.n_days // 2
        if is_middle or day % min(RESTART_DAYS, self.month) == 0:
            if day:
                await self.bot.end(signal.SIGTERM)
            if is_middle:
                self.digest, self.bot.url = copy_store(*self.urls), self.urls[1]
            self.world.use_gateway(day // self.month % 2 == 1)
            await self.bot.start()
        await live(self.world, self.bot, play_day(self.world, day), day, day // self.month % 4 < 2)
        if day in FORGET_DAYS:
            await forget(self.world, self.bot, FORGET_DAYS[day])
        if day % 3 == 0:
            self.answers[await ask(self.world, self.bot)] += 1
        self.bot.measure()
        sent, kills = len(self.world.posted), dict(self.bot.kills)
        click.echo(f"{day + 1} days: {sent} posts, kills {kills}, answers {dict(self.answers)}", err=True)

    async def end(self) -> str:
        """Let the bot read all channels, and compare its store with the truth."""
        self.world.is_calm = True
        self.world.use_gateway(False)
        await self.bot.start()
        await settle(self.world)
        await self.bot.end(signal.SIGTERM)
        return self.verdict()

    def verdict(self) -> str:
        world, bot = self.world, self.bot
        found = traces(world, bot.url, self.folder)
        wrong, n_results = differences(world, bot.url), sum(map(len, expected(world).values()))
        posts = Counter((post["channel_id"], post["content"].split("\n")[0]) for post in world.posted)
        doubles = [post for post, n in posts.items() if n > 1]
        missed = [
            f"{server} {kind} {day}"
            for server, league in leagues(bot.url)
            for kind, day in missed_posts(league, world.clock)
        ]
        longest = max(bot.memory_mib, key=len)
        first = f"{longest[0]:.0f} MiB after its first day, {longest[-1]:.0f} after its last"
        memory = (
            f"longest process {len(longest)} days: {first}; {max(map(max, filter(None, bot.memory_mib))):.0f} at most"
        )
        messages = [post for posts in world.messages.values() for post in posts]
        n_late = sum("late" in post for post in messages)
        n_edited = sum("claim" in post and bool(post["edited_timestamp"]) for post in messages)
        lines = [
            f"{self.n_days} days, {len(world.people)} people: {world.n_messages:,} messages, "
            f"{n_results:,} results expected, {len(wrong)} wrong",
            f"{len(world.posted)} scheduled posts, {len(doubles)} double, {len(missed)} lost and listed: {missed}",
            f"answers right after a summary: {dict(self.answers)}",
            f"bot ended by {dict(bot.kills)}; Discord's faults {dict(world.faults)}; copied: digest {self.digest[:12]}",
            f"{n_late} late shares, {n_edited} edited ones; {len(world.forgotten)} people forgotten, "
            f"{len(found)} traces of them",
            f"memory: {memory}; processor: bot {bot.cpu_s:.0f} s",
        ]
        if wrong or doubles or found:
            details = [f"wrong: {wrong[:10]}", f"double: {doubles[:5]}", *found[:10]]
            raise click.ClickException("\n".join([*lines, *details]))
        return "\n".join(lines)


async def live(world: World, bot: Bot, events, day: int, may_kill: bool) -> None:
    """Play a day's events while the bot works, and kill it occasionally."""
    chance = world.chance
    if chance.random() < 0.03:
        await world.have_outage()
    elif chance.random() < 0.1:
        await world.gateway.drop()
    afternoon = datetime(*(START + timedelta(day)).timetuple()[:3], 16, tzinfo=UTC)
    ordered = sorted(events, key=lambda event: event[0])
    for is_before in (True, False):
        for moment, happen in ordered:
            if (moment < afternoon) == is_before:
                world.clock = max(world.clock, moment)
                happen()
                await world.tell()
                await asyncio.sleep(chance.uniform(0, 0.02))
        if is_before:
            world.clock = max(world.clock, afternoon)
            await afternoon_posts(world, bot, day, may_kill)
    world.end_outage()


async def afternoon_posts(world: World, bot: Bot, day: int, may_kill: bool) -> None:
    """Let the bot send its posts; occasionally kill it at a random moment and restart it."""
    chance, expected_posts = world.chance, due(bot.url, (START + timedelta(day)).date())
    is_killed = chance.random() < 0.2 and may_kill
    killed_after_s = chance.uniform(0, 1.5) if is_killed else WAIT_S
    began = time.monotonic()
    while time.monotonic() - began < WAIT_S:
        await asyncio.sleep(0.02)
        if time.monotonic() - began > killed_after_s:
            await bot.end(signal.SIGKILL if chance.random() < 0.8 else signal.SIGTERM)
            await bot.start()
            killed_after_s = WAIT_S
            world.clock += timedelta(minutes=chance.uniform(0, 10))
        elif (world.is_down or are_posted(world, expected_posts)) and killed_after_s == WAIT_S:
            return
        world.clock += timedelta(seconds=1)


def are_posted(world: World, expected_posts: set[tuple[str, str]]) -> bool:
    recent = world.posted[-3 * len(SERVERS) :]
    return expected_posts <= {(post["channel_id"], post["content"].split("\n")[0]) for post in recent}


def due(url: str, date) -> set[tuple[str, str]]:
    """Return the channel and the first line of the posts that are due on a day."""
    posts = set()
    for _, league in leagues(url):
        for schedule in read_schedules(league):
            posts |= {(schedule.channel, heading(schedule.kind, name)) for name, _ in periods(schedule, date, date)}
    return posts


async def ask(world: World, bot: Bot) -> str:
    """Ask for the newest day right after a server's summary; return whether the reply includes it."""
    (server, number), (channel, *_) = next(iter(world.newest.items())), SERVERS["91"]
    world.answer_s = 120
    reply, _ = await world.command(bot.address, "day", server, channel, f"t{len(world.answers)}-{number}")
    if f"Puzzle {number:,}" in reply:
        return "with it"
    return "without it, which is said" if "newer results may be missing" in reply else f"wrong: {reply[:80]!r}"


async def forget(world: World, bot: Bot, id: str) -> None:
    """Let a person use /forget in both servers."""
    world.answer_s = 120
    for server, (channel, *_) in SERVERS.items():
        author, token = user(id, f"account_{id}", world.people[id]), f"forget-{id}-{server}"
        reply, _ = await world.command(bot.address, "forget", server, channel, token, author, confirm=True)
        if not reply.startswith("Deleted"):
            raise click.ClickException(f"/forget answers {reply!r}")
    world.forgotten[id] = {world.people[id]}


def traces(world: World, url: str, folder: Path) -> list[str]:
    """Return where people who were forgotten still appear: in the store, a new backup, the site or the log."""
    backed_up, site, found = folder / "last.sqlite", folder / "site", []
    backed_up.unlink(missing_ok=True)
    backup(url, backed_up)
    for server, league in leagues(url):
        write_site(LeagueSite.of(server, league.resolved()), site / server)
    files = [backed_up, folder / "bot.log", *(path for path in site.rglob("*") if path.is_file())]
    files += [Path(url.removeprefix("sqlite:///"))] if url.startswith("sqlite") else []
    contents = {path: path.read_bytes() for path in files}
    for id, names in world.forgotten.items():
        for text in (f"account_{id}", *names):
            found += [f"{text} in {path}" for path, content in contents.items() if text.encode() in content]
    engine = sa.create_engine(f"sqlite:///{backed_up}")
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.connect() as connection:
        for table in tables.sorted_tables:
            for column in table.columns:
                values = set(map(str, connection.execute(sa.select(column)).scalars()))
                ids = values & set(world.forgotten) if column.name in PERSONAL else ()
                found += [f"{id} in {table.name}.{column.name}" for id in ids]
    return found


def schedule_all(url: str) -> None:
    store = LeagueStore(url)
    for server, channels in SERVERS.items():
        for kind, time_of_day in ((DAILY, "13:00"), (WEEKLY, "14:00"), (MONTHLY, "15:00")):
            set_schedule(store.league(server), make_schedule(kind, channels[0], time_of_day, "Europe/Berlin", START))
    store.close()


def leagues(url: str):
    store = LeagueStore(url)
    yield from ((server, store.find(server)) for server in SERVERS)
    store.close()


def empty(url: str) -> None:
    """Empty a store."""
    if url.startswith("sqlite:///"):
        for end in ("", "-wal", "-shm"):
            Path(url.removeprefix("sqlite:///") + end).unlink(missing_ok=True)
        return
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


async def settle(world: World) -> None:
    """Wait until the bot has read all channels twice."""
    n_pages = sum(len(posts) // 100 + 2 for posts in world.messages.values())
    n_asked = len(world.asked)
    for _ in range(1200):
        await asyncio.sleep(0.5)
        if len(world.asked) > n_asked + 8 * n_pages:
            return


def differences(world: World, url: str) -> list[str]:
    wrong = []
    for (server, truth), (_, league) in zip(expected(world).items(), leagues(url), strict=True):
        resolved = league.resolved()
        rows = resolved.results.itertuples(index=False)
        stored = {(resolved.ids[row.player].key, int(row.day)): int(row.guesses) for row in rows}
        for key in truth.keys() | stored.keys():
            if truth.get(key) != stored.get(key):
                wrong.append(f"{server} {key}: {stored.get(key)} kept, {truth.get(key)} true")
    return wrong


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--days", default=365, show_default=True)
@click.option("--people", default=12, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--month", default=30, show_default=True, help="Days after which the bot gains or loses the gateway.")
@click.option("--first", help="URL of the store for the first half; it is emptied.  [default: a SQLite file]")
@click.option("--second", help="URL of the store for the second half; it is emptied.  [default: a SQLite file]")
def main(folder: Path, days: int, people: int, seed: int, month: int, first: str | None, second: str | None) -> None:
    """Play a year of a league in FOLDER, and compare the store with the truth."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    urls = first or f"sqlite:///{folder}/first.sqlite", second or f"sqlite:///{folder}/second.sqlite"
    began, used = time.monotonic(), time.process_time()
    click.echo(asyncio.run(Year(folder, urls, World(seed, people), days, month).play()))
    took = f"{time.monotonic() - began:.0f} s, processor of the fake Discord {time.process_time() - used:.0f} s"
    click.echo(f"{datetime.now(UTC).date()}: {took}")


if __name__ == "__main__":
    main()
