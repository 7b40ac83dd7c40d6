"""Messages of exported chats, which people wrote and whose times may be wall-clock times of a phone.

A host imports chats, so that a share that names somebody else counts for that person.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import NamedTuple

from wordpl.league import share_text
from wordpl.league.posts import Ignored, Person, Reading, ResultPost, Unread

MAX_LINES_CHECKED = 40
"""How many lines to check for a chat's format."""
BUDDHIST_YEARS = 543


@dataclass(frozen=True)
class ChatMessage:
    """A message of a chat.

    Attributes:
        name: Who wrote it.
        text: Its text.
        digits: The three numbers of its date, in the order of the phone's language.
        clock: Its time of day.
    """

    name: str
    text: str
    digits: tuple[int, int, int]
    clock: time

    def at(self, order: str) -> datetime | None:
        """Return the wall-clock time, with the date in this order of "dmy"; None if there is no such date."""
        parts = dict(zip(order, self.digits, strict=True))
        year = parts["y"] if parts["y"] > 99 else 2000 + parts["y"]
        year -= BUDDHIST_YEARS if year > 2400 else 0
        try:
            return datetime.combine(date(year, parts["m"], parts["d"]), self.clock)
        except ValueError:
            return None


class Origin(NamedTuple):
    """Where a message comes from; its key is "" in chats whose messages have no ids, and whose results are pooled."""

    source: str
    key: str = ""
    posted: datetime | None = None
    edited: datetime | None = None
    wall_clock: datetime | None = None
    is_forwarded: bool = False
    own_name: str = ""


def read_message(text: str, person: Person, origin: Origin, reported: datetime) -> Iterator[Reading]:
    """Yield what is read from a message of a chat.

    Args:
        text: The message.
        person: Who wrote it.
        origin: Where it comes from.
        reported: When it was reported; results of later puzzles are refused.
    """
    results = []
    own_names = frozenset([origin.own_name or person.key])
    for share in share_text.find(text):
        is_own = share.name is None or share_text.is_own(share.name, own_names)
        fault = share.fault or (share_text.FORWARDED if origin.is_forwarded else "")
        if fault := fault or share.game.fault_at(reported):
            yield Unread(f"{person.key}, Wordle {share.game.number}", text, fault)
        else:
            results.append(share.game.result(person if is_own else Person(share.name or "", False)))
    if results:
        key = origin.key or origin.source
        yield ResultPost(
            origin.source,
            key,
            tuple(results),
            posted=origin.posted,
            edited=origin.edited,
            wall_clock=origin.wall_clock,
        )
    elif share_text.is_near_miss(text):
        yield Unread(person.key, text, share_text.why_missed(text))
    else:
        yield Ignored(person.key, "no share text")
