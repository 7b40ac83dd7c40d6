"""Scheduled posts reach a channel once or are listed as lost, whatever fails."""

import asyncio
from datetime import timedelta

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from aiohttp import web

from tests.helpers.discord import Discord
from tests.helpers.league_bot import CHANNEL, GUILD, START, season, serving
from wordpl.apps.league import schedules
from wordpl.apps.league.store import LeagueStore


@pytest.mark.slow
def test_a_scheduled_post_is_sent_once_even_if_the_reply_is_lost(tmp_path):
    now = [START + timedelta(days=30, hours=4)]

    async def scenario():
        discord = Discord()
        discord.now = lambda: now[0]
        discord.messages[CHANNEL] = season(CHANNEL)
        options = {"clock": lambda: now[0], "tick_s": 0.05}
        accept = discord._post

        async def lose_reply(request):
            response = await accept(request)
            return response if len(discord.posted) > 1 else web.json_response({"message": "timeout"}, status=504)

        discord._post = lose_reply
        async with discord.listening(), serving(discord, tmp_path / "store", **options) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            store = LeagueStore(str(tmp_path / "store"))
            daily = schedules.make_schedule("daily", CHANNEL, "08:00", "UTC", START)
            schedules.set_schedule(store.find(GUILD), daily)
            for _ in range(1200):
                await asyncio.sleep(0.05)
                announcements = schedules.read_announcements(store.find(GUILD))
                if announcements and announcements[0].state == schedules.SENT:
                    break
                now[0] += timedelta(seconds=5)
            assert [announcement.state for announcement in announcements] == [schedules.SENT]
            assert announcements[0].text.startswith("**Day · 2025-07-31**")
            assert len(discord.posted) == 1
            store.close()

    asyncio.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize(("arrives", "state"), [(True, schedules.SENT), (False, schedules.LOST)])
def test_the_outcome_of_a_post_is_found_even_after_its_day(tmp_path, arrives, state):
    now = [START + timedelta(days=30, hours=4)]

    async def scenario():
        discord = Discord()
        discord.now = lambda: now[0]
        discord.messages[CHANNEL] = season(CHANNEL, 3)
        accept = discord._post

        async def fail(request):
            if arrives:
                await accept(request)
            return web.json_response({"message": "timeout"}, status=504)

        discord._post = fail
        store = LeagueStore(str(tmp_path / "store"))
        league = store.league(GUILD)
        schedules.set_schedule(league, schedules.make_schedule("daily", CHANNEL, "08:00", "UTC", START))
        async with discord.listening(), serving(discord, tmp_path / "store", clock=lambda: now[0], tick_s=0.05):
            await until(lambda: schedules.read_announcements(league))
            if arrives:
                await until(lambda: discord.posted)
            schedules.stop_schedule(league, "daily")
            now[0] += timedelta(days=1)
            await until(lambda: schedules.read_announcements(league)[0].state == state)
            assert len(discord.posted) == arrives
        store.close()

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_post_is_lost_if_its_day_ends_while_messages_are_read(tmp_path):
    now = [START + timedelta(days=30, hours=4)]

    async def scenario():
        discord, store = Discord(), LeagueStore(str(tmp_path / "store"))
        league, read = store.league(GUILD), discord._messages
        discord.now = lambda: now[0]
        discord.messages[CHANNEL] = season(CHANNEL, 3)

        async def read_slowly(request):
            if schedules.read_announcements(league):
                now[0] = max(now[0], START + timedelta(days=31, hours=1))  # past midnight, before the next post is due
            return await read(request)

        discord._messages = read_slowly
        async with discord.listening(), serving(discord, tmp_path / "store", clock=lambda: now[0], tick_s=0.05) as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "t1")
            schedules.set_schedule(league, schedules.make_schedule("daily", CHANNEL, "08:00", "UTC", START))
            await until(lambda: [post.state for post in schedules.read_announcements(league)] == [schedules.LOST])
            now[0] += timedelta(hours=4)
            await until(lambda: discord.posted)
            assert [post["content"].split("\n")[0] for post in discord.posted] == ["**Day · 2025-08-01**"]
        store.close()

    asyncio.run(scenario())


async def until(condition, wait_s=60):
    async with asyncio.timeout(wait_s):
        while not condition():
            await asyncio.sleep(0.05)
