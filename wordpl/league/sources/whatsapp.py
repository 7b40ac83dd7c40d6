"""Exported WhatsApp chats.

WhatsApp writes `[12/03/2024, 09:15:00] Name: text` (iOS) or `12/03/2024, 09:15 - Name: text` (Android), in the words,
digits and order of the phone's language; further lines of a message follow without a prefix.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime, time

from wordpl.league import share_text
from wordpl.league.posts import Person, Reading, clean_name
from wordpl.league.puzzles import number_on
from wordpl.league.sources import Opened, Source, SourceFile
from wordpl.league.sources.chats import MAX_LINES_CHECKED, ChatMessage, Origin, read_message

WHATSAPP = "whatsapp"
MAX_HEADING = 60
"""The maximum length of the date and the time before a message."""
_AM = r"a\.?\s?m\.?|오전|上午|午前|凌晨|早上|清晨|ص|de\.|pagi"
_PM = r"p\.?\s?m\.?|오후|下午|午後|晚上|中午|傍晚|م|du\.|malam|petang"
_WHATSAPP_LINE = re.compile(
    r"(?P<bracket>\[)?(?P<a>\d{1,4})\D{1,3}(?P<b>\d{1,2})\D{1,3}(?P<c>\d{1,4})\D{0,4}?[\s,،.]"
    rf"(?:klo |kl\.? |um |à |at )?\s*(?:(?P<am>{_AM})|(?P<pm>{_PM}))?\s*"
    r"(?P<hour>[01]?\d|2[0-4])[:.](?P<minute>[0-5]\d)(?:[:.]\d{2})?\s*(?:ч\.|h|Uhr)?\s*"
    rf"(?:(?P<late_am>{_AM})|(?P<late_pm>{_PM}))?"
    r"(?(bracket)\]|(?: -|,)) (?P<name>[^:\n]+?) ?: ?(?P<text>.*)",
    re.IGNORECASE,
)
_WHATSAPP_NOTE = re.compile(r"\s*[<‹][^<>‹›\n]{4,80}[>›]\s*$")
"""What WhatsApp adds to an edited message, in the phone's language: <This message was edited>."""


def open_chat(file: SourceFile) -> Opened | None:
    """Open an exported WhatsApp chat; people are identified by their names in the chat."""
    if not any(_heading(line) for line in file.text.splitlines()[:MAX_LINES_CHECKED]):
        return None
    return Opened([list(_readings(file.text, file.options.today))])


def _readings(text: str, today: datetime) -> Iterator[Reading]:
    chat = list(_whatsapp_messages(text))
    order = _date_order(chat)
    for message in chat:
        origin = Origin(WHATSAPP, wall_clock=message.at(order) if order else None)
        yield from read_message(message.text, Person(message.name, False), origin, today)


def _whatsapp_messages(text: str) -> Iterator[ChatMessage]:
    message: ChatMessage | None = None
    lines: list[str] = []
    for line in text.splitlines():
        heading = _heading(line)
        if heading is None:
            lines.append(line)
            continue
        if message:
            yield _complete(message, lines)
        message, lines = heading, [heading.text]
    if message:
        yield _complete(message, lines)


def _complete(message: ChatMessage, lines: Iterable[str]) -> ChatMessage:
    text = _WHATSAPP_NOTE.sub("", share_text.normalized("\n".join(lines)))
    return ChatMessage(message.name, text, message.digits, message.clock)


def _heading(line: str) -> ChatMessage | None:
    """Return the message that begins in this line, or None if none does."""
    line = share_text.normalized(line).replace("\u202f", " ").replace("\u00a0", " ")
    found = _WHATSAPP_LINE.match("".join(map(_digit, line[:MAX_HEADING])) + line[MAX_HEADING:])
    name = clean_name(line[slice(*found.span("name"))].removeprefix("~")) if found else None
    if found is None or name is None:
        return None
    hour = int(found["hour"]) % 24
    if found["am"] or found["pm"] or found["late_am"] or found["late_pm"]:
        hour = hour % 12 + 12 * bool(found["pm"] or found["late_pm"])
    digits = int(found["a"]), int(found["b"]), int(found["c"])
    return ChatMessage(name, line[found.start("text") :], digits, time(hour, int(found["minute"])))


def _digit(character: str) -> str:
    """Return a digit of any script as an ASCII digit, and other characters unchanged."""
    return str(unicodedata.digit(character)) if unicodedata.category(character) == "Nd" else character


def _date_order(chat: Iterable[ChatMessage]) -> str | None:
    """Return the order of year, month and day in a chat's dates, None if it cannot be told.

    Dates above 12 decide; if there are none, the puzzles that were shared on these days do.
    """
    messages = list(chat)
    if not messages or messages[0].digits[0] > 31:
        return "ymd" if messages else None
    orders = [order for order in ("dmy", "mdy") if all(message.at(order) for message in messages)]
    shared = [(message, found.game.number) for message in messages for found in share_text.find(message.text)]

    def n_in_time(order: str) -> int:
        days = ((message.at(order), number) for message, number in shared)
        return sum(day is not None and 0 <= number_on(day.date()) - number <= 1 for day, number in days)

    if len(orders) == 2 and n_in_time("dmy") == n_in_time("mdy"):
        return None
    return max(orders, key=n_in_time, default=None)


SOURCE = Source("a WhatsApp chat", 40, open_chat)
