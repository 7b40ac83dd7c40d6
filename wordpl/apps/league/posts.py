"""Records that the readers of messages and files produce: people, results, and the posts that report them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import msgspec

UNSOLVED = 7
"""The number of guesses that represents X, an unsolved puzzle."""
UNFINISHED = 0
"""The number of guesses that represents a game which was started and has no result yet."""
MAX_NAME = 100
DISCORD = "discord"
"""The source of posts that are messages of a Discord channel."""
NO_NUMBER = -1
"""The puzzle number of results whose puzzle follows from the day on which a summary was posted."""
TOO_LATE = "the puzzle is later than the message that reports it"


class DayFrom(IntEnum):
    """Where a puzzle's number comes from; higher values are more reliable."""

    DATE = 0  # derived from the time at which the summary was posted
    PICTURE = 1  # read from the summary's picture or title, and plausible
    TEXT = 2  # written next to the result


class Person(NamedTuple):
    """A person as a source identifies them: by an id, which never changes, or by a name."""

    key: str
    is_id: bool


class ReportedResult(NamedTuple):
    """A person's result of a puzzle.

    Attributes:
        person: Who played.
        number: The puzzle number, or NO_NUMBER.
        guesses: 1 to 6, UNSOLVED or UNFINISHED.
        hard: Whether it was played in hard mode.
        grid: One line per guess: its clues, and its word if known; "" if the source shows no grid.
    """

    person: Person
    number: int
    guesses: int
    hard: bool = False
    grid: str = ""


class Sighting(NamedTuple):
    """A name that an id was seen with.

    Attributes:
        id: The id.
        name: The name.
        seen: When it was seen.
        shown: True if this is the name that others see, False if it is the account name.
    """

    id: str
    name: str
    seen: datetime
    shown: bool


@dataclass(frozen=True)
class ResultPost:
    """A message or file that reports results.

    Attributes:
        source: The kind of source, such as DISCORD.
        key: Identifies the post; unique among the posts of a league with the same source.
        results: The results.
        day_from: Where the puzzle number of the results comes from.
        channel: The id of the channel, if any.
        posted: When a message was posted. None for pooled results, which have no message of their own: a pool only
            grows, while a later version of a message replaces the earlier one.
        edited: When the message was last edited; None if it never was.
        wall_clock: When pooled results were posted, in local time of an unknown time zone (without tzinfo), if known.
    """

    source: str
    key: str
    results: tuple[ReportedResult, ...]
    day_from: DayFrom = DayFrom.TEXT
    channel: str = ""
    posted: datetime | None = None
    edited: datetime | None = None
    wall_clock: datetime | None = None

    @property
    def reported(self) -> datetime | None:
        """When this version of the post was written; a wall-clock time counts as UTC."""
        return self.wall_clock.replace(tzinfo=UTC) if self.wall_clock else self.edited or self.posted

    @cached_property
    def version(self) -> str:
        """A string that orders versions of the same post: a greater version replaces a smaller one.

        Later edits are greater; among equal times, the reading that identifies more people by id. A message edited in
        the millisecond in which it was posted is greater than the original.
        """
        if self.posted is None:
            return ""
        moment = int((self.edited or self.posted).timestamp() * 1000)
        n_ids = sum(result.person.is_id for result in self.results)
        content = sorted((result.person, result.guesses, result.hard, result.grid) for result in self.results)
        digest = blake2b(msgspec.json.encode(content), digest_size=8).hexdigest()
        return f"{moment:015d}.{int(self.edited is not None)}.{n_ids:06d}.{digest}"


@dataclass(frozen=True)
class Ignored:
    """A part of a source that reports no result, and why it was skipped."""

    where: str
    why: str


@dataclass(frozen=True)
class UnreadPost:
    """A part of a source that seems to report a result but could not be read, and why.

    Attributes:
        where: Where it is.
        text: What it says.
        why: The reason.
        name: The name that it gives the player, if the only doubt is whether that is a player.
    """

    where: str
    text: str
    why: str
    name: str = ""


class NotRead(NamedTuple):
    """A message of a channel of which a part could not be read.

    Attributes:
        message: The id of the message.
        author: The id of its author, "" if unknown.
        why: The reason.
        channel: The id of the channel.
    """

    message: int
    author: str
    why: str
    channel: str = ""


DISCORD_EPOCH_MS = 1_420_070_400_000


def sent_at(message: int) -> datetime:
    """Return when a message of Discord was sent, which its id tells."""
    return datetime.fromtimestamp(((message >> 22) + DISCORD_EPOCH_MS) / 1000, UTC)


def link(guild: str, part: NotRead) -> str:
    """Return the address of a message of a server."""
    return f"https://discord.com/channels/{guild}/{part.channel}/{part.message}"


@dataclass(frozen=True)
class DiscordUser:
    """A Discord user with their current names, "" for each name that is not set or not known.

    Attributes:
        id: The user's id.
        nickname: The name in a server.
        global_name: The name in servers where they have no nickname.
        account: The account name.
        is_bot: Whether this is a bot.
    """

    id: str
    nickname: str
    global_name: str
    account: str
    is_bot: bool = False

    @property
    def shown(self) -> str:
        """The name that others see."""
        return self.nickname or self.global_name or self.account

    @property
    def names(self) -> dict[str, bool]:
        """The names that are set, and whether others may see each: the account name only if it is the only one."""
        names = {self.account: False, self.global_name: True, self.shown: True}
        return {name: is_shown for name, is_shown in names.items() if name}

    def sightings(self, seen: datetime) -> list[Sighting]:
        """Return the names as seen at this time."""
        return [Sighting(self.id, name, seen, is_shown) for name, is_shown in self.names.items()]


Reading = ResultPost | Ignored | UnreadPost


def clean_name(text: str) -> str | None:
    """Return the text as a name that can be stored, or None if it is empty or longer than MAX_NAME."""
    name = text.strip().replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return name if 0 < len(name) <= MAX_NAME else None
