"""Reader for one Discord message: a daily summary by the Wordle app, or a share text by a player."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from wordpl.league import share_text, summaries
from wordpl.league.posts import (
    DISCORD,
    NO_NUMBER,
    UNFINISHED,
    DayFrom,
    Ignored,
    Person,
    Reading,
    ReportedResult,
    ResultPost,
    Unread,
)
from wordpl.league.puzzles import find_number, number_summarized_at

APP = "1211781489931452447"
"""The user id of the official Wordle app."""
FOR_ANOTHER = "a share for somebody else: only a host can import it"
_MENTION = re.compile(r"<@!?(\d{1,20})>")


@dataclass(frozen=True)
class DiscordUser:
    """A Discord user.

    Attributes:
        id: The user's id.
        shown: The name that others see in this server.
        account: The account name.
        is_bot: Whether this is a bot.
    """

    id: str
    shown: str
    account: str
    is_bot: bool = False


@dataclass(frozen=True)
class DiscordMessage:
    """The parts of a Discord message that results are read from.

    Attributes:
        id: The message's id.
        channel: The channel's id.
        posted: When it was posted.
        edited: When it was last edited; None if it never was.
        author: Who wrote it.
        content: Its text.
        mentions: The users it mentions.
        titles: The titles of its embeds.
        pictures: Returns the texts found in its pictures.
        known_names: The names of the server's members.
        is_vouched: Whether a host imports the message: a share for somebody else counts for the one it names.
    """

    id: str
    channel: str
    posted: datetime
    edited: datetime | None
    author: DiscordUser
    content: str
    mentions: tuple[DiscordUser, ...] = ()
    titles: tuple[str, ...] = ()
    pictures: Callable[[], Iterable[str]] = tuple
    known_names: frozenset[str] = frozenset()
    is_vouched: bool = False


def read(message: DiscordMessage) -> Iterator[Reading]:
    """Yield the post with the message's results, if it has any, and each part that could not be read.

    An edited message without results yields an empty post, which replaces the results it had before the edit.
    """
    readings = list(_read_summary(message) if message.author.id == APP else _read_shares(message))
    if message.edited and not any(isinstance(reading, ResultPost) for reading in readings):
        readings.append(_post(message, (), DayFrom.TEXT))
    yield from readings


def _read_summary(message: DiscordMessage) -> Iterator[Reading]:
    ids = _ids(message.mentions)
    summary = summaries.parse(message.content, {*ids, *message.known_names})
    if summary is None:
        yield _read_chatter(message, ids)
        return
    for line in summary.unread:
        yield Unread(message.id, line, "not a line of a summary")
    number, day_from = _number(message)
    if number_summarized_at(message.posted) < 0:
        yield Unread(message.id, message.content, "posted before the first puzzle")
    elif summary.scores:
        results = (
            ReportedResult(person if person.is_id else ids.get(person.key, person), number, guesses)
            for guesses, people in summary.scores
            for person in people
        )
        yield _post(message, tuple(results), day_from)


def _read_chatter(message: DiscordMessage, ids: dict[str, Person]) -> Reading:
    """Return a post with the games that the message says were started, or why the message is skipped."""
    if not message.content.strip():
        return Ignored(message.id, "without text")
    if not summaries.is_chatter(message.content):
        return Unread(message.id, message.content, "neither a summary nor chatter")
    people = summaries.who_was_playing(message.content)
    started = tuple(
        ReportedResult(person if person.is_id else ids.get(person.key, person), NO_NUMBER, UNFINISHED)
        for person in people
    )
    has_puzzle = number_summarized_at(message.posted) >= 0
    return _post(message, started, DayFrom.DATE) if started and has_puzzle else Ignored(message.id, "chatter")


def _ids(mentions: Iterable[DiscordUser]) -> dict[str, Person]:
    """Return the mentioned people by name, without names that two of them share."""
    ids_of: dict[str, set[str]] = {}
    for user in mentions:
        for name in {user.shown, user.account}:
            ids_of.setdefault(name, set()).add(user.id)
    return {name: Person(ids.pop(), True) for name, ids in ids_of.items() if len(ids) == 1}


def _number(message: DiscordMessage) -> tuple[int, DayFrom]:
    """Return the puzzle number in a title or a picture; without one, the day of the message decides."""
    for texts in (lambda: message.titles, message.pictures):
        for text in texts():
            number = find_number(text, message.posted)
            if number is not None:
                return number, DayFrom.PICTURE
    return NO_NUMBER, DayFrom.DATE


def _read_shares(message: DiscordMessage) -> Iterator[Reading]:
    shares = list(share_text.find(message.content))
    if share_text.is_near_miss(message.content):
        yield Unread(message.id, message.content, share_text.why_missed(message.content))
        return
    if not shares:
        yield Ignored(message.id, "not by the Wordle app, and no share text")
        return
    if message.author.is_bot:
        yield Ignored(message.id, "a share text by a bot, which played no game")
        return
    results = []
    own_names = frozenset([message.author.shown, message.author.account, f"<@{message.author.id}>"])
    for share in shares:
        is_own = share.name is None or share_text.is_own(share.name, own_names)
        fault = share.fault or share.game.fault_at(message.edited or message.posted)
        if fault := fault or ("" if is_own or message.is_vouched else FOR_ANOTHER):
            yield Unread(message.id, message.content, fault)
        else:
            person = Person(message.author.id, True) if is_own else _named(share.name or "", _ids(message.mentions))
            results.append(share.game.result(person))
    if results:
        yield _post(message, tuple(results), DayFrom.TEXT)


def _named(name: str, ids: dict[str, Person]) -> Person:
    """Return the person whom a share names, by a mention or by name."""
    mention = _MENTION.fullmatch(name)
    name = name.removeprefix("@")
    return Person(mention[1], True) if mention else ids.get(name, Person(name, False))


def _post(message: DiscordMessage, results: tuple[ReportedResult, ...], day_from: DayFrom) -> ResultPost:
    return ResultPost(DISCORD, message.id, results, day_from, message.channel, message.posted, message.edited)
