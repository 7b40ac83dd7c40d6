"""Scheduled posts as they reach a channel: once, or listed as lost, whatever fails meanwhile."""

import asyncio
from datetime import timedelta

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from aiohttp import web

from tests.helpers.discord import Discord
from tests.helpers.league_bot import CHANNEL, GUILD, START, season, serving
from wordpl.league import schedules
from wordpl.league.store import LeagueStore


@pytest.mark.slow
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
            store = LeagueStore(str(tmp_path / "store"))
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


@pytest.mark.slow
@pytest.mark.parametrize(("arrives", "state"), [(True, schedules.SENT), (False, schedules.LOST)])
def test_what_became_of_a_claim_is_found_out_after_its_day_too(tmp_path, arrives, state):
    now = [START + timedelta(days=30, hours=4)]

    async def story():
        discord = Discord()
        discord.now = lambda: now[0]
        discord.messages[CHANNEL] = season(CHANNEL, 3)
        taken = discord._post

        async def fail(request):
            if arrives:
                await taken(request)
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

    asyncio.run(story())


@pytest.mark.slow
def test_a_post_whose_day_ends_while_messages_are_read_is_lost(tmp_path):
    now = [START + timedelta(days=30, hours=4)]

    async def story():
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
            await until(lambda: [one.state for one in schedules.read_announcements(league)] == [schedules.LOST])
            now[0] += timedelta(hours=4)
            await until(lambda: discord.posted)
            assert [one["content"].split("\n")[0] for one in discord.posted] == ["**Day · 2025-08-01**"]
        store.close()

    asyncio.run(story())


async def until(is_so, wait_s=60):
    async with asyncio.timeout(wait_s):
        while not is_so():
            await asyncio.sleep(0.05)
