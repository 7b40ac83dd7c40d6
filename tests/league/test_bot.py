"""The bot as Discord meets it: signed requests over HTTP, and a REST API that it asks."""

import asyncio
import json
import re
import time
from datetime import timedelta
from io import BytesIO

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from PIL import Image

from tests.helpers import messages, pictures
from tests.helpers.discord import Discord, interaction, message, snowflake, user
from tests.helpers.league_bot import CHANNEL, GUILD, OTHER_CHANNEL, OTHER_GUILD, START, process, season, serving
from wordpl.league import ocr
from wordpl.league.bot import interaction_handler
from wordpl.league.discord_message import APP
from wordpl.league.posts import Person
from wordpl.league.puzzles import number_summarized_at
from wordpl.league.store import LeagueStore


def picture(files):
    (data,) = files
    with Image.open(BytesIO(data)) as opened:
        opened.load()
        return opened.format, opened.width > 400, len(opened.convert("L").getcolors(256)) > 2


@pytest.mark.long  # a whole channel, and pictures
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
            assert said.startswith("Read 100 messages with 60 results. There may be older messages")
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


@pytest.mark.slow
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
            store = LeagueStore(str(tmp_path / "store"))
            for _ in range(600):
                await asyncio.sleep(0.1)
                if "Ally" not in set(store.find(GUILD).resolved().results["player"]):
                    break
            assert "Ally" not in set(store.find(GUILD).resolved().results["player"])
            store.close()

    asyncio.run(story())


@pytest.mark.slow
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


@pytest.mark.slow
def test_other_commands_answer_and_one_s_own_results_come_in_a_direct_message(tmp_path):
    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            said, _ = await discord.command(bot, "compare", GUILD, CHANNEL, "t2", other=("12",))
            assert "Player One and Player 'Two' · 30 days that both played" in said
            assert "95% interval" in said
            said, _ = await discord.command(bot, "season", GUILD, CHANNEL, "t3", season="2025-07")
            assert said.splitlines()[1].startswith("2025-07 · mean")
            said, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t4", puzzle="9999")
            assert "a puzzle number, a date" in said
            said, _ = await discord.command(bot, "help", GUILD, CHANNEL, "t5")
            assert "**/conflicts**" in said
            said, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t6")
            assert "Player One · 30 games" in said
            late = message(snowflake(START + timedelta(days=40)), CHANNEL, user(APP, "Wordle", bot=True), "", START)
            late |= {"content": "2/6: <@11>", "timestamp": (START + timedelta(days=40)).isoformat()}
            discord.messages[CHANNEL].append(late)
            said, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t6b")
            assert "Player One · 31 games" in said
            said, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t7", player=("12",))
            assert "only your own results" in said
            said, _ = await discord.command(bot, "conflicts", GUILD, CHANNEL, "t8")
            assert "Conflicts" in said
            said, _ = await discord.command(bot, "alias", GUILD, CHANNEL, "t9", name="Old", player=("11",))
            assert "'Old' now stands for that player (change 1)" in said
            said, _ = await discord.command(bot, "schedule", GUILD, CHANNEL, "t10", post="daily", time="25:00")
            assert "like 09:30" in said

    asyncio.run(story())


@pytest.mark.slow
def test_a_share_that_could_not_be_read_is_listed_by_sync(tmp_path):
    async def story():
        discord = Discord()
        texts = ["Wordle #1474: 4 / 6", "Wordle 99,999 1/6", "Wordle was hard", "Wordle 1,000 🎉 4/6"]
        moments = [START + timedelta(hours=at) for at in range(len(texts))]
        discord.messages[CHANNEL] = [
            message(snowflake(moment), CHANNEL, user("11", "one"), text, moment)
            for moment, text in zip(moments, texts, strict=True)
        ]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
        assert "Read 4 messages with 1 result. 2 parts could not be read." in said
        assert "Not read: 'Wordle #1474: 4 / 6': not in the format that Wordle shares" in said
        assert "Not read: 'Wordle 99,999 1/6': the puzzle is later than the message that reports it." in said

    asyncio.run(story())


@pytest.mark.slow
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


@pytest.mark.slow
def test_sync_tells_how_far_it_is_and_ends_while_discord_takes_an_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(interaction_handler, "PROGRESS_EVERY_S", 0.0)

    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL, 50)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            *told, last = (said["content"] for said, _ in discord.answers["t1"])
            read = [re.match(r"Read (\d+) messages with (\d+) results\. .*Still reading …$", text) for text in told]
            assert [tuple(map(int, one.groups())) for one in read] == [(100, 60), (200, 120), (250, 150)]
            assert last == "Read 250 messages with 150 results. The league has 150 results."
            monkeypatch.setattr(interaction_handler, "ANSWER_S", -1)
            discord.messages[OTHER_CHANNEL] = season(OTHER_CHANNEL, 50, 2)
            said, _ = await discord.command(bot, "sync", GUILD, OTHER_CHANNEL, "t2")
            assert said.startswith("Read 100 messages with 60 results. There may be older messages")
            assert "run /sync again to continue" in said

    asyncio.run(story())


@pytest.mark.slow
def test_what_keeps_it_from_reading_is_explained_and_limits_are_obeyed(tmp_path):
    async def story():
        discord = Discord()
        discord.messages[CHANNEL] = [one | {"content": ""} for one in season(CHANNEL, 3)]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            allowed, discord.permissions = discord.permissions, str(1 << 10)
            said, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            assert "I lack 'Read Message History'." in said
            discord.permissions = allowed
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


@pytest.mark.slow
def test_numbers_come_from_pictures_where_they_can_be_read(tmp_path):
    async def story():
        discord, number = Discord(), number_summarized_at(START) - 1
        discord.messages[CHANNEL] = season(CHANNEL, 1)
        discord.files["summary.png"] = pictures.picture(number)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            file = {"id": "1", "filename": "summary.png", "content_type": "image/png", "size": 999}
            url = f"{discord.url}/files/summary.png"
            discord.messages[CHANNEL][0]["attachments"] = [file | {"url": url, "proxy_url": url}]
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
        store = LeagueStore(str(tmp_path / "store"))
        assert set(store.find(GUILD).resolved().results["day"]) == {number}
        store.close()

    if ocr.find_reader() is None:
        pytest.skip("neither tesserocr nor rapidocr is installed")
    asyncio.run(story())
