"""Keeps leagues up to date with their channels, and shows below a share whether it counts."""

import asyncio
import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import hikari

from wordpl.apps.league.bot.channels import REREAD_WINDOW, ChannelReader, ReadMessage
from wordpl.apps.league.bot.payloads import Received, fetch_members
from wordpl.apps.league.database import to_ms
from wordpl.apps.league.posts import DiscordUser
from wordpl.apps.league.sources import PictureReader
from wordpl.apps.league.store import League, LeagueStore

CATCH_UP_S = 6.0
"""How long a reply waits for new messages, in seconds."""
SWEEP_EVERY_S = 60.0
MEMBERS_EVERY_S = 3600.0
MAX_QUEUED = 10_000
"""The maximum number of queued gateway events; further ones are dropped, and the channels are read again by HTTP."""
COUNTS, DOES_NOT_COUNT = "✅", "❓"
"""Reactions to a share."""
REACT_WITHIN = timedelta(hours=1)
"""The age up to which a message gets a reaction."""
_NO_TIME = timedelta(0)
_LOGGER = logging.getLogger(__name__)


class MessageEvent(NamedTuple):
    """New messages, an edit, or one or more deletions.

    Attributes:
        guild: The id of the server.
        channel: The id of the channel.
        ids: The ids of the messages.
        found: The new messages, or nothing after a deletion; None after an edit, of which Discord sends only a part.
    """

    guild: str
    channel: str
    ids: tuple[int, ...]
    found: tuple[Received, ...] | None


class MemberEvent(NamedTuple):
    """A member who joined a server or changed their names there."""

    guild: str
    member: DiscordUser


class _Reaction(NamedTuple):
    channel: int
    message: int
    emoji: str
    other: str
    is_edit: bool


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
        self._silent: set[str] = set()
        """The channels in which the bot may not add reactions."""
        self.session: int | None = None
        self._n_gaps = 0
        self._followed: dict[tuple[str, str], tuple[int, int] | None] = {}
        """For each channel, the session and the number of gaps when it was last read; events cover it since then."""
        self._events: asyncio.Queue[Event | asyncio.Event] = asyncio.Queue(MAX_QUEUED)
        self._reactions: asyncio.Queue[_Reaction] = asyncio.Queue(MAX_QUEUED)

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

    def miss(self) -> None:
        """Note that an event could not be understood: the channels are read again by HTTP before the next reply."""
        self._n_gaps += 1

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
            _LOGGER.warning("more than %d events in the queue: reading channels again by HTTP", MAX_QUEUED)

    async def process_events(self) -> None:
        """Process the events in the queue in order of arrival, until cancelled."""
        following: Event | asyncio.Event | None = None
        while True:
            event, following = following or await self._events.get(), None
            if isinstance(event, asyncio.Event):
                event.set()
                continue
            while isinstance(event, MessageEvent) and event.found and not self._events.empty():
                following = self._events.get_nowait()
                if not isinstance(following, MessageEvent) or not following.found or following[:2] != event[:2]:
                    break
                event = event._replace(ids=event.ids + following.ids, found=event.found + following.found)
                following = None
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
                await asyncio.to_thread(league.save_members, [event.member], datetime.now(UTC))
                return
            reader = ChannelReader(self._rest, league, int(event.channel), self._read_picture)
            if event.found:
                await reader.add(event.found)
            else:
                for id in event.ids:
                    await reader.reread(id, is_deleted=event.found is not None)
            await self._queue_reactions(league, event.channel, reader.new, is_edit=event.found is None)

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
        oldest = hikari.Snowflake.from_datetime(datetime.now(UTC) - REACT_WITHIN)
        fresh = [message for message in reader.new if message.received.id > oldest]
        await self._queue_reactions(league, channel, fresh, is_edit=False)

    async def _queue_reactions(
        self, league: League, channel: str, read: Sequence[ReadMessage], *, is_edit: bool
    ) -> None:
        """Queue a reaction to each share of a player that was just read, if it counts or does not."""
        shares = [message for message in read if (message.results or message.unread) and _is_by_a_player(message)]
        if not shares or channel in self._silent:
            return
        counting = await asyncio.to_thread(league.counting, [message.results for message in shares])
        for message, counts in zip(shares, counting, strict=True):
            emojis = (COUNTS, DOES_NOT_COUNT) if counts and not message.unread else (DOES_NOT_COUNT, COUNTS)
            if not self._reactions.full():
                self._reactions.put_nowait(_Reaction(int(channel), message.received.id, *emojis, is_edit))

    async def react(self) -> None:
        """Add the queued reactions, until cancelled; without the permission for it, a channel gets none."""
        while True:
            reaction = await self._reactions.get()
            channel, message = hikari.Snowflake(reaction.channel), hikari.Snowflake(reaction.message)
            if str(reaction.channel) in self._silent:
                continue
            try:
                await self._rest.add_reaction(channel, message, reaction.emoji)
                if reaction.is_edit:
                    await self._rest.delete_my_reaction(channel, message, reaction.other)
            except hikari.ForbiddenError:
                self._silent.add(str(reaction.channel))
            except hikari.HikariError as error:
                _LOGGER.debug("a reaction in channel %d failed: %s", reaction.channel, type(error).__name__)

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
            members = await fetch_members(self._rest, int(league.key))
        except hikari.HikariError as error:
            _LOGGER.warning("cannot list the members of the server %s: %s", league.key, type(error).__name__)
            return
        await asyncio.to_thread(league.save_members, members, datetime.now(UTC))


def _is_by_a_player(message: ReadMessage) -> bool:
    author = message.received.message.author if message.received.message else None
    return message.received.id > 0 and (author is None or not author.is_bot)
