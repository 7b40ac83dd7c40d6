"""The bot as a web server: Discord's signed requests in, hikari behind it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import hikari
from aiohttp import web

from wordpl.core.errors import UserError
from wordpl.league.bot.options import builders
from wordpl.league.bot.replay_guard import ReplayGuard
from wordpl.league.bot.replies import Replies

TIMESTAMP = "X-Signature-Timestamp"
FORGED = 400
REFUSED = 401


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


async def serve(address: Address, secrets: Secrets, replies: Replies, ready: Callable[[str], None]) -> None:
    """Answer Discord until interrupted. ready: gets the address once requests are taken."""
    stopped = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, stopped.set)
    async with _discord(address, secrets) as bot:
        bot.set_listener(hikari.CommandInteraction, replies.listen)
        runner = web.AppRunner(_application(bot, ReplayGuard()), access_log=None)
        await runner.setup()
        try:
            site = web.TCPSite(runner, address.host, address.port)
            await site.start()
            ready(f"http://{address.host}:{runner.addresses[0][1]}/")
            await stopped.wait()
        except OSError as error:
            raise UserError(f"cannot listen on {address.host}, port {address.port}: {error.strerror}.") from None
        finally:
            await runner.cleanup()
            await replies.close()


@asynccontextmanager
async def _discord(address: Address, secrets: Secrets) -> AsyncIterator[hikari.RESTBot]:
    """Give a bot that Discord knows, its commands made known there."""
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
    bot.rest.start()
    try:
        await _introduce(bot)
        yield bot
    finally:
        await bot.rest.close()


async def _introduce(bot: hikari.RESTBot) -> None:
    try:
        application = await bot.rest.fetch_application()
        await bot.rest.set_application_commands(application, builders(bot.rest))
    except hikari.UnauthorizedError:
        raise UserError("Discord does not accept the bot's token: copy it again from the developer portal.") from None
    except hikari.HikariError as error:
        raise UserError(f"Discord could not be asked ({type(error).__name__}): try again later.") from None


def _application(bot: hikari.RESTBot, guard: ReplayGuard) -> web.Application:
    async def take(request: web.Request) -> web.Response:
        timestamp, body = request.headers.get(TIMESTAMP, ""), await request.read()
        if not guard.takes(timestamp, body):
            return web.Response(status=REFUSED, text="too old, or sent before")
        response = await bot.interaction_server.aiohttp_hook(request)
        if response.status == FORGED:
            guard.forget(timestamp, body)
        return response

    application = web.Application()
    application.add_routes([web.post("/", take)])
    return application
