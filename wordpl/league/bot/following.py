"""Leagues kept current: new messages are read before an answer and in the background, old ones again, slowly."""

import asyncio
import logging
import time
from datetime import UTC, datetime

import hikari

from wordpl.league.bot.channel import ChannelReader
from wordpl.league.discord_export import PictureReader
from wordpl.league.posts import Member, name_of
from wordpl.league.store import League, Store
from wordpl.league.tables import as_stored

CATCH_UP_S = 6.0
"""How long an answer waits for new messages."""
FRESH_S = 2.0
"""A league that was caught up this recently is not read again for an answer."""
SWEEP_EVERY_S = 60.0
MEMBERS_EVERY_S = 3600.0
_LOGGER = logging.getLogger(__name__)


class Follower:
    """Reads the channels that have been synced once, and the list of members.

    sweep_every_s: the pause between two rounds in the background; a round reads a page of each channel again.
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

    async def refresh(self, league: League) -> str:
        """Read what is new, for as long as an answer can wait; return what to say where that was not all."""
        if time.monotonic() - self._caught_up.get(league.key, -FRESH_S) < FRESH_S:
            return ""
        try:
            async with asyncio.timeout(CATCH_UP_S):
                failed = await self.catch_up(league)
        except TimeoutError:
            return "Discord is slow: newer results may be missing."
        return "Discord could not be asked for new messages: newer results may be missing." if failed else ""

    async def catch_up(self, league: League) -> bool:
        """Read the members and the new messages of all channels followed; return whether anything failed."""
        async with self._locks.setdefault(league.key, asyncio.Lock()):
            await self._read_members(league)
            failed = False
            for channel in await asyncio.to_thread(league.channels):
                try:
                    await ChannelReader(self._rest, league, int(channel), self._read_picture).catch_up()
                except hikari.HikariError as error:
                    failed |= not isinstance(error, (hikari.ForbiddenError, hikari.NotFoundError))
                    _LOGGER.warning("channel %s could not be read: %s", channel, type(error).__name__)
            if not failed:
                self._caught_up[league.key] = time.monotonic()
            return failed

    async def sweep(self, league: League) -> None:
        """Read a page of each channel again, going through its whole history page by page."""
        async with self._locks.setdefault(league.key, asyncio.Lock()):
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
