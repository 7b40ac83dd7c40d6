"""No message that Discord may send stops the bot: whatever cannot be decoded is listed, and the rest is read."""

import asyncio
import copy
import random
from datetime import timedelta

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from tests.helpers import messages
from tests.helpers.discord import CONTENT_AND_MEMBERS, Discord, message, snowflake, user
from tests.helpers.league_bot import CHANNEL, GUILD, START, serving
from wordpl.apps.league.bot.channels import ChannelReader
from wordpl.apps.league.bot.payloads import decode_message
from wordpl.apps.league.discord_message import APP
from wordpl.apps.league.share_text import SharedGame
from wordpl.apps.league.store import LeagueStore
from wordpl.core.puzzles import number_on

GRID = (".....", "..i..", "..c..", "ccccc")
VALUES = (None, True, 0, -1, 1.5, 1 << 70, "", "x", "\ud800", "9" * 30, [], [None], [[]], {}, {"a": [{}]}, "NaN")


def share(n, author="11", **more):
    """Return a share of its own puzzle's day by a player."""
    posted = START + timedelta(days=n % 365, seconds=n)
    game = SharedGame(number_on(posted.date()), 4, False, tuple((row, "") for row in GRID))
    return message(snowflake(posted, n), CHANNEL, user(author, "one"), messages.share(game), posted, **more)


def rich(n):
    """Return a share with all that may surround it, every third by the app."""
    embed = {"type": "rich", "title": "t", "description": "d", "fields": [{"name": "a", "value": "b"}]}
    file = {
        "id": "1",
        "filename": "a.png",
        "content_type": "text/plain",
        "size": 9,
        "url": "http://x/a",
        "proxy_url": "",
    }
    parts = {"components": [{"type": 17, "id": 1, "components": [{"type": 10, "content": "c"}]}], "flags": 1 << 15}
    more = {"embeds": [embed], "attachments": [file], "mentions": [user("12", "two", "Two")], **parts}
    post = share(n, str(100 + n % 7), **more)
    if n % 3 == 0:
        post |= {"author": user(APP, "Wordle", bot=True), "content": "4/6: <@11>\n5/6: <@12>"}
    return post


def places(value):
    """Return all objects and lists in a payload that are not empty."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] * bool(inner) + [place for part in inner for place in places(part)]


def mutated(post, chance):
    """Return the payload with one to three values anywhere in it replaced or removed, but for its id."""
    post = copy.deepcopy(post)
    for _ in range(chance.randint(1, 3)):
        target = chance.choice(places(post))
        keys = [key for key in (target if isinstance(target, dict) else range(len(target))) if key != "id"]
        if keys and chance.random() < 0.3:
            del target[chance.choice(keys)]
        elif keys:
            target[chance.choice(keys)] = copy.deepcopy(chance.choice(VALUES))
    return post


@pytest.fixture
def read(monkeypatch):
    """Return what was read from each message, by its id."""
    read = {}
    store = ChannelReader._store_messages

    async def stored(reader, page, covered):
        found = await store(reader, page, covered)
        read.update({message.received.id: message for message in found})
        return found

    monkeypatch.setattr(ChannelReader, "_store_messages", stored)
    return read


async def survives(folder, read, n, is_live):
    """Let a bot read mutated messages, live or as the channel's history, with good ones among them."""
    chance, discord = random.Random(f"{n} {is_live}"), Discord(CONTENT_AND_MEMBERS)
    discord.guild_of[CHANNEL], discord.members[GUILD] = GUILD, []
    strange = [mutated(rich(number), chance) for number in range(1, n)]
    good = [share(number, "77") for number in range(n + 1, n + 11)]
    sent = sorted([*strange, *good], key=lambda post: int(post["id"]))
    discord.messages[CHANNEL] = [share(0, "76"), *([] if is_live else sent)]
    async with discord.listening(), serving(discord, folder / "store") as bot:
        await discord.command(bot, "sync", GUILD, CHANNEL, "sync", message_limit=50_000)
        if is_live:
            await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
            await discord.command(bot, "day", GUILD, CHANNEL, "followed")
            for post in sent:
                discord.messages[CHANNEL].append(post)
                await discord.gateway.emit("MESSAGE_CREATE", **{"guild_id": GUILD, **post})
        for at in range(10):  # on a busy machine, the first answers say that newer results may be missing
            text, _ = await discord.command(bot, "crowns", GUILD, CHANNEL, f"wait-{at}")
            if "missing" not in text:
                break
        for name in ("crowns", "my_data", "day"):
            text, _ = await discord.command(bot, name, GUILD, CHANNEL, f"after-{name}")
            assert "wrong" not in text, text
            assert "missing" not in text, text
    store = LeagueStore(str(folder / "store"))
    listed = {part.message for part in store.find(GUILD).not_read()}
    store.close()
    counted = {id for id, message in read.items() if message.results}
    without = {id for id, message in read.items() if not message.results and not message.unread}
    assert counted | listed | without == {int(post["id"]) for post in discord.messages[CHANNEL]}
    assert listed == {id for id, message in read.items() if message.unread}
    assert counted >= {int(post["id"]) for post in good}
    return len(counted), len(listed)


@pytest.mark.slow
@pytest.mark.parametrize("is_live", [True, False])
def test_no_mutated_message_stops_the_bot(tmp_path, read, is_live):
    n_counted, n_listed = asyncio.run(survives(tmp_path, read, 300, is_live))
    assert min(n_counted, n_listed) > 50


@pytest.mark.long
@pytest.mark.parametrize("is_live", [True, False])
def test_none_of_2000_mutated_messages_stops_the_bot(tmp_path, read, is_live):
    n_counted, n_listed = asyncio.run(survives(tmp_path, read, 2000, is_live))
    assert min(n_counted, n_listed) > 300


@pytest.mark.slow  # like the others, it imports hikari
@pytest.mark.parametrize("payload", [None, 5, [], "x", {}, {"id": "x"}, {"id": "1"}, {"id": 1, "author": []}])
def test_what_is_no_message_at_all_is_listed(payload):
    received = decode_message(payload, int(CHANNEL))
    assert received.message is None
    assert received.id == (1 if payload == {"id": "1"} else 0)
