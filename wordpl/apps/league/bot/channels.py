"""Reads the messages of a channel into a league, page by page; the league knows how far it has been read."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import aiohttp
import hikari

from wordpl.apps.league import discord_message
from wordpl.apps.league.bot.payloads import UNDECODABLE, Attachment, Received, fetch_message, fetch_page
from wordpl.apps.league.imports import LeagueChanges, changes_between
from wordpl.apps.league.player_names import bare_name
from wordpl.apps.league.posts import (
    DISCORD,
    UNFINISHED,
    DayFrom,
    NotRead,
    Reading,
    ReportedResult,
    ResultPost,
    Sighting,
    UnreadPost,
)
from wordpl.apps.league.sources import PictureReader
from wordpl.apps.league.sources.discord import MAX_PICTURE_BYTES
from wordpl.apps.league.store import ChannelProgress, League, LeagueStore
from wordpl.core.messages import UserError

PAGE_SIZE = 100
REREAD_WINDOW = timedelta(days=2)
"""How far back recent messages are read again for edits; `sweep` finds edits of any age."""
UNREADABLE = "a fault of the bot, whose log has the details"
_LOGGER = logging.getLogger(__name__)


@dataclass
class ReadCount:
    """Counts of what has been read so far. Each message has results, was not read, or contains none.

    Attributes:
        n_messages: Messages.
        n_with_results: Those of them with results.
        n_not_read: Those of which a part could not be read, and nothing else was a result.
        n_results: Results.
        n_unread: Parts that could not be read.
        n_blank: Messages that Discord sent without any content.
        n_withdrawn: Messages that were deleted.
        complete: Whether the channel has no older messages.
        unread: The last three of the parts that could not be read.
    """

    n_messages: int = 0
    n_with_results: int = 0
    n_not_read: int = 0
    n_results: int = 0
    n_unread: int = 0
    n_blank: int = 0
    n_withdrawn: int = 0
    complete: bool = False
    unread: tuple[UnreadPost, ...] = ()


@dataclass(frozen=True)
class ReadMessage:
    """What was read from a message.

    Attributes:
        received: The message.
        readings: What was read.
    """

    received: Received
    readings: Sequence[Reading]

    @property
    def results(self) -> list[ReportedResult]:
        """The finished games that it reports."""
        posts = (reading for reading in self.readings if isinstance(reading, ResultPost))
        return [result for post in posts for result in post.results if result.guesses != UNFINISHED]

    @property
    def unread(self) -> list[UnreadPost]:
        """The parts that could not be read."""
        return [reading for reading in self.readings if isinstance(reading, UnreadPost)]


async def _keep_reading(count: ReadCount) -> bool:
    return True


@dataclass
class ChannelReader:
    """Reads the messages of one channel into a league.

    Attributes:
        rest: The REST client.
        league: The league.
        id: The id of the channel.
        read_picture: Returns the texts found in a picture, given its bytes; None skips pictures.
        progress: Called with the counts after each page has been saved; reading ends when it returns False.
        count: What has been read so far.
        new: The messages that had never been read, or were read one by one.
    """

    rest: hikari.api.RESTClient
    league: League
    id: int
    read_picture: PictureReader | None
    progress: Callable[[ReadCount], Awaitable[bool]] = _keep_reading
    count: ReadCount = field(default_factory=ReadCount)
    new: list[ReadMessage] = field(default_factory=list)
    _names: frozenset[str] = frozenset()
    _bare_names: frozenset[str] = frozenset()
    _unread_known: frozenset[int] = frozenset()

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

    async def add(self, messages: Sequence[Received]) -> None:
        """Save the results of new messages."""
        await self._read_progress()
        self.new += await self._store_messages(messages, None)

    async def reread(self, id: int, is_deleted: bool = False) -> None:
        """Save the results of one message as it is now, or remove them if it has been deleted."""
        await self._read_progress()
        found = [] if is_deleted else await fetch_message(self.rest, self.id, id)
        self.new += await self._store_messages(found, (id, id))

    async def sweep(self, after: int) -> int:
        """Read the page of messages after this id again, to find edits and deletions.

        Returns:
            The id after which to continue; 0 at the end of the channel.
        """
        progress = await self._read_progress()
        if after >= progress.newest:
            return 0
        page = await fetch_page(self.rest, self.id, PAGE_SIZE, after=after)
        page = [message for message in page if message.id <= progress.newest]
        last = page[-1].id if len(page) == PAGE_SIZE else progress.newest
        await self._store_page(page, progress, (after + 1, last))
        return last if len(page) == PAGE_SIZE and last > after else 0

    async def read_again(self, store: LeagueStore, is_sure: bool) -> LeagueChanges:
        """Read all messages of the channel again, and let them say what is found in them now, and nothing else.

        Args:
            store: The store.
            is_sure: Whether to save that; otherwise, nothing changes.

        Returns:
            What changes.

        Raises:
            UserError: `progress` has ended the reading.
        """
        await self._read_progress()
        read: list[ReadMessage] = []
        after = 0
        while True:
            page = await fetch_page(self.rest, self.id, PAGE_SIZE, after=after)
            read += [await self._read(message) for message in page]
            self._count(read[len(read) - len(page) :])
            last = max((message.id for message in page), default=0)
            if len(page) < PAGE_SIZE or last <= after:
                break
            after = last
            if not await self.progress(self.count):
                raise UserError(
                    "reading this channel again takes longer than Discord waits: export it, and import that."
                )
        return await asyncio.to_thread(self._rewrite, store, read, is_sure)

    def _rewrite(self, store: LeagueStore, read: Sequence[ReadMessage], is_sure: bool) -> LeagueChanges:
        before, channel = store.find(self.league.key).resolved(), str(self.id)
        ids = [message.received.id for message in read if message.received.id]
        posts = [reading for message in read for reading in message.readings if isinstance(reading, ResultPost)]
        with nullcontext(store) if is_sure else store.trial() as target:
            league = target.find(self.league.key)
            league.withdraw_missing(channel, 0, max(ids, default=0), set(map(str, ids)))
            league.rewrite({(DISCORD, str(id)) for id in ids}, posts)
            if is_sure and ids:
                league.add([], sightings_of([message.received for message in read]))
                league.save_unread(channel, ids, not_read_of(read))
                league.save_progress(channel, ChannelProgress(max(ids), min(ids), complete=True))
            return changes_between(before, league.resolved())

    async def _read_progress(self) -> ChannelProgress:
        """Load the members' names, and return which messages of the channel have been read."""
        members = await asyncio.to_thread(self.league.members)
        self._names = frozenset(name for member in members for name in member.names)
        self._bare_names = frozenset(map(bare_name, self._names))
        self._unread_known = frozenset(await asyncio.to_thread(self.league.unread_ids, str(self.id)))
        saved = await asyncio.to_thread(self.league.progress, str(self.id))
        return saved or ChannelProgress(newest=0, oldest=0, complete=False)

    async def _read_new(self, progress: ChannelProgress, n_left: int, reread: timedelta = REREAD_WINDOW) -> int:
        """Read the messages after the newest known one and recent ones again; return how many may still be read."""
        position = progress.newest
        if reread:
            position = int(hikari.Snowflake.from_datetime(hikari.Snowflake(progress.newest).created_at - reread))
        while n_left > 0:
            page = await fetch_page(self.rest, self.id, PAGE_SIZE, after=position)
            newest_before, first = progress.newest, position + 1
            n_left -= sum(message.id > newest_before for message in page)
            last = max((message.id for message in page), default=0)
            is_full = len(page) == PAGE_SIZE and last >= first
            position = last if is_full else max(progress.newest, last)
            progress = replace(progress, newest=max(progress.newest, position))
            if not await self._store_page(page, progress, (first, position), newest_before):
                return 0
            if not is_full:
                break
        return n_left

    async def _read_back(self, progress: ChannelProgress, n_left: int) -> bool:
        """Read messages before the oldest known one; return whether the channel's first message was reached."""
        while n_left > 0:
            n = min(PAGE_SIZE, n_left)
            before = {"before": progress.oldest} if progress.oldest else {}
            page = await fetch_page(self.rest, self.id, n, **before)
            n_left -= len(page)
            ids = [message.id for message in page if message.id]
            last = progress.oldest - 1 if progress.oldest else max(ids, default=0)
            is_first = len(page) < n or not ids
            oldest = min(ids, default=progress.oldest)
            progress = ChannelProgress(progress.newest or max(ids, default=0), oldest, complete=is_first)
            continues = await self._store_page(page, progress, (0 if is_first else oldest, last))
            if is_first or not continues:
                return is_first
        return False

    async def _store_page(
        self,
        page: Sequence[Received],
        progress: ChannelProgress,
        covered: tuple[int, int],
        newest_before: int | None = None,
    ) -> bool:
        """Save the results of a page and the reading progress; return whether to continue."""
        read = await self._store_messages(page, covered)
        if newest_before is not None:
            self.new += [message for message in read if message.received.id > newest_before]
        await asyncio.to_thread(self.league.save_progress, str(self.id), progress)
        return await self.progress(self.count)

    async def _store_messages(self, page: Sequence[Received], covered: tuple[int, int] | None) -> list[ReadMessage]:
        """Save the results of messages and remove those of stored messages in the id range that no longer exist."""
        read = [await self._read(message) for message in page]
        posts = [reading for message in read for reading in message.readings if isinstance(reading, ResultPost)]
        n_withdrawn = 0
        if covered is not None:
            present = {str(message.id) for message in page}
            n_withdrawn = await asyncio.to_thread(self.league.withdraw_missing, str(self.id), *covered, present)
        await asyncio.to_thread(self.league.add, posts, sightings_of(page))
        not_read = not_read_of(read)
        ids = {message.id for message in page}
        if not_read or not self._unread_known.isdisjoint(ids):
            await asyncio.to_thread(self.league.save_unread, str(self.id), ids, not_read)
        self._count(read)
        self.count.n_withdrawn += n_withdrawn
        return read

    def _count(self, read: Collection[ReadMessage]) -> None:
        for message in read:
            self.count.n_with_results += bool(message.results)
            self.count.n_not_read += bool(message.unread) and not message.results
            self.count.n_results += len(message.results)
            self.count.n_unread += len(message.unread)
            self.count.unread = (*self.count.unread, *message.unread)[-3:]
            self.count.n_blank += message.received.is_blank
        self.count.n_messages += len(read)

    def _is_member(self, name: str) -> bool:
        return bare_name(name.removeprefix("@")) in self._bare_names

    async def _read(self, received: Received) -> ReadMessage:
        """Return what a message says; whatever it is, nothing is raised."""
        if received.message is None:
            return ReadMessage(received, [UnreadPost(str(received.id or "no id"), received.text, UNDECODABLE)])
        plain = replace(received.message, known_names=self._names, is_person=self._is_member)
        try:
            readings = list(discord_message.read(plain))
            is_dated = any(
                isinstance(reading, ResultPost) and reading.results and reading.day_from == DayFrom.DATE
                for reading in readings
            )
            if is_dated and self.read_picture is not None:
                texts = [text for attachment in received.attachments for text in await self._texts(attachment)]
                readings = list(discord_message.read(replace(plain, pictures=lambda: texts))) if texts else readings
        except Exception:  # no message may stop the others
            _LOGGER.exception("the message %d could not be read", received.id)
            readings = [UnreadPost(str(received.id), received.text, UNREADABLE)]
        return ReadMessage(received, readings)

    async def _texts(self, attachment: Attachment) -> list[str]:
        """Return the texts found in an attached picture.

        Nothing is found in attachments of other kinds, large ones, and those that cannot be downloaded; the puzzle is
        then derived from the date.
        """
        if attachment.size > MAX_PICTURE_BYTES or not (attachment.content_type or "").startswith("image/"):
            return []
        try:
            data = await hikari.URL(attachment.url).read()
        except (hikari.HikariError, aiohttp.ClientError, ValueError):
            return []
        read_picture = self.read_picture or (lambda data: ())
        return await asyncio.to_thread(lambda: list(read_picture(data)))


def sightings_of(page: Collection[Received]) -> list[Sighting]:
    """Return the names of those who wrote messages or are mentioned in them, as they are now."""
    messages = [received.message for received in page if received.message is not None]
    users = {user.id: user for message in messages for user in (message.author, *message.mentions)}
    return [sighting for user in users.values() for sighting in user.sightings(datetime.now(UTC))]


def not_read_of(read: Collection[ReadMessage]) -> list[NotRead]:
    """Return the messages of which a part could not be read, with the first reason; those without an id are left."""
    listed = [message for message in read if message.unread and message.received.id]
    return [NotRead(message.received.id, message.received.author, message.unread[0].why) for message in listed]
