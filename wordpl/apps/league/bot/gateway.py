"""Discord's gateway: messages, edits, deletions, members and commands arrive as they happen, without a web server."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from itertools import count
from typing import Any

import hikari
from hikari.impl import CacheSettings

from wordpl.apps.league.bot.follower import Follower, MemberEvent, MessageEvent
from wordpl.apps.league.bot.payloads import decode_members, decode_message

START_S = 10.0
RETRY_S = 60.0
"""Pause before the next attempt once hikari, which reconnects by itself, has given up; in seconds."""
_FLAGS = hikari.ApplicationFlags
_MAY_READ = _FLAGS.MESSAGE_CONTENT_INTENT | _FLAGS.MESSAGE_CONTENT_INTENT_LIMITED
_MAY_LIST_MEMBERS = _FLAGS.GUILD_MEMBERS_INTENT | _FLAGS.VERIFIED_FOR_GUILD_MEMBERS_INTENT
_MESSAGES = ("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK")
_MEMBERS = ("GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE")
_LOGGER = logging.getLogger(__name__)
OnInteraction = Callable[[hikari.InteractionCreateEvent], Coroutine[Any, Any, None]]


def intents_of(flags: hikari.ApplicationFlags) -> hikari.Intents:
    """Return the intents that the developer portal grants the app; NONE if messages would have no content."""
    if not flags & _MAY_READ:
        return hikari.Intents.NONE
    members = hikari.Intents.GUILD_MEMBERS if flags & _MAY_LIST_MEMBERS else hikari.Intents.NONE
    return hikari.Intents.GUILD_MESSAGES | hikari.Intents.MESSAGE_CONTENT | members


class Gateway:
    """Forwards gateway events to a follower, and commands to whoever answers them.

    Messages are taken from the events as Discord sends them: hikari would drop one that it cannot decode.

    Args:
        token: The bot's token.
        rest_url: The URL of Discord's REST API, which knows the gateway's URL; None for the real one.
        intents: Which events to receive; NONE for commands alone.
        follower: Receives messages and members.
        on_interaction: Called with each command and button press.
        ready: Called whenever all shards are connected.
    """

    def __init__(
        self,
        token: str,
        rest_url: str | None,
        intents: hikari.Intents,
        follower: Follower,
        on_interaction: OnInteraction,
        ready: Callable[[], None] = lambda: None,
    ):
        self._token, self._rest_url, self._intents = token, rest_url, intents
        self._follower, self._on_interaction, self._ready = follower, on_interaction, ready
        self._sessions = count(1)
        self._session = 0
        self._connected: set[int] = set()

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            try:
                await self._stay_connected()
            except Exception as error:  # its text could contain the token
                _LOGGER.warning(
                    "the gateway connection ended (%s); retrying in %.0f s, reading channels by HTTP until then",
                    type(error).__name__,
                    RETRY_S,
                )
            await asyncio.sleep(RETRY_S)

    async def _stay_connected(self) -> None:
        bot = hikari.GatewayBot(
            self._token,
            banner=None,
            logs=None,
            suppress_optimization_warning=True,
            intents=self._intents,
            auto_chunk_members=False,
            cache_settings=CacheSettings(components=hikari.api.CacheComponents.NONE),
            rest_url=self._rest_url,
        )
        self._listen(bot)
        starting = asyncio.create_task(bot.start(check_for_updates=False))
        try:
            await asyncio.shield(starting)
            await bot.join()
        finally:
            self._connected.clear()
            self._follower.session = None
            # A bot that is closed before it has started would keep its connection.
            await asyncio.wait([starting], timeout=START_S)
            starting.cancel()
            if bot.is_alive:
                await bot.close()

    def _listen(self, bot: hikari.GatewayBot) -> None:
        async def on_new_session(event: hikari.ShardReadyEvent) -> None:
            self._session = next(self._sessions)
            self._update_session(bot)

        async def on_connected(event: hikari.ShardConnectedEvent) -> None:
            self._connected.add(event.shard.id)
            self._update_session(bot)

        async def on_disconnected(event: hikari.ShardDisconnectedEvent) -> None:
            self._connected.discard(event.shard.id)
            self._update_session(bot)

        bot.subscribe(hikari.ShardReadyEvent, on_new_session)
        bot.subscribe(hikari.ShardConnectedEvent, on_connected)
        bot.subscribe(hikari.ShardDisconnectedEvent, on_disconnected)
        bot.subscribe(hikari.ShardPayloadEvent, self._on_payload)
        bot.subscribe(hikari.InteractionCreateEvent, self._on_interaction)

    def _update_session(self, bot: hikari.GatewayBot) -> None:
        """Tell the follower the session, or None unless all shards are connected and messages arrive."""
        is_complete = len(self._connected) == bot.shard_count
        self._follower.session = self._session if is_complete and self._intents else None
        if is_complete:
            self._ready()

    async def _on_payload(self, event: hikari.ShardPayloadEvent) -> None:
        try:
            if event.name in _MESSAGES:
                self._follower.enqueue(_message_event(event.name, event.payload))
            elif event.name in _MEMBERS:
                guild = str(event.payload["guild_id"])
                for member in decode_members([event.payload]):
                    self._follower.enqueue(MemberEvent(guild, member))
        except (KeyError, TypeError, ValueError):
            self._follower.miss()


def _message_event(name: str, payload: Mapping[str, Any]) -> MessageEvent:
    """Return the event of a payload, of which only the place and the ids must be as documented."""
    ids = payload["ids"] if name == "MESSAGE_DELETE_BULK" else [payload["id"]]
    guild, channel = str(int(payload["guild_id"])), int(payload["channel_id"])
    found = (decode_message(payload, channel),) if name == "MESSAGE_CREATE" else ()
    return MessageEvent(guild, str(channel), tuple(map(int, ids)), None if name == "MESSAGE_UPDATE" else found)
