"""The bot as a web server: Discord's signed requests in, hikari behind it."""

import asyncio
import json
import logging
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import hikari
from aiohttp import web

from wordpl.core.errors import UserError
from wordpl.league.bot.announcer import Announcer, now_utc
from wordpl.league.bot.following import SWEEP_EVERY_S, Follower
from wordpl.league.bot.gateway import Gateway, intents_of
from wordpl.league.bot.options import builders
from wordpl.league.bot.replay_guard import ReplayGuard
from wordpl.league.bot.replies import Replies
from wordpl.league.discord_export import PictureReader
from wordpl.league.store import Store

TIMESTAMP = "X-Signature-Timestamp"
MALFORMED, REFUSED = 400, 401
MAX_BODY = 1 << 20
REQUEST_S = 10.0
"""Seconds from when a connection is opened to the end of its one request."""
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Address:
    """Where the bot listens, and where Discord's REST API is; None for the real one."""

    host: str
    port: int
    rest_url: str | None = None


@dataclass(frozen=True)
class Secrets:
    """What proves that the bot is the bot, and Discord Discord. Neither is ever shown."""

    token: str = field(repr=False)
    public_key: str = field(repr=False)


@dataclass(frozen=True)
class Service:
    """What the bot works on: its store, what reads pictures, a clock, and the pauses of its background work.

    has_gateway: connect to Discord's gateway where the app may read messages by it.
    """

    store: Store
    read_picture: PictureReader
    clock: Callable[[], datetime] = now_utc
    sweep_every_s: float = SWEEP_EVERY_S
    tick_s: float = 20.0
    has_gateway: bool = True


async def serve(address: Address, secrets: Secrets, service: Service, ready: Callable[[str], None]) -> None:
    """Answer Discord until interrupted. ready: gets the address once requests are taken."""
    stopped = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, stopped.set)
    asyncio.get_running_loop().set_exception_handler(_log_in_one_line)
    posting = hikari.RESTApp(max_retries=0, url=address.rest_url)  # hikari would send a post again after a lost answer
    await posting.start()
    async with (
        _discord(address, secrets) as (bot, flags),
        posting.acquire(secrets.token, hikari.TokenType.BOT) as poster,
    ):
        follower = Follower(bot.rest, service.store, service.read_picture, service.sweep_every_s)
        announcer = Announcer(poster, service.store, follower, service.clock, service.tick_s)
        replies = Replies(service.store, service.read_picture, follower)
        bot.set_listener(hikari.CommandInteraction, replies.on_command)
        bot.set_listener(hikari.ComponentInteraction, replies.on_button)
        runner = web.AppRunner(_application(bot, ReplayGuard()), access_log=None, lingering_time=1.0)
        await runner.setup()
        background = []
        try:
            where = await _listen(runner, address)
            works = [follower.run(), follower.take_events(), announcer.run(), _close_slow(runner)]
            intents = intents_of(flags) if service.has_gateway else hikari.Intents.NONE
            if intents:
                works.append(Gateway(secrets.token, address.rest_url, intents, follower).run())
            background = [asyncio.create_task(one) for one in works]
            ready(f"http://{address.host}:{where}/")
            await stopped.wait()
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            await runner.cleanup()
            await replies.close()
            await posting.close()


def _log_in_one_line(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what hikari reports of a request that it cannot read without its traceback; all else as usual."""
    if "deserialization" in str(context.get("message")):
        _LOGGER.debug("an interaction could not be read: %r", context.get("exception"))  # the refusal is logged
    else:
        loop.default_exception_handler(context)


async def _listen(runner: web.AppRunner, address: Address) -> int:
    """Listen, and return the port."""
    try:
        await web.TCPSite(runner, address.host, address.port).start()
    except OSError as error:
        raise UserError(f"cannot listen on {address.host}, port {address.port}: {error.strerror}.") from None
    return int(runner.addresses[0][1])


async def _close_slow(runner: web.AppRunner) -> None:
    """Close connections that have not sent a whole request in time."""
    since: dict[Any, float] = {}
    while True:
        server = runner.server
        open_now = list(server.connections) if server is not None else []
        now = time.monotonic()
        since = {one: since.get(one, now) for one in open_now}
        for one, opened in since.items():
            if now - opened > REQUEST_S:
                one.force_close()
                if one.transport is not None:
                    one.transport.abort()
        await asyncio.sleep(1)


@asynccontextmanager
async def _discord(address: Address, secrets: Secrets) -> AsyncIterator[tuple[hikari.RESTBot, hikari.ApplicationFlags]]:
    """Give a bot that Discord knows, its commands made known there, and what the developer portal grants it."""
    try:
        key = bytes.fromhex(secrets.public_key)
        bot = hikari.RESTBot(
            secrets.token,
            public_key=key,
            banner=None,
            logs=None,
            suppress_optimization_warning=True,
            rest_url=address.rest_url,
        )
    except ValueError:
        raise UserError("the public key should be the 64 hexadecimal digits of the developer portal.") from None
    rest: Any = bot.rest  # its declared type lacks `start`
    rest.start()
    try:
        yield bot, await _introduce(bot)
    finally:
        await bot.rest.close()


async def _introduce(bot: hikari.RESTBot) -> hikari.ApplicationFlags:
    try:
        application = await bot.rest.fetch_application()
        await bot.rest.set_application_commands(application, builders(bot.rest))
        return application.flags
    except hikari.UnauthorizedError:
        raise UserError("Discord does not accept the bot's token: copy it again from the developer portal.") from None
    except hikari.HikariError as error:
        raise UserError(f"Discord could not be asked ({type(error).__name__}): try again later.") from None


def _application(bot: hikari.RESTBot, guard: ReplayGuard) -> web.Application:
    hikari_server: Any = bot.interaction_server  # its declared type lacks `aiohttp_hook`

    async def take(request: web.Request) -> web.StreamResponse:
        timestamp = request.headers.get(TIMESTAMP, "")
        try:
            body = await request.read()
        except (web.HTTPException, ConnectionError):
            return _refused(MALFORMED, "the request is too large, or broke off")
        if not guard.takes(timestamp, body):
            return _refused(REFUSED, "too old, or sent before")
        if (fault := _fault(body)) or (fault := _header_fault(request)):
            guard.forget(timestamp, body)
            return _refused(MALFORMED, fault)
        try:
            response: web.StreamResponse = await hikari_server.aiohttp_hook(request)
        except Exception as error:  # hikari's reader raises whatever a body of another shape makes it raise
            guard.forget(timestamp, body)
            return _refused(MALFORMED, f"not an interaction: {type(error).__name__}")
        if response.status >= MALFORMED:
            guard.forget(timestamp, body)
            return _refused(MALFORMED, f"refused with status {response.status}")
        response.force_close()  # one request a connection, so that its age tells how slow it is
        return response

    application = web.Application(client_max_size=MAX_BODY)
    application.add_routes([web.post("/", take)])
    return application


def _fault(body: bytes) -> str:
    """Return why a body can be no interaction, "" where it may be one."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return "the body is no JSON"
    if not isinstance(found, dict) or not isinstance(found.get("type"), int):
        return "the body is no interaction"
    return ""


def _header_fault(request: web.Request) -> str:
    signature = request.headers.get("X-Signature-Ed25519", "")
    is_hex = len(signature) == 128 and all(one in "0123456789abcdefABCDEF" for one in signature)
    return "" if is_hex else "the signature is none"


def _refused(status: int, why: str) -> web.Response:
    _LOGGER.warning("a request was refused with status %d: %s", status, why)
    response = web.Response(status=status, text=why)
    response.force_close()
    return response
