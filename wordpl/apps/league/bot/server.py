"""Runs the bot: commands come over Discord's gateway, or as signed requests to a web server that takes each once."""

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

from wordpl.apps.league.bot.announcer import Announcer, now_utc
from wordpl.apps.league.bot.commands import builders, warm_up
from wordpl.apps.league.bot.conversation import InteractionHandler
from wordpl.apps.league.bot.follower import SWEEP_EVERY_S, Follower
from wordpl.apps.league.bot.gateway import Gateway, intents_of
from wordpl.apps.league.sources import PictureReader
from wordpl.apps.league.store import LeagueStore
from wordpl.core.messages import UserError

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
NEEDED = hikari.Permissions.VIEW_CHANNEL | hikari.Permissions.READ_MESSAGE_HISTORY | hikari.Permissions.SEND_MESSAGES
INVITATION = (
    "https://discord.com/oauth2/authorize?scope=bot+applications.commands"
    f"&permissions={int(NEEDED | hikari.Permissions.ADD_REACTIONS)}"
)
"""The address at which a bot is added to a server, without the id of its application."""
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
    """The bot's token, and the public key that verifies Discord's requests; neither is part of the repr.

    Without a public key, there is no web server: commands come over the gateway alone.
    """

    token: str = field(repr=False)
    public_key: str = field(default="", repr=False)


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
        credentials: The bot's token, and Discord's public key for commands over HTTPS.
        config: Settings.
        ready: Called once commands are accepted: with the bot's URL if it has a web server, else with the address at
            which the bot is added to a Discord server.

    Raises:
        UserError: The bot cannot listen, or Discord does not accept its credentials.
    """
    if not credentials.public_key and not config.has_gateway:
        raise UserError("without the gateway, commands come over HTTPS, for which the public key is needed.")
    stopped = asyncio.Event()
    for shutdown_signal in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(shutdown_signal, stopped.set)
    asyncio.get_running_loop().set_exception_handler(_log_in_one_line)
    url, token = endpoints.rest_url, credentials.token
    # With retries, hikari would send a post twice when Discord's response is lost.
    async with _rest(url, token, max_retries=3) as rest, _rest(url, token, max_retries=0) as poster:
        application = await _register_commands(rest)
        follower = Follower(rest, config.store, config.read_picture, config.sweep_every_s)
        announcer = Announcer(poster, config.store, follower, config.clock, config.tick_s)
        handler = InteractionHandler(config.store, config.read_picture, follower)
        jobs = [follower.run(), follower.process_events(), follower.react(), announcer.run()]
        jobs.append(asyncio.to_thread(warm_up))
        intents = intents_of(application.flags) if config.has_gateway else hikari.Intents.NONE
        invitation = f"{INVITATION}&client_id={application.id}"
        is_ready = asyncio.Event()
        if intents or not credentials.public_key:
            connected = is_ready.set if not credentials.public_key else lambda: None
            jobs.append(Gateway(token, url, intents, follower, handler.on_event, connected).run())
        background = [asyncio.create_task(job) for job in jobs]
        try:
            async with _web_server(endpoints, credentials, handler) as address:
                if not address:
                    waiting: list[asyncio.Task[Any]] = [
                        asyncio.create_task(event.wait()) for event in (is_ready, stopped)
                    ]
                    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                    for task in waiting:
                        task.cancel()
                ready(address or invitation)
                await stopped.wait()
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            await handler.close()


@asynccontextmanager
async def _rest(url: str | None, token: str, max_retries: int) -> AsyncIterator[hikari.api.RESTClient]:
    """Yield a REST client, and close its connections at the end."""
    app = hikari.RESTApp(max_retries=max_retries, url=url)
    await app.start()
    try:
        async with app.acquire(token, hikari.TokenType.BOT) as rest:
            yield rest
    finally:
        await app.close()


@asynccontextmanager
async def _web_server(
    endpoints: Endpoints, credentials: Credentials, handler: InteractionHandler
) -> AsyncIterator[str]:
    """Yield the address of a web server for signed commands, "" if there is no key to verify them."""
    if not credentials.public_key:
        yield ""
        return
    bot = _rest_bot(endpoints, credentials)
    rest: Any = bot.rest  # its declared type lacks `start`
    rest.start()
    bot.set_listener(hikari.CommandInteraction, handler.on_command)
    bot.set_listener(hikari.ComponentInteraction, handler.on_button)
    runner = web.AppRunner(_application(bot, ReplayGuard()), access_log=None, lingering_time=1.0)
    await runner.setup()
    closing = asyncio.create_task(_close_slow_connections(runner))
    try:
        port = await _listen(runner, endpoints)
        yield f"http://{endpoints.host}:{port}/"
    finally:
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        await runner.cleanup()
        await bot.rest.close()


def _log_in_one_line(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what hikari cannot deserialize without a traceback, and other exceptions as usual."""
    if "deserialization" in str(context.get("message")) or "raw event" in str(context.get("message")):
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


def _rest_bot(endpoints: Endpoints, credentials: Credentials) -> hikari.RESTBot:
    try:
        return hikari.RESTBot(
            credentials.token,
            public_key=bytes.fromhex(credentials.public_key),
            banner=None,
            logs=None,
            suppress_optimization_warning=True,
            rest_url=endpoints.rest_url,
        )
    except ValueError:
        raise UserError(
            "the public key must be the 64 hexadecimal digits that the developer portal shows as Public Key."
        ) from None


async def _register_commands(rest: hikari.api.RESTClient) -> hikari.Application:
    try:
        application = await rest.fetch_application()
        await rest.set_application_commands(application, builders(rest))
        return application
    except hikari.UnauthorizedError:
        raise UserError("Discord does not accept the bot's token: copy it again from the developer portal.") from None
    except (hikari.HikariError, OSError) as error:
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
