"""Reader for the JSON and CSV files of DiscordChatExporter, with mentions as names or ids and times of any zone."""

import csv
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from io import StringIO
from pathlib import Path

import msgspec

from wordpl.apps.league import discord_message
from wordpl.apps.league.discord_message import DiscordMessage
from wordpl.apps.league.posts import DISCORD, DiscordUser, Reading, ResultPost, Sighting, UnreadPost, clean_name
from wordpl.apps.league.sources import OpenedSource, PictureReader, SourceFile, SourceKind
from wordpl.core import bounded

MAX_PICTURE_BYTES = 8_000_000
YEARS = range(2015, 2200)
OLDEST = datetime.min.replace(tzinfo=UTC)


class _User(msgspec.Struct, frozen=True):
    id: str
    name: str
    nickname: str | None = None
    isBot: bool = False


class _Attachment(msgspec.Struct):
    url: str


class _Field(msgspec.Struct):
    name: str = ""
    value: str = ""


class _Embed(msgspec.Struct):
    title: str | None = None
    description: str | None = None
    fields: list[_Field] = []

    @property
    def text(self) -> str:
        return "\n".join(filter(None, [self.description, *(f"{field.name}\n{field.value}" for field in self.fields)]))


class _Message(msgspec.Struct):
    id: str
    timestamp: str
    content: str
    author: _User
    timestampEdited: str | None = None
    mentions: list[_User] = []
    embeds: list[_Embed] = []
    attachments: list[_Attachment] = []


class _People(msgspec.Struct):
    author: _User
    mentions: list[_User] = []


class _Place(msgspec.Struct):
    id: str
    name: str = ""


class _Export(msgspec.Struct):
    guild: _Place
    channel: _Place
    messages: list[msgspec.Raw]
    exportedAt: str | None = None


_export_decoder = msgspec.json.Decoder(_Export)
_message_decoder = msgspec.json.Decoder(_Message)
_people_decoder = msgspec.json.Decoder(_People)


@dataclass
class Export:
    """An export that is being read.

    Attributes:
        path: The file.
        channel: The id of the channel.
        exported: When the export was made, if the file says so.
        messages: The messages, not yet decoded.
        file: The file.
        guild: The id of the server.
        users: The people seen so far, by id; complete once all readings have been consumed.
        newest: When the newest message read so far was posted.
        ids: The ids of the messages read so far.
    """

    path: Path
    channel: str
    exported: datetime | None
    messages: list[msgspec.Raw]
    file: SourceFile
    guild: str
    users: dict[str, DiscordUser] = field(default_factory=dict)
    newest: datetime = OLDEST
    ids: list[str] = field(default_factory=list)

    def sightings(self) -> Iterator[Sighting]:
        """Yield the names of all people seen. An export uses the names of the day it was made, even in old messages."""
        for user in self.users.values():
            yield from user.sightings(self.exported or self.newest)

    @cached_property
    def is_person(self) -> Callable[[str], bool]:
        """Whether somebody of the export or of its league has a name; reads all messages when it is first asked."""
        names: set[str] = set()
        for raw in self.messages:
            with suppress(msgspec.DecodeError, ValueError):
                people = _people_decoder.decode(raw)
                names.update(
                    name for user in (people.author, *people.mentions) for name in (user.nickname, user.name) if name
                )
        return self.file.is_person(names, self.guild)

    def readings(self, read_picture: PictureReader) -> Iterator[list[Reading]]:
        """Yield the readings of each message.

        Args:
            read_picture: Returns the texts found in a picture, given its bytes.
        """
        for number, raw in enumerate(self.messages, 1):
            try:
                message = self._message(_message_decoder.decode(raw), read_picture)
            except (msgspec.DecodeError, ValueError, OverflowError) as error:
                yield [
                    UnreadPost(
                        f"message {number}", bytes(raw)[:200].decode("utf-8", "replace"), f"not a message: {error}"
                    )
                ]
                continue
            self.newest = max(self.newest, message.posted)
            self.ids.append(message.id)
            for user in (message.author, *message.mentions):
                self.users[user.id] = user
            yield list(discord_message.read(message))

    def _message(self, message_fields: _Message, read_picture: PictureReader) -> DiscordMessage:
        return DiscordMessage(
            id=_id(message_fields.id),
            channel=self.channel,
            posted=_moment(message_fields.timestamp),
            edited=_moment(message_fields.timestampEdited) if message_fields.timestampEdited else None,
            author=_user(message_fields.author),
            content=discord_message.content_of(
                message_fields.author.id, message_fields.content, (embed.text for embed in message_fields.embeds)
            ),
            mentions=tuple(map(_user, message_fields.mentions)),
            titles=tuple(embed.title for embed in message_fields.embeds if embed.title),
            pictures=lambda: self._pictures(message_fields.attachments, read_picture),
            is_person=lambda name: self.is_person(name),
            is_vouched=True,
        )

    def _pictures(self, attachments: list[_Attachment], read_picture: PictureReader) -> Iterator[str]:
        """Yield the texts of pictures that were exported next to the file; nothing is downloaded."""
        for attachment in attachments:
            path = self.path.parent / attachment.url
            if ":" not in attachment.url and _is_small_file(path):
                yield from read_picture(bounded.read(bounded.EXPORT_PICTURE, path))


def open_export(file: SourceFile) -> OpenedSource | None:
    """Open an export; pictures are looked up in the folder of the file."""
    try:
        fields = _export_decoder.decode(file.data)
        guild, channel = _id(fields.guild.id), _id(fields.channel.id)
        exported = _moment(fields.exportedAt) if fields.exportedAt else None
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError):
        return None
    export = Export(file.path, channel, exported, fields.messages, file, guild)
    return OpenedSource(
        export.readings(file.options.read_picture),
        len(fields.messages),
        sightings=export.sightings,
        guild=guild,
        guild_name=clean_name(fields.guild.name) or guild,
        exported=exported,
        post_keys=lambda: ((DISCORD, id) for id in export.ids),
    )


@lru_cache(10_000)
def _user(fields: _User) -> DiscordUser:
    return DiscordUser(
        _id(fields.id), clean_name(fields.nickname or "") or "", "", clean_name(fields.name) or "", fields.isBot
    )


def _id(text: str) -> str:
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError(f"{text[:40]!r} is not an id")
    return text


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.year not in YEARS:
        raise ValueError(f"{text[:40]!r} is not a plausible time")
    return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)


def _is_small_file(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= MAX_PICTURE_BYTES
    except OSError:
        return False


CSV = "discord csv"


def open_csv(file: SourceFile) -> OpenedSource | None:
    """Open an export as CSV, whose messages have no ids: author and time identify them."""
    if not file.data.lstrip(b"\xef\xbb\xbf").startswith((b"AuthorID,Author,Date,Content", b'"AuthorID","Author"')):
        return None
    rows = list(csv.DictReader(StringIO(file.decoded, newline="")))
    users = {row["AuthorID"]: clean_name(row["Author"] or "") or "" for row in rows if row.get("AuthorID")}
    is_person = file.is_person(users.values())
    readings: list[Reading] = []
    sightings: list[Sighting] = []
    for number, row in enumerate(rows, 2):
        try:
            author, posted = _id(row["AuthorID"] or ""), _moment(row["Date"] or "")
        except (KeyError, ValueError) as error:
            readings.append(UnreadPost(f"row {number}", str(row)[:200], f"not a message: {error}"))
            continue
        user = DiscordUser(author, "", "", users[author])
        sightings += user.sightings(posted)
        content, key = (row["Content"] or "").replace("\r\n", "\n"), f"{author}/{posted:%Y%m%dT%H%M%S.%f}"
        message = DiscordMessage(key, "", posted, None, user, content, is_person=is_person, is_vouched=True)
        for reading in discord_message.read(replace(message, known_names=frozenset(users.values()))):
            readings.append(replace(reading, source=CSV) if isinstance(reading, ResultPost) else reading)
    keys = [(CSV, reading.key) for reading in readings if isinstance(reading, ResultPost)]
    return OpenedSource([readings], sightings=lambda: sightings, post_keys=lambda: keys)


SOURCES = [
    SourceKind("a JSON file of DiscordChatExporter", 10, open_export),
    SourceKind("a CSV file of DiscordChatExporter", 15, open_csv),
]
