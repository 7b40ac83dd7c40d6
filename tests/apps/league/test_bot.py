"""The bot as Discord sees it: signed requests over HTTP, and requests to a REST API."""

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
from wordpl.apps.league import ocr
from wordpl.apps.league.bot import conversation
from wordpl.apps.league.discord_message import APP
from wordpl.apps.league.posts import Person
from wordpl.apps.league.store import LeagueStore
from wordpl.core.puzzles import number_summarized_at


def picture_facts(files):
    (data,) = files
    with Image.open(BytesIO(data)) as picture:
        picture.load()
        return picture.format, picture.width > 400, len(picture.convert("L").getcolors(256)) > 2


@pytest.mark.long  # a whole channel, and pictures
def test_sync_reads_a_channel_and_commands_answer_with_pictures(url):
    start_bot = process if url.startswith("postgresql") else serving  # a process takes seconds to start

    async def scenario():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL)
        async with discord.listening(), start_bot(discord, url) as bot:
            assert {command["name"] for command in discord.commands} >= {"sync", "leaderboard", "personal_stats"}
            answer, _ = await discord.command(bot, "leaderboard", GUILD, CHANNEL, "t0")
            assert "no results of this server yet" in answer
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1", message_limit=100)
            assert answer.startswith("Read 100 messages with 60 results. There may be older messages")
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t2")
            assert "The league has 90 results." in answer
            n_asked = len(discord.asked)
            discord.messages[CHANNEL] += [
                summary | {"id": snowflake(START + timedelta(days=31))} for summary in season(CHANNEL)[:1]
            ]
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t3")
            assert answer.startswith("Read 12 messages with 9 results.")  # the last two days, and what is new
            assert all("after" in query for _, query in discord.asked[n_asked:])
            options = {"method": "elo", "elo_k": 4.5, "channel_only": True}
            options |= {"game_cutoff": 5, "day_adjustment": False, "bayes_adjustment": False}
            answer, _ = await discord.command(bot, "leaderboard", GUILD, CHANNEL, "t4", **options)
            assert "elo · 3 players, 90 results" in answer
            assert answer.count("```") == 2
            assert "X counts as 7" in answer
            assert picture_facts(await discord.picture("t4")) == ("PNG", True, True)
            answer, _ = await discord.command(bot, "personal_stats", GUILD, CHANNEL, "t5", player=("12",))
            assert "Player 'Two' · 30 games" in answer
            assert picture_facts(await discord.picture("t5")) == ("PNG", True, True)
            answer, _ = await discord.command(bot, "personal_stats", GUILD, CHANNEL, "t6")
            assert "Player One · 30 games" in answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_answers_include_the_latest_posts_and_exclude_deleted_ones(tmp_path):
    async def scenario():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL, 5)
        discord.members[GUILD] = [(user("11", "one", "Player One"), "Nick"), (user("99", "ally", "Alice"), "Ally")]
        async with discord.listening(), serving(discord, tmp_path / "store", sweep_every_s=0.2) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            posted = START + timedelta(days=6)
            text = "👑 2/6: @ALLY\n4/6: <@11>"
            late_message = message(snowflake(posted), CHANNEL, user(APP, "Wordle", bot=True), text, posted)
            discord.messages[CHANNEL].append(late_message)
            answer, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t2")
            assert re.search(r"Ally +2 +👑", answer)
            assert re.search(r"Nick +4", answer)
            discord.messages[CHANNEL].remove(late_message)
            store = LeagueStore(str(tmp_path / "store"))
            for _ in range(600):
                await asyncio.sleep(0.1)
                if "Ally" not in set(store.find(GUILD).resolved().results["player"]):
                    break
            assert "Ally" not in set(store.find(GUILD).resolved().results["player"])
            store.close()

    asyncio.run(scenario())


@pytest.mark.slow
def test_answers_have_pages_and_are_published_on_request(tmp_path):
    async def scenario():
        discord = Discord()
        people = {str(200 + index): f"Person {index:02}" for index in range(23)}
        mentions = [user(account_id, account_id, name) for account_id, name in people.items()]
        for day in range(3):
            posted = START + timedelta(days=day)
            text = messages.summary([(3 + day, tuple(Person(account_id, True) for account_id in people))])
            app = user(APP, "Wordle", bot=True)
            posted_message = message(snowflake(posted), CHANNEL, app, text, posted, mentions=mentions)
            discord.messages.setdefault(CHANNEL, []).append(posted_message)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            answer, _ = await discord.command(bot, "crowns", GUILD, CHANNEL, "t2")
            assert "Page 1 of 3" in answer
            buttons = discord.buttons("t2")
            assert list(buttons) == ["More ›", "Publish"]
            answer, is_public = await discord.press(bot, buttons["More ›"], GUILD, CHANNEL, "t3")
            assert ("Page 2 of 3" in answer, is_public) == (True, False)
            answer, is_public = await discord.press(bot, buttons["Publish"], GUILD, CHANNEL, "t4")
            assert ("Page 1 of 3" in answer, is_public) == (True, True)
            assert discord.buttons("t4") == {}

    asyncio.run(scenario())


@pytest.mark.slow
def test_other_commands_answer_and_direct_messages_show_own_results_only(tmp_path):
    async def scenario():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            answer, _ = await discord.command(bot, "compare", GUILD, CHANNEL, "t2", other=("12",))
            assert "Player One and Player 'Two' · 30 days that both played" in answer
            assert "95% interval" in answer
            answer, _ = await discord.command(bot, "season", GUILD, CHANNEL, "t3", season="2025-07")
            assert answer.splitlines()[1].startswith("2025-07 · mean")
            answer, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t4", puzzle="9999")
            assert "a puzzle number, a date" in answer
            answer, _ = await discord.command(bot, "help", GUILD, CHANNEL, "t5")
            assert "**/conflicts**" in answer
            answer, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t6")
            assert "Player One · 30 games" in answer
            late_message = message(
                snowflake(START + timedelta(days=40)), CHANNEL, user(APP, "Wordle", bot=True), "", START
            )
            late_message |= {"content": "2/6: <@11>", "timestamp": (START + timedelta(days=40)).isoformat()}
            discord.messages[CHANNEL].append(late_message)
            answer, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t6b")
            assert "Player One · 31 games" in answer
            answer, _ = await discord.command(bot, "personal_stats", None, CHANNEL, "t7", player=("12",))
            assert "only your own results" in answer
            answer, _ = await discord.command(bot, "conflicts", GUILD, CHANNEL, "t8")
            assert "All reports count." in answer
            answer, _ = await discord.command(bot, "alias", GUILD, CHANNEL, "t9", name="Old", player=("11",))
            assert "'Old' now stands for that player (change 1)" in answer
            answer, _ = await discord.command(bot, "schedule", GUILD, CHANNEL, "t10", post="daily", time="25:00")
            assert "like 09:30" in answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_summaries_in_embeds_and_components_are_read_but_not_what_people_link_to(tmp_path):
    async def scenario():
        discord = Discord()
        text = "Here are yesterday's results:\n3/6: <@{}>"
        app, embeds = user(APP, "Wordle", bot=True), [{"type": "rich", "description": text.format(11)}]
        shown = {"type": 17, "id": 1, "components": [{"type": 10, "id": 2, "content": text.format(12)}]}
        linked = [{"type": "rich", "title": "a page", "description": "Wordle 1,000 1/6"}]
        parts = [(app, {"embeds": embeds}), (app, {"components": [shown], "flags": 1 << 15})]
        parts += [(user("13", "three"), {"embeds": linked})]
        moments = [START + timedelta(hours=hour) for hour in range(len(parts))]
        discord.messages[CHANNEL] = [
            message(snowflake(moment), CHANNEL, author, "", moment, **more)
            for moment, (author, more) in zip(moments, parts, strict=True)
        ]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
        assert "Read 3 messages with 2 results." in answer, answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_sync_lists_shares_that_could_not_be_read(tmp_path):
    async def scenario():
        discord = Discord()
        texts = ["Wordle #1474: 4 / 6", "Wordle 99,999 1/6", "Wordle was hard", "Wordle 1,000 🎉 4/6"]
        moments = [START + timedelta(hours=hour) for hour in range(len(texts))]
        discord.messages[CHANNEL] = [
            message(snowflake(moment), CHANNEL, user("11", "one"), text, moment)
            for moment, text in zip(moments, texts, strict=True)
        ]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
        assert "Read 4 messages with 1 result. 2 parts could not be read." in answer
        assert "Not read: 'Wordle #1474: 4 / 6': not in the format that Wordle shares" in answer
        assert "Not read: 'Wordle 99,999 1/6': the puzzle is later than the message that reports it." in answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_server_never_sees_the_results_of_another(url):
    async def scenario():
        discord = Discord()
        discord.messages = {CHANNEL: season(CHANNEL), OTHER_CHANNEL: season(OTHER_CHANNEL, 3, 2)}
        async with discord.listening(), serving(discord, url) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            answer, _ = await discord.command(bot, "leaderboard", OTHER_GUILD, CHANNEL, "t2", channel_only=True)
            assert "no results of this channel yet" in answer
            answer, _ = await discord.command(bot, "personal_stats", OTHER_GUILD, CHANNEL, "t3", player=("11",))
            assert "no results of this server yet" in answer
            answer, _ = await discord.command(bot, "sync", OTHER_GUILD, OTHER_CHANNEL, "t4")
            assert "The league has 9 results." in answer
            _, reply, _ = await discord.send(bot, interaction("leaderboard", None, CHANNEL, "t5"))
            assert "Ask me in a server" in json.loads(reply)["data"]["content"]

    asyncio.run(scenario())


@pytest.mark.slow
def test_sync_shows_its_progress_and_ends_before_discord_stops_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(conversation, "PROGRESS_EVERY_S", 0.0)

    async def scenario():
        discord = Discord()
        discord.messages[CHANNEL] = season(CHANNEL, 50)
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            *progress, last = (answer["content"] for answer, _ in discord.answers["t1"])
            matches = [
                re.match(r"Read (\d+) messages with (\d+) results\. .*Still reading …$", text) for text in progress
            ]
            assert [tuple(map(int, match.groups())) for match in matches] == [(100, 60), (200, 120), (250, 150)]
            assert last.startswith(
                "Read 250 messages with 150 results. The league has 150 results. Choose the server's time"
            )
            monkeypatch.setattr(conversation, "ANSWER_S", -1)
            discord.messages[OTHER_CHANNEL] = season(OTHER_CHANNEL, 50, 2)
            answer, _ = await discord.command(bot, "sync", GUILD, OTHER_CHANNEL, "t2")
            assert answer.startswith("Read 100 messages with 60 results. There may be older messages")
            assert "run /sync again to continue" in answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_missing_permissions_are_explained_and_rate_limits_are_obeyed(tmp_path):
    async def scenario():
        discord = Discord()
        discord.messages[CHANNEL] = [posted | {"content": ""} for posted in season(CHANNEL, 3)]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            allowed, discord.permissions = discord.permissions, str(1 << 10)
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            assert "I lack 'Read Message History'." in answer
            discord.permissions = allowed
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t2")
            assert "15 of 15 messages came without their text" in answer
            assert "Message Content intent" in answer
            discord.forbidden.add(OTHER_CHANNEL)
            answer, _ = await discord.command(bot, "sync", GUILD, OTHER_CHANNEL, "t3")
            assert "Discord does not let me read this channel" in answer
            refusal = {"message": "You are being rate limited.", "retry_after": 0.5, "global": False}
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
            discord.refusals.append((429, refusal, headers))
            n_asked = len(discord.asked)
            answer, _ = await discord.command(bot, "sync", GUILD, CHANNEL, "t4")
            assert answer.startswith("Read ")
            refused_at, retried_at = (moment for moment, _ in discord.asked[n_asked : n_asked + 2])
            assert retried_at - refused_at >= 0.5

    asyncio.run(scenario())


@pytest.mark.slow
def test_puzzle_numbers_are_read_from_pictures(tmp_path):
    async def scenario():
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
    asyncio.run(scenario())
