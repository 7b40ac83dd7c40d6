"""A channel's messages, read page by page into a league: what is new first, then further back than before."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import hikari

from wordpl.league import discord_message
from wordpl.league.discord_export import LARGEST_PICTURE, PictureReader, sightings_of
from wordpl.league.discord_message import Message, User
from wordpl.league.posts import DayFrom, Post, Reading, Unread, name_of
from wordpl.league.store import ChannelProgress, League

PAGE = 100
AGAIN = timedelta(days=2)
"""How far back messages are read again, as they may have been edited."""


@dataclass
class Count:
    """What has been read so far. n_blank: messages that came with nothing in them; complete: none is older."""

    n_messages: int = 0
    n_results: int = 0
    n_unread: int = 0
    n_blank: int = 0
    complete: bool = False


class Channel:
    """A channel as the bot sees it.

    tell: gets the count after each page; when it returns False, reading ends there. What was read is kept by then.
    """

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        league: League,
        id: hikari.Snowflake,
        read_picture: PictureReader,
        tell: Callable[[Count], Awaitable[bool]],
    ):
        self._rest, self._league, self._id = rest, league, id
        self._read_picture, self._tell = read_picture, tell
        self._count = Count()

    async def read(self, limit: int) -> Count:
        """Read at most `limit` messages not read before: new ones, oldest first; then back from the oldest known."""
        kept = await asyncio.to_thread(self._league.progress, str(self._id))
        known = kept or ChannelProgress(newest=0, oldest=0, complete=False)
        n_left = limit
        if known.newest:
            again = hikari.Snowflake.from_datetime(hikari.Snowflake(known.newest).created_at - AGAIN)
            async for page in self._rest.fetch_messages(self._id, after=again).chunk(PAGE):
                n_left -= sum(message.id > known.newest for message in page)
                known = replace(known, newest=max(known.newest, *(message.id for message in page)))
                if not await self._take(page, known) or n_left <= 0:
                    return self._count
        if not known.complete and not await self._read_back(known, n_left):
            return self._count
        self._count.complete = True
        return self._count

    async def _read_back(self, known: ChannelProgress, n_left: int) -> bool:
        """Read messages before the oldest known one; return whether that reached the channel's first."""
        before = hikari.Snowflake(known.oldest) if known.oldest else hikari.UNDEFINED
        async for page in self._rest.fetch_messages(self._id, before=before).limit(n_left).chunk(PAGE):
            n_left -= len(page)
            ids = [int(message.id) for message in page]
            known = ChannelProgress(known.newest or max(ids), min(ids), complete=len(page) < PAGE and n_left > 0)
            if not await self._take(page, known) or n_left <= 0:
                return known.complete
        await asyncio.to_thread(self._league.keep_progress, str(self._id), replace(known, complete=True))
        return True

    async def _take(self, page: Sequence[hikari.Message], known: ChannelProgress) -> bool:
        """Keep what a page says, and that it has been read; return whether to go on."""
        readings = [one for message in page for one in await self._readings(message)]
        posts = [one for one in readings if isinstance(one, Post)]
        users = {user.id: user for message in page for user in (message.author, *_mentioned(message))}
        seen = [one for user in users.values() for one in sightings_of(_user(user), datetime.now(UTC))]
        await asyncio.to_thread(self._league.add, posts, seen)
        await asyncio.to_thread(self._league.keep_progress, str(self._id), known)
        self._count.n_messages += len(page)
        self._count.n_results += sum(len(post.results) for post in posts)
        self._count.n_unread += sum(isinstance(one, Unread) for one in readings)
        self._count.n_blank += sum(_is_blank(message) for message in page)
        return await self._tell(self._count)

    async def _readings(self, message: hikari.Message) -> list[Reading]:
        plain = _message(message)
        found = list(discord_message.read(plain))
        if any(isinstance(one, Post) and one.results and one.day_from == DayFrom.DATE for one in found):
            texts = [text for attachment in message.attachments for text in await self._texts(attachment)]
            found = list(discord_message.read(replace(plain, pictures=lambda: texts))) if texts else found
        return found

    async def _texts(self, attachment: hikari.Attachment) -> list[str]:
        """Return what a picture says; nothing if it is none, too large, or cannot be had: its day is then derived."""
        if attachment.size > LARGEST_PICTURE or not (attachment.media_type or "").startswith("image/"):
            return []
        try:
            data = await attachment.read()
        except hikari.HikariError:
            return []
        return await asyncio.to_thread(lambda: list(self._read_picture(data)))


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
