"""The bot as Discord meets it: signed requests over HTTP, and a REST API that it asks."""

import asyncio
import json
import os
import re
import sys
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from traceback import format_exception

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from nacl.signing import SigningKey
from PIL import Image

from tests.helpers import messages, pictures
from tests.helpers.discord import TOKEN, Discord, interaction, message, post, snowflake, user
from wordpl.core.errors import UserError
from wordpl.league import ocr
from wordpl.league.bot import replies
from wordpl.league.bot.replay_guard import WINDOW_S, ReplayGuard
from wordpl.league.bot.server import Address, Secrets, Service, serve
from wordpl.league.discord_message import APP
from wordpl.league.ocr import picture_reader
from wordpl.league.posts import Person
from wordpl.league.puzzles import number_before
from wordpl.league.store import Store

GUILD, OTHER_GUILD, CHANNEL, OTHER_CHANNEL = "91", "92", "81", "82"
START = datetime(2025, 7, 1, 5, tzinfo=UTC)
PLAYERS = {"11": "Player One", "12": "Player `Two`", "13": "Player 1/6: @Three"}


def season(channel, n_days=30, first=1):
    """Return summaries of a month, a chat message after each."""
    found = []
    for day in range(n_days):
        posted = START + timedelta(days=day)
        scores = [(1 + (day + at * (day % 3)) % 7, (Person(id, True),)) for at, id in enumerate(PLAYERS)]
        app = user(APP, "Wordle", bot=True)
        mentions = [user(id, f"account_{id}", name) for id, name in PLAYERS.items()]
        text = messages.summary(sorted(scores, key=lambda score: score[0]), streak=day + 1)
        found.append(message(snowflake(posted, first), channel, app, text, posted, mentions=mentions))
        for at in range(4):
            later = posted + timedelta(hours=1 + at)
            found.append(message(snowflake(later, first), channel, mentions[0], "well played", later))
    return found


@asynccontextmanager
async def process(discord, url):
    """Give the address of a bot that is a process of its own; it prints its token nowhere, and ends well."""
    environment = os.environ | {
        "WORDPL_BOT_TOKEN": TOKEN,
        "WORDPL_BOT_PUBLIC_KEY": discord.public_key,
        "WORDPL_BOT_REST_URL": discord.url,
    }
    program = [sys.executable, "-c", "from wordpl.cli import main; main()"]
    program += ["league", "bot", "--port", "0", "--store", url]
    pipe = asyncio.subprocess.PIPE
    bot = await asyncio.create_subprocess_exec(*program, env=environment, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    printed = (await asyncio.wait_for(bot.stdout.readline(), 60)).decode()
    try:
        yield (re.findall(r"http://\S+", printed) or [printed])[0]
    finally:
        if bot.returncode is None:
            bot.terminate()
        printed += (await asyncio.wait_for(bot.communicate(), 60))[0].decode()
        assert TOKEN not in printed
    assert bot.returncode == 0, printed


@asynccontextmanager
async def serving(discord, url, token=TOKEN, **more):
    """Give the address of a bot in this process, which starts sooner."""
    store, address = Store(str(url)), asyncio.get_running_loop().create_future()
    bot = serve(
        Address("127.0.0.1", 0, discord.url),
        Secrets(token, discord.public_key),
        Service(store, picture_reader(), **more),
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


def picture(files):
    (data,) = files
    with Image.open(BytesIO(data)) as opened:
        opened.load()
        return opened.format, opened.width > 400, len(opened.convert("L").getcolors(256)) > 2


def test_a_league_grows_from_a_channel_and_is_shown_with_pictures(url):
    start = process if url.startswith("postgresql") else serving  # a process takes seconds to start

    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL)
        async with discord.listening(), start(discord, url) as bot:
            assert {command["name"] for command in discord.commands} >= {"sync", "leaderboard", "personal_stats"}
            said, _ = await discord.command(bot, "leaderboard", GUILD, CHANNEL, "t0")
            assert "no results of this server yet" in said
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1", message_limit=100)
            assert said.startswith("Read 100 messages with 60 results. There may be older ones")
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t2")
            assert "The league has 90 results." in said
            n_asked = len(discord.asked)
            discord.messages[CHANNEL] += [
                one | {"id": snowflake(START + timedelta(days=31))} for one in season(CHANNEL)[:1]
            ]
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t3")
            assert said.startswith("Read 12 messages with 9 results.")  # the last two days, and what is new
            assert all("after" in query for _, query in discord.asked[n_asked:])
            everything = {"x_is_seven": True, "method": "elo", "elo_k": 4.5, "channel_only": True}
            everything |= {"game_cutoff": 5, "day_adjustment": False, "bayes_adjustment": False}
            said, files = await discord.command(bot, "leaderboard", GUILD, CHANNEL, "t4", **everything)
            assert "elo · 3 players, 90 results" in said
            assert said.count("```") == 2
            assert "X counts as 7" in said
            assert picture(files) == ("PNG", True, True)
            said, files = await discord.command(bot, "personal_stats", GUILD, CHANNEL, "t5", player=("12",))
            assert "Player 'Two' · 30 games" in said
            assert picture(files) == ("PNG", True, True)
            said, _ = await discord.command(bot, "personal_stats", GUILD, CHANNEL, "t6")
            assert "Player One · 30 games" in said

    asyncio.run(story())


def test_one_server_never_sees_another_s_results(url):
    async def story():
        discord = Discord()
        discord.messages = {CHANNEL: season(CHANNEL), OTHER_CHANNEL: season(OTHER_CHANNEL, 3, 2)}
        async with discord.listening(), serving(discord, url) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            said, _ = await discord.command(bot, "leaderboard", OTHER_GUILD, CHANNEL, "t2", channel_only=True)
            assert "no results of this channel yet" in said
            said, _ = await discord.command(bot, "personal_stats", OTHER_GUILD, CHANNEL, "t3", player=("11",))
            assert "no results of this server yet" in said
            said, _ = await discord.command(bot, "sync", OTHER_GUILD, OTHER_CHANNEL, "t4")
            assert "The league has 9 results." in said
            _, reply, _ = await discord.send(bot, interaction("leaderboard", None, CHANNEL, "t5"))
            assert "Ask me in a server" in json.loads(reply)["data"]["content"]

    asyncio.run(story())


def test_sync_tells_how_far_it_is_and_ends_while_discord_takes_an_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(replies, "PROGRESS_EVERY_S", 0.0)

    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL, 50)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            *told, last = (said["content"] for said, _ in discord.answers["t1"])
            read = [re.match(r"Read (\d+) messages with (\d+) results\. .*Reading on …$", text) for text in told]
            assert [tuple(map(int, one.groups())) for one in read] == [(100, 60), (200, 120), (250, 150)]
            assert last == "Read 250 messages with 150 results. The league has 150 results."
            monkeypatch.setattr(replies, "ANSWER_S", -1)
            discord.messages[OTHER_CHANNEL] = season(OTHER_CHANNEL, 50, 2)
            said, _ = await discord.command(bot, "sync", GUILD, OTHER_CHANNEL, "t2")
            assert said.startswith("Read 100 messages with 60 results. There may be older ones")
            assert "run /sync again for the rest" in said

    asyncio.run(story())


def test_what_keeps_it_from_reading_is_explained_and_limits_are_obeyed(tmp_path):
    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = [one | {"content": ""} for one in season(CHANNEL, 3)]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1", permissions=str(1 << 10))
            assert "I lack 'Read Message History'." in said
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t2")
            assert "15 of 15 messages came without their text" in said
            assert "Message Content intent" in said
            discord.forbidden.add(OTHER_CHANNEL)
            said, _ = await discord.command(bot, "sync", GUILD, OTHER_CHANNEL, "t3")
            assert "Discord does not let me read this channel" in said
            slow = {"message": "You are being rate limited.", "retry_after": 0.5, "global": False}
            headers = {
                "Retry-After": "1",
                "X-RateLimit-Bucket": "b",
                "X-RateLimit-Limit": "5",
                "X-RateLimit-Scope": "user",
            }
            headers |= {
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset-After": "0.5",
                "X-RateLimit-Reset": str(time.time() + 1),
            }
            discord.refusals.append((429, slow, headers))
            n_asked = len(discord.asked)
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t4")
            assert said.startswith("Read ")
            refused, again = (moment for moment, _ in discord.asked[n_asked : n_asked + 2])
            assert again - refused >= 0.5

    asyncio.run(story())


def test_requests_that_are_forged_repeated_or_old_are_refused(tmp_path):
    async def story():
        discord = Discord()
        ping = {"type": 1, "id": "1"}
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            status, reply, sent = await discord.send(bot, ping)
            assert (status, json.loads(reply)) == (200, {"type": 1})
            assert (await post(*sent))[0] == 401
            capital = sent[2] | {"X-Signature-Ed25519": sent[2]["X-Signature-Ed25519"].upper()}
            assert (await post(*sent[:2], capital))[0] == 401
            forged = ping | {"id": "2"}
            assert (await discord.send(bot, forged, key=SigningKey.generate()))[0] == 400
            assert (await discord.send(bot, forged))[0] == 200
            for moment in (time.time() - WINDOW_S - 5, time.time() + WINDOW_S + 60):
                assert (await discord.send(bot, ping | {"id": "3"}, timestamp=int(moment)))[0] == 401
            assert (await post(bot, b"{}", {}))[0] == 401

    asyncio.run(story())


def test_a_token_that_discord_refuses_ends_the_bot_without_being_shown(tmp_path):
    async def story():
        discord, wrong = Discord(), TOKEN[::-1]
        async with discord.listening():
            with pytest.raises(UserError, match="does not accept the bot's token") as raised:
                async with serving(discord, tmp_path / "store", wrong):
                    pass
            assert wrong not in "".join(format_exception(raised.value)) + repr(Secrets(wrong, wrong))

    asyncio.run(story())


def test_a_request_is_taken_once_and_forgers_leave_nothing_behind():
    now = 1_000_000
    guard = ReplayGuard(lambda: now)
    assert guard.takes("1000000", b"a")
    assert not guard.takes("1000000", b"a")
    assert not guard.takes("999999", b"b"), "sent before the guard was there to remember it"
    assert guard.takes("1000000", b"b")
    guard.forget("1000000", b"b")
    assert guard.takes("1000000", b"b")
    now += WINDOW_S + 1
    assert not guard.takes("1000000", b"a")
    assert not guard.takes("\u0661", b"a")


def test_numbers_come_from_pictures_where_they_can_be_read(tmp_path):
    async def story():
        discord, number = Discord(), number_before(START) - 1
        discord.messages[CHANNEL] = season(CHANNEL, 1)
        discord.files["summary.png"] = pictures.picture(number)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            file = {"id": "1", "filename": "summary.png", "content_type": "image/png", "size": 999}
            url = f"{discord.url}/files/summary.png"
            discord.messages[CHANNEL][0]["attachments"] = [file | {"url": url, "proxy_url": url}]
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
        store = Store(str(tmp_path / "store"))
        assert set(store.find(GUILD).resolved().results["day"]) == {number}
        store.close()

    if ocr.reader() is None:
        pytest.skip("neither tesserocr nor rapidocr is installed")
    asyncio.run(story())
