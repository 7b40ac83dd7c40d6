"""Messages and members as Discord sends them, each decoded alone: one that cannot be decoded stops nothing.

hikari decodes a page of messages as a whole, and raises if a field of one of them is not what it expects. Here, only
the fields that results are read from are decoded.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import hikari
import msgspec
from hikari.internal import routes
from hikari.internal.data_binding import StringMapBuilder

from wordpl.apps.league import discord_message
from wordpl.apps.league.discord_message import APP, DiscordMessage
from wordpl.apps.league.posts import DiscordUser, clean_name

MAX_DEPTH = 20
"""How deeply components may be nested."""
UNDECODABLE = "not a message as Discord documents it"
_YEARS = range(2015, 2200)
_TYPES_WITH_TEXT = (0, 19)
"""The types of ordinary messages and replies."""


class _User(msgspec.Struct):
    id: str
    username: str = ""
    global_name: str | None = None
    bot: bool = False


class _Member(msgspec.Struct):
    user: _User
    nick: str | None = None


class _Field(msgspec.Struct):
    name: str = ""
    value: str = ""


class _Embed(msgspec.Struct):
    title: str | None = None
    description: str | None = None
    fields: list[_Field] = []


class _Component(msgspec.Struct):
    content: str | None = None  # of a text display
    components: list[Any] = []


class Attachment(msgspec.Struct):
    """A file attached to a message."""

    url: str
    size: int = 0
    content_type: str | None = None


class _Message(msgspec.Struct):
    author: _User
    timestamp: datetime
    content: str | None = None
    edited_timestamp: datetime | None = None
    mentions: list[_User] = []
    embeds: Any = ()  # the rest is decoded for the app alone: of people, only the text counts
    components: Any = ()
    attachments: Any = ()
    stickers: Any = ()
    sticker_items: Any = ()
    type: Any = 0


class Received(NamedTuple):
    """A message as it was received.

    Attributes:
        id: Its id; 0 if even that cannot be read.
        text: The start of its text, or of the payload.
        message: What was decoded; None if it could not be.
        author: The author's id, "" if unknown.
        attachments: The files of the app's messages.
        is_blank: Whether an ordinary message came without any content.
    """

    id: int
    text: str
    message: DiscordMessage | None = None
    author: str = ""
    attachments: tuple[Attachment, ...] = ()
    is_blank: bool = False


def decode_message(payload: object, channel: int) -> Received:
    """Return a message of this channel, or what is known of it if it cannot be decoded."""
    fields = dict(payload) if isinstance(payload, Mapping) else {}
    id, author = _snowflake(fields.get("id")), fields.get("author")
    written = fields.get("content")
    text = written if isinstance(written, str) and written else str(payload)
    try:
        if not id:
            raise ValueError("no id")
        return _decoded(id, channel, msgspec.convert(fields, _Message))
    except (ValueError, OverflowError, RecursionError):
        known = _snowflake(author.get("id")) if isinstance(author, dict) else 0
        return Received(id, text[:200], None, str(known or ""))


def _decoded(id: int, channel: int, fields: _Message) -> Received:
    is_app = fields.author.id == APP
    embeds = msgspec.convert(fields.embeds, list[_Embed]) if is_app else []
    attachments = tuple(msgspec.convert(fields.attachments, list[Attachment])) if is_app else ()
    texts = [*_texts_of_embeds(embeds), *_texts_of_components(fields.components if is_app else ())]
    message = DiscordMessage(
        id=str(id),
        channel=str(channel),
        posted=_moment(fields.timestamp),
        edited=_moment(fields.edited_timestamp) if fields.edited_timestamp else None,
        author=_user(fields.author),
        content=discord_message.content_of(fields.author.id, fields.content, texts),
        mentions=tuple(map(_user, fields.mentions)),
        titles=tuple(embed.title for embed in embeds if embed.title),
    )
    others = (fields.embeds, fields.components, fields.attachments, fields.stickers, fields.sticker_items)
    is_blank = fields.type in _TYPES_WITH_TEXT and not fields.content and not any(others)
    return Received(id, message.content[:200], message, message.author.id, attachments, is_blank)


def _texts_of_embeds(embeds: Sequence[_Embed]) -> Iterator[str | None]:
    for embed in embeds:
        yield embed.description
        yield from (f"{field.name}\n{field.value}" for field in embed.fields)


def _texts_of_components(components: object, depth: int = 0) -> Iterator[str | None]:
    if depth > MAX_DEPTH:
        raise ValueError("components are nested too deeply")
    for component in msgspec.convert(components, list[_Component]):
        yield component.content
        yield from _texts_of_components(component.components, depth + 1)


def _snowflake(value: object) -> int:
    """Return an id as a number, 0 if it is none."""
    is_id = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20
    number = int(str(value)) if is_id else 0
    return number if number < 1 << 63 else 0


def _user(fields: _User, nickname: str | None = None) -> DiscordUser:
    if not _snowflake(fields.id):
        raise ValueError("not the id of a user")
    names = [clean_name(name or "") or "" for name in (nickname, fields.global_name, fields.username)]
    return DiscordUser(str(_snowflake(fields.id)), names[0], names[1], names[2], fields.bot)


def _moment(moment: datetime) -> datetime:
    if moment.year not in _YEARS:
        raise ValueError("not a plausible time")
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)


def decode_members(payload: object) -> list[DiscordUser]:
    """Return those members of a list that can be decoded."""
    members = []
    for entry in payload if isinstance(payload, list) else ():
        try:
            member = msgspec.convert(dict(entry), _Member)
            members.append(_user(member.user, member.nick))
        except (TypeError, ValueError, RecursionError):
            continue
    return members


async def _get(rest: hikari.api.RESTClient, route: routes.CompiledRoute, query: Mapping[str, int]) -> object:
    """Return what Discord answers, within hikari's rate limits and with its retries, but not decoded by it."""
    builder = StringMapBuilder()
    for name, value in query.items():
        builder.put(name, value)
    client: Any = rest
    return await client._request(route, query=builder)


async def fetch_page(rest: hikari.api.RESTClient, channel: int, n: int, **bounds: int) -> list[Received]:
    """Return a page of a channel's messages, oldest first.

    Args:
        rest: The REST client.
        channel: The id of the channel.
        n: The maximum number of messages, at most 100.
        bounds: `after` or `before`: an id.
    """
    route = routes.GET_CHANNEL_MESSAGES.compile(channel=hikari.Snowflake(channel))
    page = await _get(rest, route, {**bounds, "limit": n})
    received = [decode_message(entry, channel) for entry in (page if isinstance(page, list) else [page])]
    return sorted(received, key=lambda entry: entry.id)


async def fetch_message(rest: hikari.api.RESTClient, channel: int, id: int) -> list[Received]:
    """Return a message, or nothing if it has been deleted."""
    ids = {"channel": hikari.Snowflake(channel), "message": hikari.Snowflake(id)}
    try:
        payload = await _get(rest, routes.GET_CHANNEL_MESSAGE.compile(**ids), {})
    except hikari.NotFoundError:
        return []
    return [decode_message(payload, channel)._replace(id=id)]


async def fetch_members(rest: hikari.api.RESTClient, guild: int) -> list[DiscordUser]:
    """Return the members of a server, as far as they can be decoded."""
    route, after = routes.GET_GUILD_MEMBERS.compile(guild=hikari.Snowflake(guild)), 0
    members: list[DiscordUser] = []
    while True:
        page = decode_members(await _get(rest, route, {"after": after, "limit": 1000}))
        newest = max((int(member.id) for member in page), default=0)
        if newest <= after:
            return members
        members += page
        after = newest
