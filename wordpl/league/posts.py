"""What is read of a league: who needed how many guesses for which puzzle, and where that was said."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import msgspec

UNSOLVED = 7
"""The number of guesses that stands for X."""
UNFINISHED = 0
"""The number of guesses that stands for a game that was begun, as far as is known."""
MAX_NAME = 100
DISCORD = "discord"
"""The source of posts that are messages of a Discord channel."""
TOO_LATE = "the puzzle is later than the message that reports it"


class DayFrom(IntEnum):
    """How a puzzle's number became known; what is higher is surer."""

    DATE = 0  # derived from when the summary was posted
    PICTURE = 1  # read in the picture or a title, and plausible
    TEXT = 2  # written beside the result


class Person(NamedTuple):
    """Somebody as a source names them: by an id that never changes, or by a name."""

    key: str
    is_id: bool


class ReportedResult(NamedTuple):
    """A person's result; grid: a line for each guess, its clues and its word where that is known."""

    person: Person
    number: int
    guesses: int
    hard: bool = False
    grid: str = ""


class Sighting(NamedTuple):
    """A name that somebody with an id was seen with; shown: it is what others see, not the account's own name."""

    id: str
    name: str
    seen: datetime
    shown: bool


@dataclass(frozen=True)
class Post:
    """Something that says results.

    source, key: what it is and which, unique in a league. posted: None where results are pooled without a message of
    their own; such a post only ever grows, while a message's later version replaces the earlier.
    """

    source: str
    key: str
    results: tuple[ReportedResult, ...]
    day_from: DayFrom = DayFrom.TEXT
    channel: str = ""
    posted: datetime | None = None
    edited: datetime | None = None

    @cached_property
    def version(self) -> str:
        """What is greater replaces: a later edit, then the reading that knows more people by their ids.

        A message that was edited in the millisecond in which it was posted is later than as it was posted.
        """
        if self.posted is None:
            return ""
        moment = int((self.edited or self.posted).timestamp() * 1000)
        n_ids = sum(result.person.is_id for result in self.results)
        said = sorted((result.person, result.guesses, result.hard, result.grid) for result in self.results)
        digest = blake2b(msgspec.json.encode(said), digest_size=8).hexdigest()
        return f"{moment:015d}.{int(self.edited is not None)}.{n_ids:06d}.{digest}"


@dataclass(frozen=True)
class Ignored:
    """Something that says no result, and why it was passed over."""

    where: str
    why: str


@dataclass(frozen=True)
class Unread:
    """Something that seems to say a result and could not be read."""

    where: str
    text: str
    why: str


@dataclass(frozen=True)
class Member:
    """Somebody in a Discord server, with the names of that day; "" for a name that is not set."""

    id: str
    nickname: str
    global_name: str
    account: str


Reading = Post | Ignored | Unread


def name_of(text: str) -> str | None:
    """Return the name that the text gives, or None where it gives none that can be kept."""
    name = text.strip().replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return name if 0 < len(name) <= MAX_NAME else None
