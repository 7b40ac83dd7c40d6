"""Readers for exported chats of WhatsApp (text) and Telegram Desktop (JSON).

WhatsApp writes `[12/03/2024, 09:15:00] Name: text` (iOS) or `12/03/2024, 09:15 - Name: text` (Android). The date has
the format of the phone's locale; further lines of a message follow without a prefix. Telegram writes `result.json` with
a list of messages, each with `from`, `from_id`, `date_unixtime` and a text that may be split into parts.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from wordpl.league import share_text
from wordpl.league.posts import (
    Ignored,
    Person,
    Reading,
    ResultPost,
    Sighting,
    Unread,
    clean_name,
)

WHATSAPP, TELEGRAM = "whatsapp", "telegram"
_TIME = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[APap]\.?[Mm]\.?)?"
_WHATSAPP_LINE = re.compile(rf"\u200e?(?:\[{_TIME}\]|{_TIME} -) ([^:\n]+): (.*)")
MAX_LINES_CHECKED = 20
"""How many lines to check for WhatsApp's format."""


class _TelegramMessage(msgspec.Struct):
    id: int
    type: str = ""
    date_unixtime: str = "0"
    edited_unixtime: str | None = None
    sender: str | None = msgspec.field(default=None, name="from")
    from_id: str = ""
    text: str | list[str | dict[str, object]] = ""


class _TelegramChat(msgspec.Struct):
    id: int
    messages: list[_TelegramMessage]


def is_whatsapp(text: str) -> bool:
    """Return whether the text is an exported WhatsApp chat."""
    return any(_WHATSAPP_LINE.match(line) for line in text.splitlines()[:MAX_LINES_CHECKED])


def read_whatsapp(text: str, today: datetime) -> Iterator[Reading]:
    """Yield the readings of a WhatsApp chat, with people identified by their names in the chat.

    Args:
        text: The exported chat.
        today: When it is read; results of later puzzles are refused.
    """
    for name, message in _whatsapp_messages(text):
        yield from _read_message(message, Person(name, False), _Origin(), today)


def _whatsapp_messages(text: str) -> Iterator[tuple[str, str]]:
    name, lines = "", list[str]()
    for line in text.splitlines():
        heading = _WHATSAPP_LINE.match(line)
        if heading is None:
            lines.append(line)
            continue
        if name:
            yield name, "\n".join(lines)
        name, lines = clean_name(heading[1].removeprefix("~\u202f").removeprefix("~ ")) or "", [heading[2]]
    if name:
        yield name, "\n".join(lines)


def read_telegram(data: bytes, today: datetime) -> tuple[list[Reading], list[Sighting]] | None:
    """Return the readings of a Telegram chat and the names seen in it, or None if the data is not a Telegram chat.

    Args:
        data: The bytes of `result.json`.
        today: When it is read; the time of messages that have none.
    """
    try:
        chat = msgspec.json.decode(data, type=_TelegramChat)
    except (msgspec.DecodeError, RecursionError):
        return None
    readings: list[Reading] = []
    sightings: dict[str, Sighting] = {}
    for message in chat.messages:
        name = clean_name(message.sender or "")
        if message.type != "message" or not message.from_id or name is None:
            continue
        posted, edited = _moment(message.date_unixtime), _moment(message.edited_unixtime)
        text = message.text if isinstance(message.text, str) else "".join(map(_part_text, message.text))
        origin = _Origin(f"{chat.id}/{message.id}", posted, edited)
        readings += _read_message(text, Person(message.from_id, True), origin, posted or today)
        sightings[message.from_id] = Sighting(message.from_id, name, posted or today, True)
    return readings, list(sightings.values())


def _part_text(part: str | dict[str, object]) -> str:
    return part if isinstance(part, str) else str(part.get("text", ""))


def _moment(text: str | None) -> datetime | None:
    seconds = int(text) if text and text.isascii() and text.isdigit() and len(text) < 11 else 0
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


class _Origin(NamedTuple):
    """A message's key and times; the key is "" in WhatsApp chats, whose results are pooled."""

    key: str = ""
    posted: datetime | None = None
    edited: datetime | None = None


def _read_message(text: str, person: Person, origin: _Origin, reported: datetime) -> Iterator[Reading]:
    results = []
    for _, share in share_text.find(text):
        if fault := share.fault_at(reported):
            yield Unread(f"{person.key}, Wordle {share.number}", text, fault)
        else:
            results.append(share.result(person))
    if results:
        source = TELEGRAM if origin.key else WHATSAPP
        yield ResultPost(source, origin.key or source, tuple(results), posted=origin.posted, edited=origin.edited)
    elif share_text.is_near_miss(text):
        yield Unread(person.key, text, share_text.NOT_A_SHARE)
    else:
        yield Ignored(person.key, "no share text")
