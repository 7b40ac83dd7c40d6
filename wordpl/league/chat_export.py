"""Chats of other apps in which people share their results: WhatsApp's text and Telegram Desktop's JSON.

WhatsApp writes `[12/03/2024, 09:15:00] Name: text` (iOS) or `12/03/2024, 09:15 - Name: text` (Android), the date in the
phone's own form, and further lines of a message as they are. Telegram writes `result.json` with a list of messages,
each with `from`, `from_id`, `date_unixtime` and a text in parts.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from wordpl.league import share_text
from wordpl.league.posts import (
    TOO_LATE,
    Ignored,
    Person,
    Post,
    Reading,
    ReportedResult,
    Sighting,
    Unread,
    name_of,
)
from wordpl.league.puzzles import is_too_late

WHATSAPP, TELEGRAM = "whatsapp", "telegram"
_TIME = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[\s\u202f]?[APap]\.?[Mm]\.?)?"
_WHATSAPP_LINE = re.compile(rf"\u200e?(?:\[{_TIME}\]|{_TIME} -) ([^:\n]+): (.*)")
MAX_LINES_LOOKED_AT = 20


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
    return any(_WHATSAPP_LINE.match(line) for line in text.splitlines()[:MAX_LINES_LOOKED_AT])


def read_whatsapp(text: str, today: datetime) -> Iterator[Reading]:
    """Yield what the messages of a WhatsApp chat say; people are known by their names in the chat."""
    for name, said in _whatsapp_messages(text):
        yield from _read(said, Person(name, False), ("", None, None), today)


def _whatsapp_messages(text: str) -> Iterator[tuple[str, str]]:
    name, lines = "", list[str]()
    for line in text.splitlines():
        found = _WHATSAPP_LINE.match(line)
        if found is None:
            lines.append(line)
            continue
        if name:
            yield name, "\n".join(lines)
        name, lines = name_of(found[1].removeprefix("~\u202f").removeprefix("~ ")) or "", [found[2]]
    if name:
        yield name, "\n".join(lines)


def read_telegram(data: bytes, today: datetime) -> tuple[list[Reading], list[Sighting]] | None:
    """Return what the messages of a Telegram chat say, and who was seen; None where the data is no such chat."""
    try:
        chat = msgspec.json.decode(data, type=_TelegramChat)
    except (msgspec.DecodeError, RecursionError):
        return None
    readings: list[Reading] = []
    seen: dict[str, Sighting] = {}
    for one in chat.messages:
        name = name_of(one.sender or "")
        if one.type != "message" or not one.from_id or name is None:
            continue
        posted, edited = _moment(one.date_unixtime), _moment(one.edited_unixtime)
        text = one.text if isinstance(one.text, str) else "".join(map(_part, one.text))
        readings += _read(text, Person(one.from_id, True), (f"{chat.id}/{one.id}", posted, edited), posted or today)
        seen[one.from_id] = Sighting(one.from_id, name, posted or today, True)
    return readings, list(seen.values())


def _part(part: str | dict[str, object]) -> str:
    return part if isinstance(part, str) else str(part.get("text", ""))


def _moment(text: str | None) -> datetime | None:
    seconds = int(text) if text and text.isascii() and text.isdigit() and len(text) < 11 else 0
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def _read(
    text: str, person: Person, message: tuple[str, datetime | None, datetime | None], reported: datetime
) -> Iterator[Reading]:
    """Yield what a message says; message: its key (none for a pool), when it was posted, and edited."""
    key, posted, edited = message
    results = []
    for _, share in share_text.find(text):
        if fault := share.fault or (TOO_LATE if is_too_late(share.number, reported) else ""):
            yield Unread(f"{person.key}, Wordle {share.number}", text, fault)
        else:
            results.append(ReportedResult(person, share.number, share.guesses, share.hard, share.grid))
    if results:
        source = TELEGRAM if key else WHATSAPP
        yield Post(source, key or source, tuple(results), posted=posted, edited=edited)
    elif share_text.is_near_miss(text):
        yield Unread(person.key, text, "not in the form that Wordle shares: Wordle 1,234 4/6")
    else:
        yield Ignored(person.key, "no share text")
