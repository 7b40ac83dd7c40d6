"""iMessage chats that imessage-exporter wrote: a line with the time, a line with the name, and the message."""

import re
from collections.abc import Iterator
from datetime import datetime

from wordpl.league.posts import Person, Reading, clean_name
from wordpl.league.sources import Opened, Source, SourceFile
from wordpl.league.sources.chats import MAX_LINES_CHECKED, ChatMessage, Origin, read_message

IMESSAGE = "imessage"
_IMESSAGE_TIME = re.compile(r"([A-Z][a-z]{2} \d{1,2}, \d{4}) +(\d{1,2}:\d{2}:\d{2} [AP]M)(?: \(.*\))?")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MYSELF = "Me"
"""The name that imessage-exporter gives to the owner of the phone."""


def open_chat(file: SourceFile) -> Opened | None:
    """Open a chat by imessage-exporter, in which `options.player` is the owner of the phone."""
    if not any(_IMESSAGE_TIME.fullmatch(line.strip()) for line in file.text.splitlines()[:MAX_LINES_CHECKED]):
        return None
    return Opened([list(_readings(file))])


def _readings(file: SourceFile) -> Iterator[Reading]:
    player = file.options.player
    for message in _imessages(file.text):
        name = player if player and message.name == MYSELF else message.name
        origin = Origin(IMESSAGE, wall_clock=message.at("mdy"))
        yield from read_message(message.text, Person(name, False), origin, file.options.today)


def _imessages(text: str) -> Iterator[ChatMessage]:
    lines = text.splitlines()
    starts = [index for index, line in enumerate(lines) if _IMESSAGE_TIME.fullmatch(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = _IMESSAGE_TIME.fullmatch(lines[start])
        name = clean_name(lines[start + 1]) if start + 1 < end else None
        if found is None or name is None or found[1][:3] not in _MONTHS:
            continue
        day, year = (int(part) for part in re.findall(r"\d+", found[1]))
        clock = datetime.strptime(found[2], "%I:%M:%S %p").time()
        body = "\n".join(lines[start + 2 : end])
        yield ChatMessage(name, body, (_MONTHS.index(found[1][:3]) + 1, day, year), clock)


SOURCE = Source("an iMessage chat of imessage-exporter", 50, open_chat)
