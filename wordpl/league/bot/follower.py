"""Keeps leagues up to date with their channels.

New messages are read in the background, old ones are reread slowly, and events arrive from Discord's gateway.
"""

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import NamedTuple

import hikari
from hikari.impl import CacheSettings

from wordpl.league.bot.channel import REREAD_WINDOW, ChannelReader
from wordpl.league.database import to_ms
from wordpl.league.posts import GuildMember, clean_name
from wordpl.league.sources import PictureReader
from wordpl.league.store import League, LeagueStore

CATCH_UP_S = 6.0
"""How long a reply waits for new messages, in seconds."""
SWEEP_EVERY_S = 60.0
MEMBERS_EVERY_S = 3600.0
MAX_QUEUED_EVENTS = 10_000
"""The maximum number of queued gateway events; further ones are dropped, and the channels are read again by HTTP."""
_NO_TIME = timedelta(0)
_LOGGER = logging.getLogger(__name__)


class MessageEvent(NamedTuple):
    """A new message, an edit, or one or more deletions.

    Attributes:
        guild: The id of the server.
        channel: The id of the channel.
        ids: The ids of the messages.
        message: The new message; None for edits and deletions.
        is_deleted: Whether the messages were deleted.
    """

    guild: str
    channel: str
    ids: tuple[int, ...]
    message: hikari.Message | None = None
    is_deleted: bool = False


class MemberEvent(NamedTuple):
    """A member who joined a server or changed their names there."""

    guild: str
    member: hikari.Member


Event = MessageEvent | MemberEvent


class Follower:
    """Reads new messages of all channels that have been synced, and the list of members.

    Args:
        rest: The REST client.
        store: The store.
        read_picture: Returns the texts found in a picture, given its bytes.
        sweep_every_s: Pause between two rounds in the background, in seconds. Each round reads one page of each channel
            again.

    Attributes:
        session: The number of the gateway's session; None while it is not connected.
    """

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        store: LeagueStore,
        read_picture: PictureReader,
        sweep_every_s: float = SWEEP_EVERY_S,
    ):
        self._rest, self._store, self._read_picture = rest, store, read_picture
        self._sweep_every_s = sweep_every_s
        self._locks: dict[str, asyncio.Lock] = {}
        self._caught_up: dict[str, float] = {}
        self._members_asked: dict[str, float] = {}
        self._positions: dict[tuple[str, str], int] = {}
        self.session: int | None = None
        self._n_gaps = 0
        self._followed: dict[tuple[str, str], tuple[int, int] | None] = {}
        """For each channel, the session and the number of gaps when it was last read; events cover it since then."""
        self._events: asyncio.Queue[Event | asyncio.Event] = asyncio.Queue(MAX_QUEUED_EVENTS)

    async def refresh(self, league: League) -> str:
        """Read new messages for at most CATCH_UP_S; return a note for the user if some may be missing, else ""."""
        requested_at = time.monotonic()
        try:
            async with asyncio.timeout(CATCH_UP_S):
                await self._drain_events()
                failed = await self.catch_up(league, requested_at)
        except TimeoutError:
            return "Discord is slow: newer results may be missing."
        return "I could not read new messages from Discord: newer results may be missing." if failed else ""

    async def catch_up(self, league: League, requested_at: float | None = None) -> bool:
        """Read the members and the new messages of all followed channels; return whether anything failed.

        Args:
            league: The league.
            requested_at: A time of the monotonic clock; nothing is read if another task has caught up since then.
        """
        async with self._lock(league.key):
            began = time.monotonic()
            if requested_at is not None and self._caught_up.get(league.key, -1.0) >= requested_at:
                return False
            await self.read_members(league)
            failed = False
            for channel in await asyncio.to_thread(league.channels):
                try:
                    await self._catch_up_channel(league, channel)
                except hikari.HikariError as error:
                    failed |= not isinstance(error, (hikari.ForbiddenError, hikari.NotFoundError))
                    _LOGGER.warning("channel %s could not be read: %s", channel, type(error).__name__)
            if not failed:
                self._caught_up[league.key] = began
            return failed

    async def sweep(self, league: League) -> None:
        """Read the next page of each channel's history again, from the start once its end is reached."""
        async with self._lock(league.key):
            for channel in await asyncio.to_thread(league.channels):
                place = league.key, channel
                try:
                    reader = ChannelReader(self._rest, league, int(channel), None)
                    self._positions[place] = await reader.sweep(self._positions.get(place, 0))
                except hikari.HikariError as error:
                    _LOGGER.warning("channel %s could not be swept: %s", channel, type(error).__name__)

    async def run(self) -> None:
        """Catch up and sweep in turn, until cancelled."""
        while True:
            for key in await asyncio.to_thread(self._store.leagues):
                if not key.isdigit():
                    continue
                try:
                    league = await asyncio.to_thread(self._store.find, key)
                    await self.catch_up(league)
                    await self.sweep(league)
                except Exception:
                    _LOGGER.exception("following the league %s failed; retrying", key)
            await asyncio.sleep(self._sweep_every_s)

    def enqueue(self, event: Event) -> None:
        """Put a gateway event into the queue; events of channels and servers that are not followed are ignored."""
        if isinstance(event, MessageEvent):
            is_wanted = (event.guild, event.channel) in self._followed
        else:
            is_wanted = event.guild in self._locks
        if not is_wanted:
            return
        try:
            self._events.put_nowait(event)
        except asyncio.QueueFull:
            self._n_gaps += 1
            _LOGGER.warning("more than %d events in the queue: reading channels again by HTTP", MAX_QUEUED_EVENTS)

    async def process_events(self) -> None:
        """Process the events in the queue in order of arrival, until cancelled."""
        while True:
            event = await self._events.get()
            if isinstance(event, asyncio.Event):
                event.set()
                continue
            try:
                await self._process_event(event)
            except Exception as error:
                self._n_gaps += 1
                message = "processing an event of the server %s failed (%s): reading channels again by HTTP"
                _LOGGER.warning(message, event.guild, type(error).__name__)

    async def _process_event(self, event: Event) -> None:
        league = await asyncio.to_thread(self._store.find, event.guild)
        async with self._lock(event.guild):
            if isinstance(event, MemberEvent):
                await asyncio.to_thread(league.save_members, [_member(event.member)], datetime.now(UTC))
                return
            reader = ChannelReader(self._rest, league, int(event.channel), self._read_picture)
            if event.message is not None:
                await reader.add_message(event.message)
            for id in event.ids if event.message is None else ():
                await (reader.withdraw(id) if event.is_deleted else reader.reread(id))

    async def _drain_events(self) -> None:
        """Wait until the events that have arrived so far are processed."""
        if self.session is not None and not self._events.full():
            reached = asyncio.Event()
            self._events.put_nowait(reached)
            await reached.wait()

    async def _catch_up_channel(self, league: League, channel: str) -> None:
        place, session = (league.key, channel), self._session_key()
        is_followed = session is not None and self._followed.get(place) == session
        # From here on, events are queued as well: what is read below may lack them.
        self._followed.setdefault(place, None)
        reader = ChannelReader(self._rest, league, int(channel), self._read_picture)
        await reader.catch_up(_NO_TIME if is_followed else REREAD_WINDOW)
        if session == self._session_key():
            self._followed[place] = session

    def _session_key(self) -> tuple[int, int] | None:
        return None if self.session is None else (self.session, self._n_gaps)

    def _lock(self, key: str) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())

    async def read_members(self, league: League) -> None:
        """Read the list of members if it is outdated; Discord sends it only to apps with the Server Members intent."""
        now = time.monotonic()
        if now - self._members_asked.get(league.key, -MEMBERS_EVERY_S) < MEMBERS_EVERY_S:
            return
        self._members_asked[league.key] = now
        if to_ms(datetime.now(UTC)) - await asyncio.to_thread(league.members_seen) < MEMBERS_EVERY_S * 1000:
            return
        try:
            members = [_member(member) async for member in self._rest.fetch_members(hikari.Snowflake(int(league.key)))]
        except hikari.HikariError as error:
            _LOGGER.warning("cannot list the members of the server %s: %s", league.key, type(error).__name__)
            return
        await asyncio.to_thread(league.save_members, members, datetime.now(UTC))


def _member(member: hikari.Member) -> GuildMember:
    names = (member.nickname, member.global_name, member.username)
    nickname, global_name, account = (clean_name(name or "") or "" for name in names)
    return GuildMember(str(member.id), nickname, global_name, account)


START_S = 10.0
RETRY_S = 300.0
"""Pause before the next attempt once hikari, which reconnects by itself, has given up; in seconds."""
_FLAGS = hikari.ApplicationFlags
_MAY_READ = _FLAGS.MESSAGE_CONTENT_INTENT | _FLAGS.MESSAGE_CONTENT_INTENT_LIMITED
_MAY_LIST_MEMBERS = _FLAGS.GUILD_MEMBERS_INTENT | _FLAGS.VERIFIED_FOR_GUILD_MEMBERS_INTENT


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
