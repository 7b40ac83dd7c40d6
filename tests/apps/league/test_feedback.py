"""People see whether their shares count: by a reaction, by a reason for them alone, and by who has not played."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from tests.helpers.discord import CONTENT_AND_MEMBERS, Discord, message, snowflake, user
from tests.helpers.league_bot import CHANNEL, GUILD, serving
from wordpl.apps.league.posts import Person, ReportedResult, ResultPost
from wordpl.apps.league.store import LeagueStore
from wordpl.core.puzzles import number_on

NOW = datetime.now(UTC)
TODAY = number_on(NOW.date())
ANN, BOB = user("11", "ann", "Ann"), user("12", "bob", "Bob")


def said(text, author, ago_s, **more):
    posted = NOW - timedelta(seconds=ago_s)
    return message(snowflake(posted, ago_s), CHANNEL, author, text, posted, **more)


@pytest.mark.slow
def test_a_share_gets_a_reaction_and_its_author_the_reason(tmp_path):
    async def scenario():
        discord = Discord(CONTENT_AND_MEMBERS)
        discord.guild_of[CHANNEL], discord.members[GUILD] = GUILD, [(ANN, None), (BOB, None)]
        discord.messages[CHANNEL] = [said(f"Wordle {TODAY - 1:,} 3/6", BOB, 80_000)]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "sync")
            await discord.gateway.wait_for(lambda: discord.gateway.n_connected == 1)
            await discord.command(bot, "day", GUILD, CHANNEL, "followed")
            parts = [f"Wordle {TODAY:,} 4/6", f"Wordle {TODAY:,} 3/6\n🟩🟩🟩🟩🟩", f"Wordle {TODAY - 9:,} 2/6", "hello"]
            sent = [said(text, ANN, 60 - at) for at, text in enumerate(parts)]
            for post in sent:
                await discord.write(CHANNEL, post)
            good, odd, late, chat = (post["id"] for post in sent)
            await discord.gateway.wait_for(lambda: discord.reactions.keys() >= {good, odd, late})
            assert {id: discord.reactions.get(id) for id in (good, odd, late, chat)} == (
                {good: {"✅"}, odd: {"❓"}, late: {"❓"}, chat: None}
            )
            why, _ = await discord.command(bot, "why", GUILD, CHANNEL, "why", author=ANN)
            assert f"channels/{GUILD}/{CHANNEL}/{odd}>: its grid has 1 row instead of 3" in why
            assert f"Puzzle {TODAY - 9:,}, 2/6: posted after the deadline" in why
            others, _ = await discord.command(bot, "why", GUILD, CHANNEL, "why2", author=BOB)
            assert others == "All of your shares that I have read count."
            listed, _ = await discord.command(bot, "conflicts", GUILD, CHANNEL, "conflicts")
            assert "its grid has 1 row instead of 3" in " ".join(listed.split())
            who, _ = await discord.command(bot, "missing", GUILD, CHANNEL, "missing")
            assert "Bob" in who and "Ann" not in who
            await discord.edit(CHANNEL, sent[1], f"Wordle {TODAY:,} 4/6", NOW)
            await discord.gateway.wait_for(lambda: discord.reactions[odd] == {"✅"})
            why, _ = await discord.command(bot, "why", GUILD, CHANNEL, "why3", author=ANN)
            assert odd not in why

    asyncio.run(scenario())


@pytest.mark.slow
def test_commands_come_over_the_gateway_with_a_token_alone(tmp_path):
    async def scenario():
        discord = Discord(CONTENT_AND_MEMBERS)
        key, discord.members[GUILD] = "", [(ANN, None), (BOB, None)]
        discord.messages[CHANNEL] = [
            said(f"Wordle {TODAY - 1:,} {n}/6", who, 80_000 + n) for n, who in ((3, ANN), (4, BOB))
        ]
        async with discord.listening(), serving(discord, tmp_path / "store", public_key=key) as invitation:
            assert "client_id=6" in invitation and "scope=bot" in invitation
            answer, _ = await discord.command(None, "sync", GUILD, CHANNEL, "sync")
            assert "Read 2 messages with 2 results." in answer
            answer, _ = await discord.command(None, "leaderboard", GUILD, CHANNEL, "board", game_cutoff=1)
            assert "Ann" in answer and "mean · 2 players, 2 results" in answer
            assert (await discord.picture("board"))[0].startswith(b"\x89PNG")

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_channel_is_read_again_and_what_1_0_0_gave_to_nobody_is_removed_on_request(tmp_path):
    async def scenario():
        discord = Discord()
        discord.messages[CHANNEL] = [said(f"Coffee first:\nWordle {TODAY - 1:,} 3/6", BOB, 80_001)]
        discord.messages[CHANNEL] += [said(f"Wordle {TODAY - 1:,} 4/6", ANN, 80_000)]
        async with discord.listening(), serving(discord, tmp_path / "store") as bot:
            await discord.command(bot, "sync", GUILD, CHANNEL, "sync")
            store = LeagueStore(str(tmp_path / "store"))
            league = store.find(GUILD)
            right = league.resolved().results.to_dict("records")
            post = discord.messages[CHANNEL][0]
            wrong = ReportedResult(Person("Coffee first", False), TODAY - 1, 3)
            league.rewrite({("discord", post["id"])}, [ResultPost("discord", post["id"], (wrong,), posted=NOW)])
            assert "Coffee first" in set(league.resolved().results["player"])
            wrong_results = league.resolved().results.to_dict("records")
            answer, _ = await discord.command(bot, "reread", GUILD, CHANNEL, "look")
            assert "Coffee first" in answer and "Nothing has changed yet" in answer
            assert league.resolved().results.to_dict("records") == wrong_results
            answer, _ = await discord.command(bot, "reread", GUILD, CHANNEL, "do", confirm=True)
            assert "Coffee first" in answer
            assert league.resolved().results.to_dict("records") == right
            answer, _ = await discord.command(bot, "reread", GUILD, CHANNEL, "again")
            assert "no result changes" in answer
            store.close()

    asyncio.run(scenario())
