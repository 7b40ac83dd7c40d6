"""The doctor names each fault with one remedy, against a Discord on loopback."""

import asyncio
import subprocess
import sys

import pytest

pytest.importorskip("hikari")
pytest.importorskip("nacl")

from tests.helpers.discord import CONTENT_AND_MEMBERS, TOKEN, Discord
from tests.helpers.league_bot import CHANNEL, GUILD, START, season
from wordpl.apps.league.bot.doctor import check
from wordpl.apps.league.posts import DiscordUser
from wordpl.apps.league.resolve import LeagueOptions
from wordpl.apps.league.store import ChannelProgress, LeagueStore

pytestmark = pytest.mark.slow  # imports hikari, which takes a CPU second


def findings(tmp_path, discord, token=TOKEN, key=None, fill=lambda league: None, store="store"):
    async def scenario():
        async with discord.listening() as url:
            return await check(str(tmp_path / store), token, discord.public_key if key is None else key, url)

    opened = LeagueStore(str(tmp_path / "store"))
    fill(opened.league(GUILD, "A Group"))
    opened.close()
    return {finding.what: finding for finding in asyncio.run(scenario())}


def healthy(league):
    league.choose(LeagueOptions("Europe/Berlin"))
    league.save_members([DiscordUser("1", "Ann", "", "ann")], START)
    league.save_progress(CHANNEL, ChannelProgress(1 << 60, 0, True))


def test_a_healthy_bot_has_no_faults(tmp_path):
    discord = Discord(CONTENT_AND_MEMBERS)
    discord.messages[CHANNEL] = season(CHANNEL, 1)
    found = findings(tmp_path, discord, fill=healthy)
    assert [finding for finding in found.values() if not finding.is_right] == []
    assert len(found) >= 9


@pytest.mark.parametrize(
    ("changes", "what", "remedy"),
    [
        ({"token": "wrong"}, "token", "Reset Token"),
        ({"token": ""}, "token", "WORDPL_BOT_TOKEN"),
        ({"key": "00" * 32}, "public key", "Public Key"),
        ({"store": "missing"}, "store", "--store"),
        ({"fill": lambda league: None}, "time zone of A Group", "--zone"),
        ({"fill": lambda league: None}, "members of A Group", "Server Members"),
        ({"fill": lambda league: None}, "last message read of A Group", "/sync"),
    ],
)
def test_a_fault_has_a_remedy(tmp_path, changes, what, remedy):
    found = findings(tmp_path, Discord(CONTENT_AND_MEMBERS), **{"fill": healthy} | changes)[what]
    assert not found.is_right
    assert remedy in found.remedy


def test_missing_intents_are_named(tmp_path):
    found = findings(tmp_path, Discord())
    assert "Privileged Gateway Intents" in found["Message Content intent"].remedy
    assert not found["Server Members intent"].is_right
    found = findings(tmp_path, Discord(1 << 19))  # the content of messages alone
    assert [found[f"{name} intent"].found[:3] for name in ("Message Content", "Server Members")] == ["on", "off"]


def test_without_a_network_only_the_network_is_named(tmp_path):
    found = asyncio.run(check(str(tmp_path / "missing"), TOKEN, "", "http://127.0.0.1:9"))
    assert [(finding.what, finding.is_right) for finding in found] == [("network", False), ("store", False)]
    assert "token" not in " ".join(finding.remedy for finding in found)


def test_a_token_alone_is_enough(tmp_path):
    discord = Discord(CONTENT_AND_MEMBERS)
    found = findings(tmp_path, discord, key="", fill=healthy)
    assert [finding for finding in found.values() if not finding.is_right] == []
    assert "gateway" in found["commands"].found


def test_no_session_is_left_open(tmp_path):
    code = (
        "import asyncio, logging; logging.basicConfig(); from wordpl.apps.league.bot.server import *\n"
        "from wordpl.apps.league.store import LeagueStore; from wordpl.core.messages import UserError\n"
        f"config = LeagueBotConfig(LeagueStore({str(tmp_path / 's')!r}), lambda data: ())\n"
        "nowhere = Endpoints('127.0.0.1', 0, 'http://127.0.0.1:9')\n"
        "try: asyncio.run(serve(nowhere, Credentials('a.b.c'), config, print))\n"
        "except UserError as error: print(error.message)"
    )
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, timeout=120)
    assert "Discord cannot be reached" in ended.stdout, ended.stderr
    assert "Unclosed" not in ended.stderr
