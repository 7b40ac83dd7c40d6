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
from wordpl.apps.league.discord_message import APP
from wordpl.apps.league.store import LeagueStore

LATER = START + timedelta(days=40)
APP_USER = user(APP, "Wordle", bot=True)


def summary(text, moment=LATER):
    return message(snowflake(moment), CHANNEL, APP_USER, text, moment)


@asynccontextmanager
async def following(folder, n_days=30, **gateway):
    """Yield a Discord and a bot that has synced a channel and follows it by the gateway, without sweeps."""
    discord = Discord(CONTENT_AND_MEMBERS)
    vars(discord.gateway).update(gateway)
    discord.messages[CHANNEL], discord.guild_of[CHANNEL] = season(CHANNEL, n_days), GUILD
    discord.members[GUILD] = [(user("11", "one", "Player One"), None)]
    async with discord.listening(), serving(discord, folder / "store") as bot:
        await discord.command(bot, "sync", GUILD, CHANNEL, "sync")
        yield discord, bot


async def wait_until_connected(discord, bot):
    """Wait until the bot relies on the gateway: it then reads only messages after the newest one."""
    await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
    newest = {"after": discord.messages[CHANNEL][-1]["id"], "limit": "100"}
    async with asyncio.timeout(60):
        while newest != discord.asked[-1][1]:
            await discord.command(bot, "day", GUILD, CHANNEL, f"connected{len(discord.asked)}")


def results(folder):
    store = LeagueStore(str(folder / "store"))
    try:
        resolved = store.find(GUILD).resolved().results
        return {(row.player, row.day): row.guesses for row in resolved.itertuples()}
    finally:
        store.close()


async def wait_until(condition, wait_s=60):
    async with asyncio.timeout(wait_s):
        while not condition():
            await asyncio.sleep(0.05)


@pytest.mark.slow
def test_messages_edits_and_deletions_are_processed_as_they_happen(tmp_path):
    async def scenario():
        async with following(tmp_path) as (discord, bot):
            await wait_until_connected(discord, bot)
            n_before, first = len(results(tmp_path)), discord.messages[CHANNEL][0]
            n_asked = len(discord.asked)
            await discord.edit(CHANNEL, first, "6/6: <@11>", LATER)
            await wait_until(lambda: len(results(tmp_path)) == n_before - 2)
            await discord.write(CHANNEL, summary("2/6: <@11>\nX/6: <@12>"))
            await wait_until(lambda: len(results(tmp_path)) == n_before)
            second, third = discord.messages[CHANNEL][5], discord.messages[CHANNEL][10]
            await discord.delete(CHANNEL, second, third)
            await wait_until(lambda: len(results(tmp_path)) == n_before - 6)
            await discord.delete(CHANNEL, discord.messages[CHANNEL][-1])
            await wait_until(lambda: len(results(tmp_path)) == n_before - 8)
            assert len(discord.asked) == n_asked, "no page was read again"
            assert 6 in {guesses for (_, day), guesses in results(tmp_path).items() if day == 1472}
            assert discord.gateway.log.count(IDENTIFY) == 1

    asyncio.run(scenario())


@pytest.mark.slow
def test_an_answer_includes_the_latest_summary_edit_or_deletion(tmp_path):
    async def scenario():
        async with following(tmp_path) as (discord, bot):
            await wait_until_connected(discord, bot)
            n_asked, newest_id = len(discord.asked), discord.messages[CHANNEL][-1]["id"]
            late_summary = summary("1/6: <@11>\n5/6: <@12>")
            await discord.write(CHANNEL, late_summary)
            answer, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t1")
            assert "Mean 3.00 of 2 players" in answer
            assert {query["after"] for _, query in discord.asked[n_asked:]} <= {newest_id, late_summary["id"]}, (
                "only new messages"
            )
            await discord.edit(CHANNEL, late_summary, "4/6: <@11>", LATER + timedelta(minutes=1))
            answer, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t2")
            assert "Mean 4.00 of 1 player" in answer
            await discord.delete(CHANNEL, late_summary)
            answer, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t3")
            assert "of 3 players" in answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_new_nickname_is_used_at_once(tmp_path):
    async def scenario():
        async with following(tmp_path) as (discord, bot):
            await wait_until_connected(discord, bot)
            await discord.rename(GUILD, user("11", "one", "Player One"), "Ada")
            await discord.rename(GUILD, user("12", "two", "Player Two"), "Bob")
            await wait_until(lambda: {"Ada", "Bob"} <= {player for player, _ in results(tmp_path)})

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_broken_session_is_resumed_without_missing_an_event(tmp_path):
    async def scenario():
        async with following(tmp_path) as (discord, bot):
            await wait_until_connected(discord, bot)
            n_before, n_asked = len(results(tmp_path)), len(discord.asked)
            await discord.gateway.drop()
            await discord.delete(CHANNEL, discord.messages[CHANNEL][0])
            await wait_until(lambda: len(results(tmp_path)) == n_before - 3)
            assert (discord.gateway.log.count(IDENTIFY), discord.gateway.log.count(RESUME)) == (1, 1)
            assert len(discord.asked) == n_asked
            await discord.gateway.ask_to_reconnect()
            await wait_until(lambda: discord.gateway.log.count(RESUME) == 2)

    asyncio.run(scenario())


@pytest.mark.slow
def test_after_a_lost_session_the_last_days_are_read_again(tmp_path):
    async def scenario():
        async with following(tmp_path) as (discord, bot):
            await wait_until_connected(discord, bot)
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

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_connection_without_heartbeat_acknowledgements_is_replaced(tmp_path):
    async def scenario():
        async with following(tmp_path, heartbeat_ms=300) as (discord, bot):
            await wait_until_connected(discord, bot)
            discord.gateway.acknowledges = False
            await wait_until(lambda: discord.gateway.log.count(RESUME) >= 1)
            discord.gateway.acknowledges = True
            n_before = len(results(tmp_path))
            await discord.delete(CHANNEL, discord.messages[CHANNEL][0])
            await wait_until(lambda: len(results(tmp_path)) == n_before - 3)

    asyncio.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize("refusal", [{"allowed": GUILD_MESSAGES}, {"is_down": True}])
def test_without_the_gateway_channels_are_read_by_http(tmp_path, caplog, refusal):
    async def scenario():
        async with following(tmp_path, **refusal) as (discord, bot):
            await wait_until(lambda: "the gateway connection ended" in caplog.text)
            discord.messages[CHANNEL].append(summary("1/6: <@11>\n5/6: <@12>"))
            answer, _ = await discord.command(bot, "day", GUILD, CHANNEL, "t1")
            assert "of 2 players" in answer

    asyncio.run(scenario())


@pytest.mark.slow
def test_only_intents_granted_by_the_developer_portal_are_requested(tmp_path):
    async def scenario(flags):
        discord = Discord(flags)
        async with discord.listening(), serving(discord, tmp_path / "store"):
            if flags:
                await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
            return [session.intents for session in discord.gateway.sessions.values()]

    assert asyncio.run(scenario(CONTENT_AND_MEMBERS)) == [GUILD_MESSAGES | MESSAGE_CONTENT | GUILD_MEMBERS]
    assert asyncio.run(scenario(1 << 19)) == [GUILD_MESSAGES | MESSAGE_CONTENT]
    assert asyncio.run(scenario(0)) == []
