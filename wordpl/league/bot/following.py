"""Leagues kept current: new messages are read before an answer and in the background, old ones again, slowly.

Where the app is connected to Discord's gateway, messages, edits, deletions and members arrive as they happen. What may
have been missed before the connection is read again by HTTP, and so is whatever has no gateway.
"""

import asyncio
import logging
import time
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import hikari

from wordpl.league.bot.channel import AGAIN, ChannelReader
from wordpl.league.discord_export import PictureReader
from wordpl.league.posts import Member, name_of
from wordpl.league.store import League, Store
from wordpl.league.tables import as_stored

CATCH_UP_S = 6.0
"""How long an answer waits for new messages."""
SWEEP_EVERY_S = 60.0
MEMBERS_EVERY_S = 3600.0
MAX_WAITING = 10_000
"""Events of the gateway that wait to be taken in; further ones are dropped, and their channels read again by HTTP."""
_NOTHING = timedelta(0)
_LOGGER = logging.getLogger(__name__)


class MessageEvent(NamedTuple):
    """What happened to messages of a channel. message: the new one; None where they were edited or deleted."""

    guild: str
    channel: str
    ids: tuple[int, ...]
    message: hikari.Message | None = None
    is_deleted: bool = False


class MemberEvent(NamedTuple):
    """Somebody who joined a guild or has new names there."""

    guild: str
    member: hikari.Member


Event = MessageEvent | MemberEvent


class Follower:
    """Reads the channels that have been synced once, and the list of members.

    sweep_every_s: the pause between two rounds in the background; a round reads a page of each channel again. session:
    counts the gateway's sessions; None while it is not connected.
    """

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        store: Store,
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
        """In which session, after how many gaps in it, a channel was last read; since then its events tell the rest."""
        self._waiting: asyncio.Queue[Event | asyncio.Event] = asyncio.Queue(MAX_WAITING)

    async def refresh(self, league: League) -> str:
        """Read what is new, for as long as an answer can wait; return what to say where that was not all."""
        asked = time.monotonic()
        try:
            async with asyncio.timeout(CATCH_UP_S):
                await self._events_taken_in()
                failed = await self.catch_up(league, asked)
        except TimeoutError:
            return "Discord is slow: newer results may be missing."
        return "Discord could not be asked for new messages: newer results may be missing." if failed else ""

    async def catch_up(self, league: League, asked: float | None = None) -> bool:
        """Read the members and the new messages of all channels followed; return whether anything failed.

        asked: a moment of the monotonic clock; what another task read since then is not read again.
        """
        async with self._lock(league.key):
            began = time.monotonic()
            if asked is not None and self._caught_up.get(league.key, -1.0) >= asked:
                return False
            await self._read_members(league)
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
        """Read a page of each channel again, going through its whole history page by page."""
        async with self._lock(league.key):
            for channel in await asyncio.to_thread(league.channels):
                place = league.key, channel
                try:
                    reader = ChannelReader(self._rest, league, int(channel), None)
                    self._positions[place] = await reader.sweep(self._positions.get(place, 0))
                except hikari.HikariError as error:
                    _LOGGER.warning("channel %s could not be swept: %s", channel, type(error).__name__)

    async def run(self) -> None:
        """Catch up and sweep, round by round, until cancelled."""
        while True:
            for key in await asyncio.to_thread(self._store.leagues):
                if not key.isdigit():
                    continue
                try:
                    league = await asyncio.to_thread(self._store.find, key)
                    await self.catch_up(league)
                    await self.sweep(league)
                except Exception:
                    _LOGGER.exception("following the league %s failed; it is tried again", key)
            await asyncio.sleep(self._sweep_every_s)

    def notice(self, event: Event) -> None:
        """Have an event of the gateway taken in, in the order of arrival; those of other channels are passed over."""
        if isinstance(event, MessageEvent):
            is_wanted = (event.guild, event.channel) in self._followed
        else:
            is_wanted = event.guild in self._locks
        if not is_wanted:
            return
        try:
            self._waiting.put_nowait(event)
        except asyncio.QueueFull:
            self._n_gaps += 1
            _LOGGER.warning("more than %d events wait: channels are read again by HTTP", MAX_WAITING)

    async def take_events(self) -> None:
        """Take in the events of the gateway, one by one, until cancelled."""
        while True:
            event = await self._waiting.get()
            if isinstance(event, asyncio.Event):
                event.set()
                continue
            try:
                await self._take(event)
            except Exception as error:
                self._n_gaps += 1
                what = "an event of the server %s could not be taken in (%s): channels are read again by HTTP"
                _LOGGER.warning(what, event.guild, type(error).__name__)

    async def _take(self, event: Event) -> None:
        league = await asyncio.to_thread(self._store.find, event.guild)
        async with self._lock(event.guild):
            if isinstance(event, MemberEvent):
                await asyncio.to_thread(league.keep_members, [_member(event.member)], datetime.now(UTC))
                return
            reader = ChannelReader(self._rest, league, int(event.channel), self._read_picture)
            if event.message is not None:
                await reader.take(event.message)
            for id in event.ids if event.message is None else ():
                await (reader.withdraw(id) if event.is_deleted else reader.read_again(id))

    async def _events_taken_in(self) -> None:
        """Wait until the events that have arrived so far are taken in."""
        if self.session is not None and not self._waiting.full():
            reached = asyncio.Event()
            self._waiting.put_nowait(reached)
            await reached.wait()

    async def _catch_up_channel(self, league: League, channel: str) -> None:
        place, session = (league.key, channel), self._unbroken()
        is_followed = session is not None and self._followed.get(place) == session
        self._followed.setdefault(place, None)  # events from now on are not in what is read below
        reader = ChannelReader(self._rest, league, int(channel), self._read_picture)
        await reader.catch_up(_NOTHING if is_followed else AGAIN)
        if session == self._unbroken():
            self._followed[place] = session

    def _unbroken(self) -> tuple[int, int] | None:
        return None if self.session is None else (self.session, self._n_gaps)

    def _lock(self, key: str) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())

    async def _read_members(self, league: League) -> None:
        """Read the list of members if it is old; Discord gives it to apps with the Server Members intent alone."""
        now = time.monotonic()
        if now - self._members_asked.get(league.key, -MEMBERS_EVERY_S) < MEMBERS_EVERY_S:
            return
        self._members_asked[league.key] = now
        if as_stored(datetime.now(UTC)) - await asyncio.to_thread(league.members_seen) < MEMBERS_EVERY_S * 1000:
            return
        try:
            found = [_member(one) async for one in self._rest.fetch_members(hikari.Snowflake(int(league.key)))]
        except hikari.HikariError as error:
            _LOGGER.warning("members of %s were not given: %s", league.key, type(error).__name__)
            return
        await asyncio.to_thread(league.keep_members, found, datetime.now(UTC))


def _member(found: hikari.Member) -> Member:
    names = (found.nickname, found.global_name, found.username)
    nickname, global_name, account = (name_of(name or "") or "" for name in names)
    return Member(str(found.id), nickname, global_name, account)
