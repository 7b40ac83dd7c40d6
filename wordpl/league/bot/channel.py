"""Reads the messages of a channel page by page into a league: new ones, older ones, and edits and deletions."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import hikari

from wordpl.league import discord_message
from wordpl.league.discord_message import DiscordMessage, DiscordUser
from wordpl.league.posts import UNFINISHED, DayFrom, Reading, ResultPost, Unread, clean_name
from wordpl.league.sources import PictureReader
from wordpl.league.sources.discord import MAX_PICTURE_BYTES, sightings_of
from wordpl.league.store import ChannelProgress, League, ReadRange

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

    async def add_message(self, message: hikari.Message) -> None:
        """Save the results of a new message."""
        await self._read_progress()
        await self._store_messages([message], (int(message.id), int(message.id)))

    async def reread(self, id: int) -> None:
        """Fetch an edited message and save its results, or remove them if it has been deleted."""
        await self._read_progress()
        try:
            messages = [await self._rest.fetch_message(self._id, hikari.Snowflake(id))]
        except hikari.NotFoundError:
            messages = []
        await self._store_messages(messages, (id, id))

    async def withdraw(self, id: int) -> None:
        """Remove the results of a deleted message."""
        await self._store_messages([], (id, id))

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
        self._names = frozenset(
            name
            for member in await asyncio.to_thread(self._league.members)
            for name in (member.nickname, member.global_name, member.account)
            if name
        )
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
        name_sightings = [
            sighting for user in users.values() for sighting in sightings_of(_user(user), datetime.now(UTC))
        ]
        present = frozenset(str(message.id) for message in page)
        n_withdrawn = await asyncio.to_thread(
            self._league.withdraw_missing, ReadRange(str(self._id), *covered, present)
        )
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

    async def _readings(self, message: hikari.Message) -> list[Reading]:
        plain = replace(_message(message), known_names=self._names)
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
        content=(message.content or "").replace("\0", "\ufffd"),
        mentions=tuple(map(_user, _mentioned(message))),
        titles=tuple(embed.title for embed in message.embeds if embed.title),
    )


def _mentioned(message: hikari.Message) -> Sequence[hikari.User]:
    return list((message.user_mentions or {}).values())


def _user(user: hikari.User) -> DiscordUser:
    account = clean_name(user.username) or ""
    return DiscordUser(str(user.id), clean_name(user.global_name or "") or account, account, user.is_bot)


def _is_blank(message: hikari.Message) -> bool:
    has_content = message.content or message.embeds or message.attachments or message.stickers or message.components
    return not has_content and message.type in (hikari.MessageType.DEFAULT, hikari.MessageType.REPLY)
