"""A channel's messages, read page by page into a league: what is new, what was before, and what has changed since."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import hikari

from wordpl.league import discord_message
from wordpl.league.discord_export import MAX_PICTURE_BYTES, PictureReader, sightings_of
from wordpl.league.discord_message import Message, User
from wordpl.league.posts import UNFINISHED, DayFrom, Post, Reading, Unread, name_of
from wordpl.league.store import ChannelProgress, League, ReadRange

PAGE = 100
AGAIN = timedelta(days=2)
"""How far back new messages are read again, as they may have been edited; `sweep` sees edits of any age."""


@dataclass
class ReadCount:
    """What has been read so far.

    n_blank: messages that came with nothing in them; n_withdrawn: that were deleted; complete: none is older; unread:
    why parts could not be read, the last ones.
    """

    n_messages: int = 0
    n_results: int = 0
    n_unread: int = 0
    n_blank: int = 0
    n_withdrawn: int = 0
    complete: bool = False
    unread: tuple[Unread, ...] = ()


async def _go_on(count: ReadCount) -> bool:
    return True


class ChannelReader:
    """A channel as the bot sees it.

    read_picture: None leaves pictures alone. progress: gets the count after each page; when it returns False, reading
    ends there. What was read is kept by then.
    """

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        league: League,
        id: int,
        read_picture: PictureReader | None,
        progress: Callable[[ReadCount], Awaitable[bool]] = _go_on,
    ):
        self._rest, self._league, self._id = rest, league, hikari.Snowflake(id)
        self._read_picture, self._progress = read_picture, progress
        self._names: frozenset[str] = frozenset()
        self.count = ReadCount()

    async def read(self, limit: int) -> ReadCount:
        """Read at most `limit` messages not read before: new ones, oldest first; then back from the oldest known."""
        known = await self._known()
        n_left = limit
        if known.newest:
            n_left = await self._read_new(known, limit)
            known = await self._known()
            if n_left <= 0:
                return self.count
        self.count.complete = known.complete or await self._read_back(known, n_left)
        return self.count

    async def catch_up(self, again: timedelta = AGAIN) -> ReadCount:
        """Read what is new since the last time, and the messages of the time before it, `again`, once more."""
        known = await self._known()
        if known.newest:
            await self._read_new(known, PAGE * PAGE, again)
        return self.count

    async def take(self, message: hikari.Message) -> None:
        """Keep what a message says that was just written."""
        await self._known()
        await self._keep([message], (int(message.id), int(message.id)))

    async def read_again(self, id: int) -> None:
        """Read a message again that was edited; withdraw what it said where it is gone by now."""
        await self._known()
        try:
            found = [await self._rest.fetch_message(self._id, hikari.Snowflake(id))]
        except hikari.NotFoundError:
            found = []
        await self._keep(found, (id, id))

    async def withdraw(self, id: int) -> None:
        """Withdraw what a message said that was deleted."""
        await self._keep([], (id, id))

    async def sweep(self, after: int) -> int:
        """Read the page after this id again, for edits and deletions; return where to go on, 0 at the end."""
        known = await self._known()
        if after >= known.newest:
            return 0
        page = await self._fetch(after=after)
        page = [message for message in page if message.id <= known.newest]
        last = int(page[-1].id) if len(page) == PAGE else known.newest
        await self._take(page, known, (after + 1, last))
        return last if len(page) == PAGE else 0

    async def _known(self) -> ChannelProgress:
        self._names = frozenset(
            name
            for one in await asyncio.to_thread(self._league.members)
            for name in (one.nickname, one.global_name, one.account)
            if name
        )
        kept = await asyncio.to_thread(self._league.progress, str(self._id))
        return kept or ChannelProgress(newest=0, oldest=0, complete=False)

    async def _fetch(
        self, *, after: int | None = None, before: int | None = None, n: int = PAGE
    ) -> list[hikari.Message]:
        """Return a page of messages, oldest first."""
        place = {"after": hikari.Snowflake(after)} if after is not None else {}
        place |= {"before": hikari.Snowflake(before)} if before else {}
        found = await self._rest.fetch_messages(self._id, **place).limit(n)
        return sorted(found, key=lambda message: message.id)

    async def _read_new(self, known: ChannelProgress, n_left: int, again: timedelta = AGAIN) -> int:
        """Read the messages after the newest known, and the last ones again; return how many may still be read."""
        position = known.newest
        if again:
            position = int(hikari.Snowflake.from_datetime(hikari.Snowflake(known.newest).created_at - again))
        while n_left > 0:
            page = await self._fetch(after=position)
            n_left -= sum(message.id > known.newest for message in page)
            first = position + 1
            position = int(page[-1].id) if len(page) == PAGE else max([known.newest, *(int(one.id) for one in page)])
            known = replace(known, newest=max(known.newest, position))
            if not await self._take(page, known, (first, position)):
                return 0
            if len(page) < PAGE:
                break
        return n_left

    async def _read_back(self, known: ChannelProgress, n_left: int) -> bool:
        """Read messages before the oldest known one; return whether that reached the channel's first."""
        while n_left > 0:
            n = min(PAGE, n_left)
            page = await self._fetch(before=known.oldest, n=n)
            n_left -= len(page)
            ids = [int(message.id) for message in page]
            last = known.oldest - 1 if known.oldest else max(ids, default=0)
            is_first = len(page) < n
            oldest = min(ids, default=known.oldest)
            known = ChannelProgress(known.newest or max(ids, default=0), oldest, complete=is_first)
            goes_on = await self._take(page, known, (0 if is_first else oldest, last))
            if is_first or not goes_on:
                return is_first
        return False

    async def _take(self, page: Sequence[hikari.Message], known: ChannelProgress, covered: tuple[int, int]) -> bool:
        """Keep what a page says, and that it has been read; return whether to go on."""
        await self._keep(page, covered)
        await asyncio.to_thread(self._league.keep_progress, str(self._id), known)
        return await self._progress(self.count)

    async def _keep(self, page: Sequence[hikari.Message], covered: tuple[int, int]) -> None:
        """Keep what messages say; what is known of others in this range of ids is withdrawn: they are gone."""
        readings = [one for message in page for one in await self._readings(message)]
        posts = [one for one in readings if isinstance(one, Post)]
        users = {user.id: user for message in page for user in (message.author, *_mentioned(message))}
        seen = [one for user in users.values() for one in sightings_of(_user(user), datetime.now(UTC))]
        present = frozenset(str(message.id) for message in page)
        gone = await asyncio.to_thread(self._league.withdraw_missing, ReadRange(str(self._id), *covered, present))
        await asyncio.to_thread(self._league.add, posts, seen)
        unread = [one for one in readings if isinstance(one, Unread)]
        self.count.n_messages += len(page)
        self.count.n_results += sum(result.guesses != UNFINISHED for post in posts for result in post.results)
        self.count.n_unread += len(unread)
        self.count.n_blank += sum(_is_blank(message) for message in page)
        self.count.n_withdrawn += gone
        self.count.unread = (*self.count.unread, *unread)[-3:]

    async def _readings(self, message: hikari.Message) -> list[Reading]:
        plain = replace(_message(message), known_names=self._names)
        found = list(discord_message.read(plain))
        is_dated = any(isinstance(one, Post) and one.results and one.day_from == DayFrom.DATE for one in found)
        if is_dated and self._read_picture is not None:
            texts = [text for attachment in message.attachments for text in await self._texts(attachment)]
            found = list(discord_message.read(replace(plain, pictures=lambda: texts))) if texts else found
        return found

    async def _texts(self, attachment: hikari.Attachment) -> list[str]:
        """Return what a picture says; nothing if it is none, too large, or cannot be had: its day is then derived."""
        if attachment.size > MAX_PICTURE_BYTES or not (attachment.media_type or "").startswith("image/"):
            return []
        try:
            data = await attachment.read()
        except hikari.HikariError:
            return []
        read_picture = self._read_picture or (lambda data: ())
        return await asyncio.to_thread(lambda: list(read_picture(data)))


def _message(found: hikari.Message) -> Message:
    return Message(
        id=str(found.id),
        channel=str(found.channel_id),
        posted=found.timestamp,
        edited=found.edited_timestamp,
        author=_user(found.author),
        content=(found.content or "").replace("\0", "\ufffd"),
        mentions=tuple(map(_user, _mentioned(found))),
        titles=tuple(embed.title for embed in found.embeds if embed.title),
    )


def _mentioned(found: hikari.Message) -> Sequence[hikari.User]:
    return list((found.user_mentions or {}).values())


def _user(found: hikari.User) -> User:
    account = name_of(found.username) or ""
    return User(str(found.id), name_of(found.global_name or "") or account, account, found.is_bot)


def _is_blank(found: hikari.Message) -> bool:
    said = found.content or found.embeds or found.attachments or found.stickers or found.components
    return not said and found.type in (hikari.MessageType.DEFAULT, hikari.MessageType.REPLY)
