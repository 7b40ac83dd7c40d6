"""Discord's gateway, by which messages, edits, deletions and members' names arrive as they happen.

hikari speaks its protocol: heartbeats, sessions that are resumed after a break, and backing off. A session that could
not be resumed may have missed events, so each new one has the channels read again by HTTP.
"""

import asyncio
import logging
from itertools import count

import hikari
from hikari.impl import CacheSettings

from wordpl.league.bot.following import Follower, MemberEvent, MessageEvent

START_S = 10.0
RETRY_S = 300.0
"""Pause after a connection that ended for good; hikari itself connects again after those that did not."""
_FLAGS = hikari.ApplicationFlags
_MAY_READ = _FLAGS.MESSAGE_CONTENT_INTENT | _FLAGS.MESSAGE_CONTENT_INTENT_LIMITED
_MAY_LIST_MEMBERS = _FLAGS.GUILD_MEMBERS_INTENT | _FLAGS.VERIFIED_FOR_GUILD_MEMBERS_INTENT
_LOGGER = logging.getLogger(__name__)


def intents_of(flags: hikari.ApplicationFlags) -> hikari.Intents:
    """Return the intents to connect with, as the developer portal grants them; NONE where messages come empty."""
    if not flags & _MAY_READ:
        return hikari.Intents.NONE
    members = hikari.Intents.GUILD_MEMBERS if flags & _MAY_LIST_MEMBERS else hikari.Intents.NONE
    return hikari.Intents.GUILD_MESSAGES | hikari.Intents.MESSAGE_CONTENT | members


class Gateway:
    """Passes what the gateway tells to a follower.

    token, rest_url: as for the REST API, which tells where the gateway is. intents: other than NONE.
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
            except Exception as error:  # its text could hold the token
                _LOGGER.warning(
                    "the gateway ended (%s) and is tried again in %.0f s; until then channels are read by HTTP",
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
            # a bot that is closed before it has started would keep its connection
            await asyncio.wait([starting], timeout=START_S)
            starting.cancel()
            if bot.is_alive:
                await bot.close()

    def _listen(self, bot: hikari.GatewayBot) -> None:
        async def on_new_session(event: hikari.ShardReadyEvent) -> None:
            self._session = next(self._sessions)
            self._tell(bot)

        async def on_connected(event: hikari.ShardConnectedEvent) -> None:
            self._connected.add(event.shard.id)
            self._tell(bot)

        async def on_disconnected(event: hikari.ShardDisconnectedEvent) -> None:
            self._connected.discard(event.shard.id)
            self._tell(bot)

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

    def _tell(self, bot: hikari.GatewayBot) -> None:
        """Tell the follower whether all that happens arrives."""
        is_complete = len(self._connected) == bot.shard_count
        self._follower.session = self._session if is_complete else None

    async def _on_message(self, event: hikari.GuildMessageCreateEvent) -> None:
        guild, channel = str(event.guild_id), str(event.channel_id)
        self._follower.notice(MessageEvent(guild, channel, (int(event.message_id),), event.message))

    async def _on_edit(self, event: hikari.GuildMessageUpdateEvent) -> None:
        self._follower.notice(MessageEvent(str(event.guild_id), str(event.channel_id), (int(event.message_id),)))

    async def _on_deletion(self, event: hikari.GuildMessageDeleteEvent) -> None:
        guild, channel = str(event.guild_id), str(event.channel_id)
        self._follower.notice(MessageEvent(guild, channel, (int(event.message_id),), is_deleted=True))

    async def _on_deletions(self, event: hikari.GuildBulkMessageDeleteEvent) -> None:
        guild, channel, ids = str(event.guild_id), str(event.channel_id), tuple(map(int, event.message_ids))
        self._follower.notice(MessageEvent(guild, channel, ids, is_deleted=True))

    async def _on_member(self, event: hikari.MemberCreateEvent | hikari.MemberUpdateEvent) -> None:
        self._follower.notice(MemberEvent(str(event.guild_id), event.member))
