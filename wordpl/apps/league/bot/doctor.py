"""Checks of everything that the bot needs, with one remedy for each fault."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import aiohttp
import hikari

from wordpl.apps.league.bot.conversation import NEEDED_PERMISSIONS
from wordpl.apps.league.bot.gateway import intents_of
from wordpl.apps.league.database import from_ms
from wordpl.apps.league.store import League, LeagueStore
from wordpl.core.messages import UserError, amount

MAX_CLOCK_DIFFERENCE_S = 60
NETWORK = "network"
DISCORD_URL = "https://discord.com/api/v10"
PORTAL = "https://discord.com/developers/applications"


class Diagnosis(NamedTuple):
    """What a check has found.

    Attributes:
        what: What was checked.
        is_right: Whether it is as it should be.
        found: What was found.
        remedy: What to do, "" if nothing.
    """

    what: str
    is_right: bool
    found: str
    remedy: str = ""


def _finding(what: str, is_right: bool, found: str, remedy: str) -> Diagnosis:
    return Diagnosis(what, is_right, found, "" if is_right else remedy)


async def check(store_url: str, token: str, public_key: str, rest_url: str | None = None) -> list[Diagnosis]:
    """Return the findings, in the order in which faults should be repaired.

    Args:
        store_url: The store.
        token: The bot's token, "" if it is not set.
        public_key: The app's public key, "" if commands come over the gateway alone.
        rest_url: The URL of Discord's REST API; None for the real one.
    """
    reached = await _clock(rest_url or DISCORD_URL)
    store, opened = _open(store_url)
    findings = [reached, opened]
    try:
        if not token:
            remedy = f"set WORDPL_BOT_TOKEN in the environment of the bot; it is shown at {PORTAL}, your app, Bot"
            findings.append(Diagnosis("token", False, "WORDPL_BOT_TOKEN is not set", remedy))
        elif reached.what != NETWORK:  # without a network, nothing about the token can be known
            findings += await _discord(token, public_key, rest_url, store)
        if store is not None:
            for key in store.leagues():
                findings += _league(store, store.find(key))
    except UserError as error:
        findings.append(Diagnosis("store", False, error.message, "see above"))
    finally:
        if store is not None:
            store.close()
    return findings


async def _clock(url: str) -> Diagnosis:
    try:
        timeout = aiohttp.ClientTimeout(total=10)
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(f"{url}/gateway") as response:
            sent = parsedate_to_datetime(response.headers["Date"])
    except (aiohttp.ClientError, TimeoutError, KeyError, ValueError, OSError) as error:
        remedy = "check this machine's network, and whether a firewall blocks discord.com"
        return Diagnosis(NETWORK, False, f"Discord cannot be reached ({type(error).__name__})", remedy)
    difference = abs((datetime.now(UTC) - sent).total_seconds())
    is_right = difference <= MAX_CLOCK_DIFFERENCE_S
    remedy = "set this machine's clock by NTP: the bot refuses requests that are 5 minutes off"
    return _finding("clock", is_right, f"{difference:.0f} s from Discord's", remedy)


def _open(url: str) -> tuple[LeagueStore | None, Diagnosis]:
    try:
        store = LeagueStore(url, create=False)
    except UserError as error:
        return None, Diagnosis("store", False, error.message, "start the bot once, or correct --store or WORDPL_LEAGUE")
    try:
        return store, Diagnosis("store", True, amount(len(store.leagues()), "league"))
    except UserError as error:
        store.close()
        return None, Diagnosis("store", False, error.message, "restore a backup")


async def _discord(token: str, public_key: str, rest_url: str | None, store: LeagueStore | None) -> list[Diagnosis]:
    """Return the findings about the app: its token, its key, its intents, its servers and channels."""
    app = hikari.RESTApp(max_retries=0, url=rest_url)
    await app.start()
    try:
        async with app.acquire(token, hikari.TokenType.BOT) as rest:
            try:
                application = await rest.fetch_application()
            except hikari.UnauthorizedError:
                remedy = f"copy it again from {PORTAL}, your app, Bot, Reset Token"
                return [Diagnosis("token", False, "Discord does not accept it", remedy)]
            except hikari.HikariError as error:
                return [Diagnosis(NETWORK, False, f"Discord fails ({type(error).__name__})", "try again later")]
            findings = [Diagnosis("token", True, f"of the app {application.name}")]
            if public_key:
                is_key = application.public_key.hex() == public_key.lower().strip()
                remedy = f"copy the Public Key again from {PORTAL}, your app, General Information"
                found = f"{'that of the' if is_key else 'of another'} app"
                findings.append(_finding("public key", is_key, found, remedy))
            else:
                findings.append(Diagnosis("commands", True, "come over the gateway; HTTPS needs WORDPL_BOT_PUBLIC_KEY"))
            findings += _intents(application.flags)
            for key in store.leagues() if store is not None else ():
                if store is not None and key.isdigit():
                    findings += await _channels(rest, store.find(key))
            return findings
    finally:
        await app.close()


def _intents(flags: hikari.ApplicationFlags) -> list[Diagnosis]:
    granted = intents_of(flags)
    where = f"turn it on at {PORTAL}, your app, Bot, Privileged Gateway Intents, and restart the bot"
    wanted = {
        "Message Content intent": (hikari.Intents.MESSAGE_CONTENT, "messages come without their text"),
        "Server Members intent": (hikari.Intents.GUILD_MEMBERS, "nicknames in summaries are not recognized"),
    }
    return [
        _finding(name, bool(granted & intent), "on" if granted & intent else f"off: {loss}", where)
        for name, (intent, loss) in wanted.items()
    ]


async def _channels(rest: hikari.api.RESTClient, league: League) -> list[Diagnosis]:
    findings = []
    for channel in league.channels():
        try:
            await rest.fetch_messages(hikari.Snowflake(int(channel))).limit(1)
        except hikari.HikariError as error:
            names = " and ".join(NEEDED_PERMISSIONS.values())
            remedy = f"grant the bot's role {names} in the channel's settings, or invite the bot again"
            found = f"cannot be read ({type(error).__name__})"
            findings.append(Diagnosis(f"channel {channel} of {league.key}", False, found, remedy))
        else:
            findings.append(Diagnosis(f"channel {channel} of {league.key}", True, "can be read"))
    return findings


def _league(store: LeagueStore, league: League) -> list[Diagnosis]:
    """Return the findings about a league's time zone and, on a Discord server, its members and its last sync."""
    name, resolved = store.leagues()[league.key], league.resolved()
    zone = resolved.options.zone
    likely = resolved.zone or "Europe/Berlin"
    remedy = f"wordpl league settings --league {league.key} --zone {likely}"
    findings = [_finding(f"time zone of {name}", bool(zone), zone or "not chosen", remedy)]
    if resolved.warning:
        findings.append(Diagnosis(f"days of {name}", False, "may be wrong", resolved.warning))
    if not league.key.isdigit():
        return findings
    n_members, seen = len(league.members()), league.members_seen()
    remedy = "turn on the Server Members intent and run /sync, so that nicknames are recognized"
    when = f", read on {from_ms(seen):%Y-%m-%d %H:%M} UTC" if n_members else ""
    findings.append(_finding(f"members of {name}", bool(n_members), f"{n_members:,} known{when}", remedy))
    channels = league.channels()
    newest = max((progress.newest for key in channels if (progress := league.progress(key))), default=0)
    read = f"up to {hikari.Snowflake(newest).created_at:%Y-%m-%d %H:%M} UTC" if newest else "never"
    remedy = "run /sync in the channel in which the Wordle app posts its summaries"
    findings.append(_finding(f"last message read of {name}", bool(newest), read, remedy))
    return findings
