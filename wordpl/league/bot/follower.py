"""Keeps leagues up to date with their channels: reads messages page by page, and follows Discord's gateway."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import NamedTuple, get_args

import hikari
from hikari.impl import CacheSettings

from wordpl.league import discord_message
from wordpl.league.database import to_ms
from wordpl.league.discord_message import DiscordMessage
from wordpl.league.player_names import bare_name
from wordpl.league.posts import UNFINISHED, DayFrom, DiscordUser, Reading, ResultPost, Unread, clean_name
from wordpl.league.sources import PictureReader
from wordpl.league.sources.discord import MAX_PICTURE_BYTES
from wordpl.league.store import ChannelProgress, League, LeagueStore

PAGE_SIZE = 100
REREAD_WINDOW = timedelta(days=2)
"""How far back recent messages are read again for edits; `sweep` finds edits of any age."""


@dataclass
class ReadCount:
    """Counts of what has been read so far.

    Attributes:
        n_messages: Messages.
        n_results: Results in them.
        n_unread: Parts that could not be read.
        n_blank: Messages that Discord sent without any content.
        n_withdrawn: Messages that were deleted.
        complete: Whether the channel has no older messages.
        unread: The last three of the parts that could not be read.
    """

    n_messages: int = 0
    n_results: int = 0
    n_unread: int = 0
    n_blank: int = 0
    n_withdrawn: int = 0
    complete: bool = False
    unread: tuple[Unread, ...] = ()


async def _keep_reading(count: ReadCount) -> bool:
    return True


class ChannelReader:
    """Reads the messages of one channel into a league.

    Args:
        rest: The REST client.
        league: The league.
        id: The id of the channel.
        read_picture: Returns the texts found in a picture, given its bytes; None skips pictures.
        progress: Called with the counts after each page has been saved; reading ends when it returns False.
    """

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        league: League,
        id: int,
        read_picture: PictureReader | None,
        progress: Callable[[ReadCount], Awaitable[bool]] = _keep_reading,
    ):
        self._rest, self._league, self._id = rest, league, hikari.Snowflake(id)
        self._read_picture, self._progress = read_picture, progress
        self._names: frozenset[str] = frozenset()
        self._bare_names: frozenset[str] = frozenset()
        self._unread_known: frozenset[int] = frozenset()
        self.count = ReadCount()

    async def read(self, limit: int) -> ReadCount:
        """Read at most `limit` unread messages: first the new ones, oldest first, then older and older ones.

        Messages of which a part could not be read are read again first: names may have become known since.
        """
        progress = await self._read_progress()
        for id in sorted(self._unread_known)[-PAGE_SIZE:]:
            await self.reread(id)
        self.count = ReadCount()
        n_left = limit
        if progress.newest:
            n_left = await self._read_new(progress, limit)
            progress = await self._read_progress()
            if n_left <= 0:
                return self.count
        self.count.complete = progress.complete or await self._read_back(progress, n_left)
        return self.count

    async def catch_up(self, reread: timedelta = REREAD_WINDOW) -> ReadCount:
        """Read all new messages, and read those of the time `reread` before them again."""
        progress = await self._read_progress()
        if progress.newest:
            await self._read_new(progress, PAGE_SIZE * PAGE_SIZE, reread)
        return self.count

    async def reread(self, id: int, found: Sequence[hikari.Message] | None = None) -> None:
        """Save the results of one message, or remove them if it has been deleted.

        Args:
            id: The id of the message.
            found: The message, or nothing if it has been deleted; None fetches it.
        """
        await self._read_progress()
        if found is None:
            try:
                found = [await self._rest.fetch_message(self._id, hikari.Snowflake(id))]
            except hikari.NotFoundError:
                found = []
        await self._store_messages(found, (id, id))

    async def sweep(self, after: int) -> int:
        """Read the page of messages after this id again, to find edits and deletions.

        Returns:
            The id after which to continue; 0 at the end of the channel.
        """
        progress = await self._read_progress()
        if after >= progress.newest:
            return 0
        page = await self._fetch(after=after)
        page = [message for message in page if message.id <= progress.newest]
        last = int(page[-1].id) if len(page) == PAGE_SIZE else progress.newest
        await self._store_page(page, progress, (after + 1, last))
        return last if len(page) == PAGE_SIZE else 0

    async def _read_progress(self) -> ChannelProgress:
        """Load the members' names, and return which messages of the channel have been read."""
        members = await asyncio.to_thread(self._league.members)
        self._names = frozenset(name for member in members for name in member.names)
        self._bare_names = frozenset(map(bare_name, self._names))
        self._unread_known = frozenset(await asyncio.to_thread(self._league.unread, str(self._id)))
        saved = await asyncio.to_thread(self._league.progress, str(self._id))
        return saved or ChannelProgress(newest=0, oldest=0, complete=False)

    async def _fetch(
        self, *, after: int | None = None, before: int | None = None, n: int = PAGE_SIZE
    ) -> list[hikari.Message]:
        """Return a page of messages, oldest first."""
        bounds = {"after": hikari.Snowflake(after)} if after is not None else {}
        bounds |= {"before": hikari.Snowflake(before)} if before else {}
        messages = await self._rest.fetch_messages(self._id, **bounds).limit(n)
        return sorted(messages, key=lambda message: message.id)

    async def _read_new(self, progress: ChannelProgress, n_left: int, reread: timedelta = REREAD_WINDOW) -> int:
        """Read the messages after the newest known one and recent ones again; return how many may still be read."""
        position = progress.newest
        if reread:
            position = int(hikari.Snowflake.from_datetime(hikari.Snowflake(progress.newest).created_at - reread))
        while n_left > 0:
            page = await self._fetch(after=position)
            n_left -= sum(message.id > progress.newest for message in page)
            first = position + 1
            last = int(page[-1].id) if page else 0
            position = last if len(page) == PAGE_SIZE else max(progress.newest, last)
            progress = replace(progress, newest=max(progress.newest, position))
            if not await self._store_page(page, progress, (first, position)):
                return 0
            if len(page) < PAGE_SIZE:
                break
        return n_left

    async def _read_back(self, progress: ChannelProgress, n_left: int) -> bool:
        """Read messages before the oldest known one; return whether the channel's first message was reached."""
        while n_left > 0:
            n = min(PAGE_SIZE, n_left)
            page = await self._fetch(before=progress.oldest, n=n)
            n_left -= len(page)
            ids = [int(message.id) for message in page]
            last = progress.oldest - 1 if progress.oldest else max(ids, default=0)
            is_first = len(page) < n
            oldest = min(ids, default=progress.oldest)
            progress = ChannelProgress(progress.newest or max(ids, default=0), oldest, complete=is_first)
            continues = await self._store_page(page, progress, (0 if is_first else oldest, last))
            if is_first or not continues:
                return is_first
        return False

    async def _store_page(
        self, page: Sequence[hikari.Message], progress: ChannelProgress, covered: tuple[int, int]
    ) -> bool:
        """Save the results of a page and the reading progress; return whether to continue."""
        await self._store_messages(page, covered)
        await asyncio.to_thread(self._league.save_progress, str(self._id), progress)
        return await self._progress(self.count)

    async def _store_messages(self, page: Sequence[hikari.Message], covered: tuple[int, int]) -> None:
        """Save the results of messages and remove those of stored messages in the id range that no longer exist."""
        readings_of = {int(message.id): await self._readings(message) for message in page}
        readings = [reading for found in readings_of.values() for reading in found]
        posts = [reading for reading in readings if isinstance(reading, ResultPost)]
        users = {user.id: user for message in page for user in (message.author, *_mentioned(message))}
        name_sightings = [sighting for user in users.values() for sighting in _user(user).sightings(datetime.now(UTC))]
        present = {str(message.id) for message in page}
        n_withdrawn = await asyncio.to_thread(self._league.withdraw_missing, str(self._id), *covered, present)
        await asyncio.to_thread(self._league.add, posts, name_sightings)
        unread = [reading for reading in readings if isinstance(reading, Unread)]
        not_read = {id for id, found in readings_of.items() if any(isinstance(reading, Unread) for reading in found)}
        if not_read or not self._unread_known.isdisjoint(readings_of):
            await asyncio.to_thread(self._league.save_unread, str(self._id), readings_of.keys() - not_read, not_read)
        self.count.n_messages += len(page)
        self.count.n_results += sum(result.guesses != UNFINISHED for post in posts for result in post.results)
        self.count.n_unread += len(unread)
        self.count.n_blank += sum(_is_blank(message) for message in page)
        self.count.n_withdrawn += n_withdrawn
        self.count.unread = (*self.count.unread, *unread)[-3:]

    def _is_member(self, name: str) -> bool:
        return bare_name(name.removeprefix("@")) in self._bare_names

    async def _readings(self, message: hikari.Message) -> list[Reading]:
        plain = replace(_message(message), known_names=self._names, is_person=self._is_member)
        readings = list(discord_message.read(plain))
        is_dated = any(
            isinstance(reading, ResultPost) and reading.results and reading.day_from == DayFrom.DATE
            for reading in readings
        )
        if is_dated and self._read_picture is not None:
            texts = [text for attachment in message.attachments for text in await self._texts(attachment)]
            readings = list(discord_message.read(replace(plain, pictures=lambda: texts))) if texts else readings
        return readings

    async def _texts(self, attachment: hikari.Attachment) -> list[str]:
        """Return the texts found in an attached picture.

        Nothing is found in attachments of other kinds, large ones, and those that cannot be downloaded; the puzzle is
        then derived from the date.
        """
        if attachment.size > MAX_PICTURE_BYTES or not (attachment.media_type or "").startswith("image/"):
            return []
        try:
            data = await attachment.read()
        except hikari.HikariError:
            return []
        read_picture = self._read_picture or (lambda data: ())
        return await asyncio.to_thread(lambda: list(read_picture(data)))


def _message(message: hikari.Message) -> DiscordMessage:
    return DiscordMessage(
        id=str(message.id),
        channel=str(message.channel_id),
        posted=message.timestamp,
        edited=message.edited_timestamp,
        author=_user(message.author),
        content=discord_message.content_of(str(message.author.id), message.content, _texts_of(message)),
        mentions=tuple(map(_user, _mentioned(message))),
        titles=tuple(embed.title for embed in message.embeds if embed.title),
    )


def _texts_of(message: hikari.Message) -> Iterator[str | None]:
    """Yield the texts of a message's embeds and components."""
    for embed in message.embeds:
        yield embed.description
        yield from (f"{field.name}\n{field.value}" for field in embed.fields)
    waiting = list(message.components)
    while waiting:
        component = waiting.pop(0)
        yield getattr(component, "content", None)  # of a text display
        waiting = [*getattr(component, "components", ()), *waiting]


def _mentioned(message: hikari.Message) -> Sequence[hikari.User]:
    return list((message.user_mentions or {}).values())


def _user(user: hikari.User) -> DiscordUser:
    names = (getattr(user, "nickname", None), user.global_name, user.username)  # only members have nicknames
    nickname, global_name, account = (clean_name(name or "") or "" for name in names)
    return DiscordUser(str(user.id), nickname, global_name, account, user.is_bot)


def _is_blank(message: hikari.Message) -> bool:
    has_content = message.content or message.embeds or message.attachments or message.stickers or message.components
    return not has_content and message.type in (hikari.MessageType.DEFAULT, hikari.MessageType.REPLY)


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
        found: The new message, or nothing after a deletion; None after an edit, of which Discord sends only a part.
    """

    guild: str
    channel: str
    ids: tuple[int, ...]
    found: tuple[hikari.Message, ...] | None


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
                await asyncio.to_thread(league.save_members, [_user(event.member)], datetime.now(UTC))
                return
            reader = ChannelReader(self._rest, league, int(event.channel), self._read_picture)
            for id in event.ids:
                await reader.reread(id, event.found)

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
            members = [_user(member) async for member in self._rest.fetch_members(hikari.Snowflake(int(league.key)))]
        except hikari.HikariError as error:
            _LOGGER.warning("cannot list the members of the server %s: %s", league.key, type(error).__name__)
            return
        await asyncio.to_thread(league.save_members, members, datetime.now(UTC))


START_S = 10.0
RETRY_S = 300.0
"""Pause before the next attempt once hikari, which reconnects by itself, has given up; in seconds."""
_FLAGS = hikari.ApplicationFlags
_MAY_READ = _FLAGS.MESSAGE_CONTENT_INTENT | _FLAGS.MESSAGE_CONTENT_INTENT_LIMITED
_AnyMessageEvent = (
    hikari.GuildMessageCreateEvent
    | hikari.GuildMessageUpdateEvent
    | hikari.GuildMessageDeleteEvent
    | hikari.GuildBulkMessageDeleteEvent
)
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
        for kind in get_args(_AnyMessageEvent):
            bot.subscribe(kind, self._on_message)
        if self._intents & hikari.Intents.GUILD_MEMBERS:
            bot.subscribe(hikari.MemberCreateEvent, self._on_member)
            bot.subscribe(hikari.MemberUpdateEvent, self._on_member)

    def _update_session(self, bot: hikari.GatewayBot) -> None:
        """Tell the follower the session, or None unless all shards are connected."""
        is_complete = len(self._connected) == bot.shard_count
        self._follower.session = self._session if is_complete else None

    async def _on_message(self, event: _AnyMessageEvent) -> None:
        ids = event.message_ids if isinstance(event, hikari.GuildBulkMessageDeleteEvent) else [event.message_id]
        found: tuple[hikari.Message, ...] | None = ()
        if isinstance(event, (hikari.GuildMessageCreateEvent, hikari.GuildMessageUpdateEvent)):
            found = (event.message,) if isinstance(event, hikari.GuildMessageCreateEvent) else None
        self._follower.enqueue(MessageEvent(str(event.guild_id), str(event.channel_id), tuple(map(int, ids)), found))

    async def _on_member(self, event: hikari.MemberCreateEvent | hikari.MemberUpdateEvent) -> None:
        self._follower.enqueue(MemberEvent(str(event.guild_id), event.member))
