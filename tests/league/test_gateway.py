"""The bot follows Discord's gateway: a fake one on loopback that speaks the documented protocol."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from tests.helpers.discord import CONTENT_AND_MEMBERS, Discord, message, snowflake, user
from tests.helpers.discord_gateway import GUILD_MEMBERS, GUILD_MESSAGES, IDENTIFY, MESSAGE_CONTENT, RESUME
from tests.helpers.league_bot import CHANNEL, GUILD, START, season, serving
from wordpl.league.discord_message import APP
from wordpl.league.store import LeagueStore

LATER = START + timedelta(days=40)
APP_USER = user(APP, "Wordle", bot=True)


def summary(text, moment=LATER):
    return message(snowflake(moment), CHANNEL, APP_USER, text, moment)


@asynccontextmanager
async def following(folder, n_days=30, **gateway):
    """Give a Discord and a bot that has synced a channel and follows it by the gateway; nothing is swept."""
    discord = Discord(CONTENT_AND_MEMBERS)
    vars(discord.gateway).update(gateway)
    discord.messages[CHANNEL], discord.guild_of[CHANNEL] = season(CHANNEL, n_days), GUILD
    discord.members[GUILD] = [(user("11", "one", "Player One"), None)]
    async with discord.listening(), serving(discord, folder / "store") as bot:
        await discord.command(bot, "sync", GUILD, CHANNEL, "sync")
        yield discord, bot


async def connected(discord, bot):
    """Ask until the bot trusts the gateway: it then reads only what is newer than the newest message."""
    await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
    newest = {"after": discord.messages[CHANNEL][-1]["id"], "limit": "100"}
    async with asyncio.timeout(60):
        while newest != discord.asked[-1][1]:
            await discord.command(bot, "day", GUILD, CHANNEL, f"connected{len(discord.asked)}")


def results(folder):
    store = LeagueStore(str(folder / "store"))
    try:
        found = store.find(GUILD).resolved().results
        return {(row.player, row.day): row.guesses for row in found.itertuples()}
    finally:
        store.close()


async def in_time(is_so, wait_s=60):
    async with asyncio.timeout(wait_s):
        while not is_so():
            await asyncio.sleep(0.05)


@pytest.mark.slow
def test_messages_edits_of_any_age_and_deletions_are_taken_in_as_they_happen(tmp_path):
    async def story():
        async with following(tmp_path) as (discord, bot):
            await connected(discord, bot)
            n_before, first = len(results(tmp_path)), discord.messages[CHANNEL][0]
            n_asked = len(discord.asked)
            await discord.edit(CHANNEL, first, "6/6: <@11>", LATER)
            await in_time(lambda: len(results(tmp_path)) == n_before - 2)
            await discord.write(CHANNEL, summary("2/6: <@11>\nX/6: <@12>"))
            await in_time(lambda: len(results(tmp_path)) == n_before)
            second, third = discord.messages[CHANNEL][5], discord.messages[CHANNEL][10]
            await discord.delete(CHANNEL, second, third)
            await in_time(lambda: len(results(tmp_path)) == n_before - 6)
            await discord.delete(CHANNEL, discord.messages[CHANNEL][-1])
            await in_time(lambda: len(results(tmp_path)) == n_before - 8)
            assert len(discord.asked) == n_asked, "no page was read again"
            assert 6 in {guesses for (_, day), guesses in results(tmp_path).items() if day == 1472}
            assert discord.gateway.log.count(IDENTIFY) == 1

    asyncio.run(story())


@pytest.mark.slow
def test_an_answer_right_after_a_summary_an_edit_or_a_deletion_has_it(tmp_path):
    async def story():
        async with following(tmp_path) as (discord, bot):
            await connected(discord, bot)
            n_asked, newest = len(discord.asked), discord.messages[CHANNEL][-1]["id"]
            said = summary("1/6: <@11>\n5/6: <@12>")
            await discord.write(CHANNEL, said)
            shown, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t1")
            assert "Mean 3.00 of 2 players" in shown
            assert {query["after"] for _, query in discord.asked[n_asked:]} <= {newest, said["id"]}, "only what is new"
            await discord.edit(CHANNEL, said, "4/6: <@11>", LATER + timedelta(minutes=1))
            shown, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t2")
            assert "Mean 4.00 of 1 player" in shown
            await discord.delete(CHANNEL, said)
            shown, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t3")
            assert "of 3 players" in shown

    asyncio.run(story())


@pytest.mark.slow
def test_a_new_nickname_is_known_at_once(tmp_path):
    async def story():
        async with following(tmp_path) as (discord, bot):
            await connected(discord, bot)
            await discord.rename(GUILD, user("11", "one", "Player One"), "Ada")
            await discord.rename(GUILD, user("12", "two", "Player Two"), "Bob")
            await in_time(lambda: {"Ada", "Bob"} <= {player for player, _ in results(tmp_path)})

    asyncio.run(story())


@pytest.mark.slow
def test_a_session_is_resumed_after_a_break_and_what_happened_meanwhile_is_told(tmp_path):
    async def story():
        async with following(tmp_path) as (discord, bot):
            await connected(discord, bot)
            n_before, n_asked = len(results(tmp_path)), len(discord.asked)
            await discord.gateway.drop()
            await discord.delete(CHANNEL, discord.messages[CHANNEL][0])
            await in_time(lambda: len(results(tmp_path)) == n_before - 3)
            assert (discord.gateway.log.count(IDENTIFY), discord.gateway.log.count(RESUME)) == (1, 1)
            assert len(discord.asked) == n_asked
            await discord.gateway.ask_to_reconnect()
            await in_time(lambda: discord.gateway.log.count(RESUME) == 2)

    asyncio.run(story())


@pytest.mark.slow
def test_a_session_that_is_lost_has_the_last_days_read_again(tmp_path):
    async def story():
        async with following(tmp_path) as (discord, bot):
            await connected(discord, bot)
            n_before = len(results(tmp_path))
            discord.messages[CHANNEL].remove(discord.messages[CHANNEL][-5])  # and no event tells of it
            await discord.command(bot, "day", GUILD, CHANNEL, "t1")
            assert len(results(tmp_path)) == n_before
            await discord.gateway.drop()
            discord.gateway.forget_sessions()
            await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
            assert discord.gateway.log.count(IDENTIFY) == 2
            await discord.command(bot, "day", GUILD, CHANNEL, "t2")
            assert len(results(tmp_path)) == n_before - 3

    asyncio.run(story())


@pytest.mark.slow
def test_a_connection_whose_heartbeats_are_not_answered_is_replaced(tmp_path):
    async def story():
        async with following(tmp_path, heartbeat_ms=300) as (discord, bot):
            await connected(discord, bot)
            discord.gateway.acknowledges = False
            await in_time(lambda: discord.gateway.log.count(RESUME) >= 1)
            discord.gateway.acknowledges = True
            n_before = len(results(tmp_path))
            await discord.delete(CHANNEL, discord.messages[CHANNEL][0])
            await in_time(lambda: len(results(tmp_path)) == n_before - 3)

    asyncio.run(story())


@pytest.mark.slow
@pytest.mark.parametrize("refusal", [{"allowed": GUILD_MESSAGES}, {"is_down": True}])
def test_without_the_gateway_channels_are_read_by_http(tmp_path, caplog, refusal):
    async def story():
        async with following(tmp_path, **refusal) as (discord, bot):
            await in_time(lambda: "the gateway connection ended" in caplog.text)
            discord.messages[CHANNEL].append(summary("1/6: <@11>\n5/6: <@12>"))
            shown, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t1")
            assert "of 2 players" in shown

    asyncio.run(story())


@pytest.mark.slow
def test_intents_are_those_that_the_developer_portal_grants(tmp_path):
    async def story(flags):
        discord = Discord(flags)
        async with discord.listening(), serving(discord, tmp_path / "store"):
            if flags:
                await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
            return [session.intents for session in discord.gateway.sessions.values()]

    assert asyncio.run(story(CONTENT_AND_MEMBERS)) == [GUILD_MESSAGES | MESSAGE_CONTENT | GUILD_MEMBERS]
    assert asyncio.run(story(1 << 19)) == [GUILD_MESSAGES | MESSAGE_CONTENT]
    assert asyncio.run(story(0)) == []
