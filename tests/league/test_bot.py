"""The bot as Discord meets it: signed requests over HTTP, and a REST API that it asks."""

import asyncio
import json
import os
import re
import sys
import time
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from io import BytesIO
from traceback import format_exception

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from aiohttp import web
from nacl.signing import SigningKey
from PIL import Image

from tests.helpers import messages, pictures
from tests.helpers.discord import TOKEN, Discord, interaction, message, post, snowflake, user
from wordpl.core.errors import UserError
from wordpl.league import ocr, schedules
from wordpl.league.bot import replies, server
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
    more = {"sweep_every_s": 3600.0, **more}  # nothing is asked in the background unless a test wants it
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


@pytest.mark.slow  # a whole channel, and pictures
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


def test_an_answer_has_what_was_posted_just_before_and_lacks_what_was_deleted(tmp_path):
    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL, 5)
        discord.members[GUILD] = [(user("11", "one", "Player One"), "Nick"), (user("99", "ally", "Alice"), "Ally")]
        async with discord.listening(), serving(discord, tmp_path / "store", sweep_every_s=0.2) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            posted = START + timedelta(days=6)
            text = "👑 2/6: @ALLY\n4/6: <@11>"
            late = message(snowflake(posted), CHANNEL, user(APP, "Wordle", bot=True), text, posted)
            discord.messages[CHANNEL].append(late)
            said, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t2")
            assert re.search(r"Ally +2 +👑", said)
            assert re.search(r"Nick +4", said)
            discord.messages[CHANNEL].remove(late)
            store = Store(str(tmp_path / "store"))
            for _ in range(600):
                await asyncio.sleep(0.1)
                if "Ally" not in set(store.find(GUILD).resolved().results["player"]):
                    break
            assert "Ally" not in set(store.find(GUILD).resolved().results["player"])
            store.close()

    asyncio.run(story())


def test_answers_have_pages_and_are_published_on_request(tmp_path):
    async def story():
        discord = Discord()
        people = {str(200 + at): f"Person {at:02}" for at in range(23)}
        mentions = [user(id, id, name) for id, name in people.items()]
        for day in range(3):
            posted = START + timedelta(days=day)
            text = messages.summary([(3 + day, tuple(Person(id, True) for id in people))])
            app = user(APP, "Wordle", bot=True)
            found = message(snowflake(posted), CHANNEL, app, text, posted, mentions=mentions)
            discord.messages.setdefault(CHANNEL, []).append(found)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            said, _ = await discord.command(bot, "crowns", GUILD, CHANNEL, "t2")
            assert "Page 1 of 3" in said
            pressed = discord.buttons("t2")
            assert list(pressed) == ["More ›", "Publish"]
            said, is_public = await discord.press(bot, pressed["More ›"], GUILD, CHANNEL, "t3")
            assert ("Page 2 of 3" in said, is_public) == (True, False)
            said, is_public = await discord.press(bot, pressed["Publish"], GUILD, CHANNEL, "t4")
            assert ("Page 1 of 3" in said, is_public) == (True, True)
            assert discord.buttons("t4") == {}

    asyncio.run(story())


def test_other_commands_answer_and_one_s_own_results_come_in_a_direct_message(tmp_path):
    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            said, _ = await discord.command(bot, "compare", GUILD, CHANNEL, "t2", other=("12",))
            assert "Player One and Player 'Two' · 30 days of both" in said
            assert "95% interval" in said
            said, _ = await discord.command(bot, "season", GUILD, CHANNEL, "t3", season="2025-07")
            assert said.splitlines()[1].startswith("2025-07 · mean")
            said, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t4", puzzle="9999")
            assert "a puzzle's number, or a date" in said
            said, _ = await discord.command(bot, "help", GUILD, CHANNEL, "t5")
            assert "**/conflicts**" in said
            said, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t6")
            assert "Player One · 30 games" in said
            said, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t7", player=("12",))
            assert "your own results only" in said
            said, _ = await discord.command(bot, "conflicts", GUILD, CHANNEL, "t8")
            assert "Conflicts" in said
            said, _ = await discord.command(bot, "alias", GUILD, CHANNEL, "t9", name="Old", player=("11",))
            assert "'Old' is that player now (change 1)" in said
            said, _ = await discord.command(bot, "schedule", GUILD, CHANNEL, "t10", post="daily", time="25:00")
            assert "like 09:30" in said

    asyncio.run(story())


def test_a_scheduled_post_is_sent_once_though_its_answer_was_lost(tmp_path):
    now = [START + timedelta(days=30, hours=4)]

    async def story():
        discord = Discord()
        discord.now = lambda: now[0]
        discord.messages[CHANNEL] = season(CHANNEL)
        more = {"clock": lambda: now[0], "tick_s": 0.05}
        taken = discord._post

        async def lose_answer(request):
            response = await taken(request)
            return response if len(discord.posted) > 1 else web.json_response({"message": "timeout"}, status=504)

        discord._post = lose_answer
        async with discord.listening(), serving(discord, tmp_path / "store", **more) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            store = Store(str(tmp_path / "store"))
            daily = schedules.make_schedule("daily", CHANNEL, "08:00", "UTC", START)
            schedules.set_schedule(store.find(GUILD), daily)
            for _ in range(1200):
                await asyncio.sleep(0.05)
                found = schedules.read_announcements(store.find(GUILD))
                if found and found[0].state == schedules.SENT:
                    break
                now[0] += timedelta(seconds=5)
            assert [one.state for one in found] == [schedules.SENT]
            assert found[0].text.startswith("**Day · 2025-07-31**")
            assert len(discord.posted) == 1
            store.close()

    asyncio.run(story())


@pytest.mark.parametrize("body", [b"[]", b"{}", b"nonsense", b'{"type": 2}', b'{"type": "x"}', b"\xff", b"1"])
def test_a_signed_request_that_is_malformed_is_refused_in_one_line(body, tmp_path, caplog):
    async def story():
        discord = Discord()
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            timestamp = str(int(time.time()))
            signature = discord.key.sign(timestamp.encode() + body).signature.hex()
            headers = {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": timestamp}
            caplog.clear()
            assert (await post(bot, body, headers))[0] == 400
            assert [record.exc_info for record in caplog.records if record.levelname != "DEBUG"] == [None]

    asyncio.run(story())


def test_slow_connections_are_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "REQUEST_S", 0.5)

    async def story():
        discord = Discord()
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            port = int(bot.rstrip("/").rsplit(":", 1)[1])
            slow = [await asyncio.open_connection("127.0.0.1", port) for _ in range(50)]
            for _, writer in slow:
                writer.write(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n")
            for reader, writer in slow:
                with suppress(ConnectionError):
                    assert await asyncio.wait_for(reader.read(), 30) == b""
                writer.close()

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
