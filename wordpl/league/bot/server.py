"""The bot's web server, which receives Discord's signed requests, each only once, and passes them to hikari."""

import asyncio
import json
import logging
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any

import hikari
from aiohttp import web

from wordpl.core.messages import UserError
from wordpl.league.bot.announcer import Announcer, now_utc
from wordpl.league.bot.commands import builders
from wordpl.league.bot.conversation import InteractionHandler
from wordpl.league.bot.follower import SWEEP_EVERY_S, Follower, Gateway, intents_of
from wordpl.league.sources import PictureReader
from wordpl.league.store import LeagueStore

WINDOW_S = 300
"""Largest difference between the signed time and the clock, in seconds."""


class ReplayGuard:
    """Accepts each request at most once.

    Args:
        clock: Returns the time in seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._started = int(clock())  # earlier requests may have been accepted by an earlier process
        self._accepted: dict[bytes, float] = {}

    def accepts(self, timestamp: str, body: bytes) -> bool:
        """Return whether to accept this request; the same request is not accepted again."""
        now = self._clock()
        for fingerprint in [fingerprint for fingerprint, ends in self._accepted.items() if ends < now]:
            del self._accepted[fingerprint]
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        sent = int(timestamp)
        fingerprint = _fingerprint(timestamp, body)
        if fingerprint in self._accepted or sent < self._started or abs(sent - now) > WINDOW_S:
            return False
        self._accepted[fingerprint] = sent + WINDOW_S
        return True

    def forget(self, timestamp: str, body: bytes) -> None:
        """Forget a request that proved to be invalid, so that forgeries neither block a real one nor use memory."""
        self._accepted.pop(_fingerprint(timestamp, body), None)


def _fingerprint(timestamp: str, body: bytes) -> bytes:
    return blake2b(timestamp.encode() + b"\0" + body, digest_size=16).digest()


TIMESTAMP = "X-Signature-Timestamp"
MALFORMED, REFUSED = 400, 401
MAX_BODY = 1 << 20
REQUEST_S = 10.0
"""The time limit from opening a connection to the end of its only request, in seconds."""
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Endpoints:
    """The bot's and Discord's network addresses.

    Attributes:
        host: The address on which the bot listens.
        port: The port on which it listens; 0 for any free port.
        rest_url: The URL of Discord's REST API; None for the real one.
    """

    host: str
    port: int
    rest_url: str | None = None


@dataclass(frozen=True)
class Credentials:
    """The bot's token and the public key that verifies Discord's requests; neither is part of the repr."""

    token: str = field(repr=False)
    public_key: str = field(repr=False)


@dataclass(frozen=True)
class LeagueBotConfig:
    """Settings of the bot.

    Attributes:
        store: The store.
        read_picture: Returns the texts found in a picture, given its bytes.
        clock: Returns the current time, which decides when scheduled posts are due.
        sweep_every_s: Pause between two rounds of reading in the background, in seconds.
        tick_s: Pause between two checks of the schedules, in seconds.
        has_gateway: Whether to connect to Discord's gateway, if the app may read messages there.
    """

    store: LeagueStore
    read_picture: PictureReader
    clock: Callable[[], datetime] = now_utc
    sweep_every_s: float = SWEEP_EVERY_S
    tick_s: float = 20.0
    has_gateway: bool = True


async def serve(
    endpoints: Endpoints, credentials: Credentials, config: LeagueBotConfig, ready: Callable[[str], None]
) -> None:
    """Run the bot until SIGINT or SIGTERM.

    Args:
        endpoints: Network addresses.
        credentials: The bot's token and Discord's public key.
        config: Settings.
        ready: Called with the bot's URL once it accepts requests.

    Raises:
        UserError: The bot cannot listen, or Discord does not accept its credentials.
    """
    stopped = asyncio.Event()
    for shutdown_signal in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(shutdown_signal, stopped.set)
    asyncio.get_running_loop().set_exception_handler(_log_in_one_line)
    # With retries, hikari would send a post twice when Discord's response is lost.
    posting = hikari.RESTApp(max_retries=0, url=endpoints.rest_url)
    await posting.start()
    async with (
        _discord(endpoints, credentials) as (bot, flags),
        posting.acquire(credentials.token, hikari.TokenType.BOT) as poster,
    ):
        follower = Follower(bot.rest, config.store, config.read_picture, config.sweep_every_s)
        announcer = Announcer(poster, config.store, follower, config.clock, config.tick_s)
        handler = InteractionHandler(config.store, config.read_picture, follower)
        bot.set_listener(hikari.CommandInteraction, handler.on_command)
        bot.set_listener(hikari.ComponentInteraction, handler.on_button)
        runner = web.AppRunner(_application(bot, ReplayGuard()), access_log=None, lingering_time=1.0)
        await runner.setup()
        background = []
        try:
            port = await _listen(runner, endpoints)
            jobs = [follower.run(), follower.process_events(), announcer.run(), _close_slow_connections(runner)]
            intents = intents_of(flags) if config.has_gateway else hikari.Intents.NONE
            if intents:
                jobs.append(Gateway(credentials.token, endpoints.rest_url, intents, follower).run())
            background = [asyncio.create_task(job) for job in jobs]
            ready(f"http://{endpoints.host}:{port}/")
            await stopped.wait()
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            await runner.cleanup()
            await handler.close()
            await posting.close()


def _log_in_one_line(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log requests that hikari cannot deserialize without a traceback, and other exceptions as usual."""
    if "deserialization" in str(context.get("message")):
        _LOGGER.debug("an interaction could not be read: %r", context.get("exception"))  # the refusal is logged
    else:
        loop.default_exception_handler(context)


async def _listen(runner: web.AppRunner, endpoints: Endpoints) -> int:
    """Start listening and return the port."""
    try:
        await web.TCPSite(runner, endpoints.host, endpoints.port).start()
    except OSError as error:
        raise UserError(f"cannot listen on {endpoints.host}, port {endpoints.port}: {error.strerror}.") from None
    return int(runner.addresses[0][1])


async def _close_slow_connections(runner: web.AppRunner) -> None:
    """Close connections that take longer than REQUEST_S for a request, until cancelled."""
    since: dict[Any, float] = {}
    while True:
        server = runner.server
        open_now = list(server.connections) if server is not None else []
        now = time.monotonic()
        since = {connection: since.get(connection, now) for connection in open_now}
        for connection, opened in since.items():
            if now - opened > REQUEST_S:
                connection.force_close()
                if connection.transport is not None:
                    connection.transport.abort()
        await asyncio.sleep(1)


@asynccontextmanager
async def _discord(
    endpoints: Endpoints, credentials: Credentials
) -> AsyncIterator[tuple[hikari.RESTBot, hikari.ApplicationFlags]]:
    """Log in to Discord and register the commands; yield the bot and the application's flags."""
    try:
        key = bytes.fromhex(credentials.public_key)
        bot = hikari.RESTBot(
            credentials.token,
            public_key=key,
            banner=None,
            logs=None,
            suppress_optimization_warning=True,
            rest_url=endpoints.rest_url,
        )
    except ValueError:
        raise UserError(
            "the public key must be the 64 hexadecimal digits that the developer portal shows as Public Key."
        ) from None
    rest: Any = bot.rest  # its declared type lacks `start`
    rest.start()
    try:
        yield bot, await _register_commands(bot)
    finally:
        await bot.rest.close()


async def _register_commands(bot: hikari.RESTBot) -> hikari.ApplicationFlags:
    try:
        application = await bot.rest.fetch_application()
        await bot.rest.set_application_commands(application, builders(bot.rest))
        return application.flags
    except hikari.UnauthorizedError:
        raise UserError("Discord does not accept the bot's token: copy it again from the developer portal.") from None
    except hikari.HikariError as error:
        raise UserError(f"Discord cannot be reached ({type(error).__name__}): try again later.") from None


def _application(bot: hikari.RESTBot, guard: ReplayGuard) -> web.Application:
    hikari_server: Any = bot.interaction_server  # its declared type lacks `aiohttp_hook`

    async def take(request: web.Request) -> web.StreamResponse:
        timestamp = request.headers.get(TIMESTAMP, "")
        try:
            body = await request.read()
        except (web.HTTPException, ConnectionError):
            return _refuse(MALFORMED, "the request is too large or incomplete")
        if not guard.accepts(timestamp, body):
            return _refuse(REFUSED, "the request is too old or was already received")
        if fault := _fault(request, body):
            guard.forget(timestamp, body)
            return _refuse(MALFORMED, fault)
        try:
            response: web.StreamResponse = await hikari_server.aiohttp_hook(request)
        except Exception as error:  # hikari may raise anything for a body that is not an interaction
            guard.forget(timestamp, body)
            return _refuse(MALFORMED, f"not an interaction: {type(error).__name__}")
        if response.status >= MALFORMED:
            guard.forget(timestamp, body)
            return _refuse(MALFORMED, f"refused with status {response.status}")
        response.force_close()  # one request per connection, so that its age shows how slow it is
        return response

    application = web.Application(client_max_size=MAX_BODY)
    application.add_routes([web.post("/", take)])
    return application


def _fault(request: web.Request, body: bytes) -> str:
    """Return why a request with this body cannot be an interaction, "" if it may be one."""
    try:
        interaction = json.loads(body)
    except (ValueError, RecursionError):
        return "the body is not JSON"
    if not isinstance(interaction, dict) or not isinstance(interaction.get("type"), int):
        return "the body is not an interaction"
    signature = request.headers.get("X-Signature-Ed25519", "")
    is_hex = len(signature) == 128 and all(character in "0123456789abcdefABCDEF" for character in signature)
    return "" if is_hex else "the signature is malformed"


def _refuse(status: int, reason: str) -> web.Response:
    _LOGGER.warning("a request was refused with status %d: %s", status, reason)
    response = web.Response(status=status, text=reason)
    response.force_close()
    return response
