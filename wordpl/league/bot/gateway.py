"""Connection to Discord's gateway, which sends messages, edits, deletions and members' names as events.

hikari implements the protocol: heartbeats, resuming of sessions, and backoff. A session that could not be resumed may
have missed events, so the channels are read again by HTTP in each new session.
"""

import asyncio
import logging
from itertools import count

import hikari
from hikari.impl import CacheSettings

from wordpl.league.bot.follower import Follower, MemberEvent, MessageEvent

START_S = 10.0
RETRY_S = 300.0
"""Pause before the next attempt once hikari, which reconnects by itself, has given up; in seconds."""
_FLAGS = hikari.ApplicationFlags
_MAY_READ = _FLAGS.MESSAGE_CONTENT_INTENT | _FLAGS.MESSAGE_CONTENT_INTENT_LIMITED
_MAY_LIST_MEMBERS = _FLAGS.GUILD_MEMBERS_INTENT | _FLAGS.VERIFIED_FOR_GUILD_MEMBERS_INTENT
_LOGGER = logging.getLogger(__name__)


def intents_of(flags: hikari.ApplicationFlags) -> hikari.Intents:
    """Return the intents that the developer portal grants the app; NONE if messages would have no content."""
    if not flags & _MAY_READ:
        return hikari.Intents.NONE
    members = hikari.Intents.GUILD_MEMBERS if flags & _MAY_LIST_MEMBERS else hikari.Intents.NONE
    return hikari.Intents.GUILD_MESSAGES | hikari.Intents.MESSAGE_CONTENT | members


class Gateway:
    """Forwards gateway events to a follower.

    Args:
        token: The bot's token.
        rest_url: The URL of Discord's REST API, which knows the gateway's URL; None for the real one.
        intents: Which events to receive; not NONE.
        follower: Receives the events.
    """

    def __init__(self, token: str, rest_url: str | None, intents: hikari.Intents, follower: Follower):
        self._token, self._rest_url, self._intents = token, rest_url, intents
        self._follower = follower
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
        bot.subscribe(hikari.GuildMessageCreateEvent, self._on_message)
        bot.subscribe(hikari.GuildMessageUpdateEvent, self._on_edit)
        bot.subscribe(hikari.GuildMessageDeleteEvent, self._on_deletion)
        bot.subscribe(hikari.GuildBulkMessageDeleteEvent, self._on_deletions)
        if self._intents & hikari.Intents.GUILD_MEMBERS:
            bot.subscribe(hikari.MemberCreateEvent, self._on_member)
            bot.subscribe(hikari.MemberUpdateEvent, self._on_member)

    def _update_session(self, bot: hikari.GatewayBot) -> None:
        """Tell the follower the session, or None unless all shards are connected."""
        is_complete = len(self._connected) == bot.shard_count
        self._follower.session = self._session if is_complete else None

    async def _on_message(self, event: hikari.GuildMessageCreateEvent) -> None:
        guild, channel = str(event.guild_id), str(event.channel_id)
        self._follower.enqueue(MessageEvent(guild, channel, (int(event.message_id),), event.message))

    async def _on_edit(self, event: hikari.GuildMessageUpdateEvent) -> None:
        self._follower.enqueue(MessageEvent(str(event.guild_id), str(event.channel_id), (int(event.message_id),)))

    async def _on_deletion(self, event: hikari.GuildMessageDeleteEvent) -> None:
        guild, channel = str(event.guild_id), str(event.channel_id)
        self._follower.enqueue(MessageEvent(guild, channel, (int(event.message_id),), is_deleted=True))

    async def _on_deletions(self, event: hikari.GuildBulkMessageDeleteEvent) -> None:
        guild, channel, ids = str(event.guild_id), str(event.channel_id), tuple(map(int, event.message_ids))
        self._follower.enqueue(MessageEvent(guild, channel, ids, is_deleted=True))

    async def _on_member(self, event: hikari.MemberCreateEvent | hikari.MemberUpdateEvent) -> None:
        self._follower.enqueue(MemberEvent(str(event.guild_id), event.member))
