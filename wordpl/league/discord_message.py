"""Reader for one Discord message: a daily summary by the Wordle app, or a share text by a player."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from wordpl.league import share_text, summaries
from wordpl.league.posts import (
    DISCORD,
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
    if number < 0:
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
    number = number_summarized_at(message.posted) + 1  # replaced when the channel's next summary is known
    started = tuple(
        ReportedResult(person if person.is_id else ids.get(person.key, person), number, UNFINISHED) for person in people
    )
    return _post(message, started, DayFrom.DATE) if started and number >= 0 else Ignored(message.id, "chatter")


def _ids(mentions: Iterable[DiscordUser]) -> dict[str, Person]:
    """Return the mentioned people by name, without names that two of them share."""
    ids_of: dict[str, set[str]] = {}
    for user in mentions:
        for name in {user.shown, user.account}:
            ids_of.setdefault(name, set()).add(user.id)
    return {name: Person(ids.pop(), True) for name, ids in ids_of.items() if len(ids) == 1}


def _number(message: DiscordMessage) -> tuple[int, DayFrom]:
    for texts in (lambda: message.titles, message.pictures):
        for text in texts():
            number = find_number(text, message.posted)
            if number is not None:
                return number, DayFrom.PICTURE
    return number_summarized_at(message.posted), DayFrom.DATE


def _read_shares(message: DiscordMessage) -> Iterator[Reading]:
    shares = [share for _, share in share_text.find(message.content)]
    if share_text.is_near_miss(message.content):
        yield Unread(message.id, message.content, share_text.NOT_A_SHARE)
        return
    if not shares:
        yield Ignored(message.id, "not by the Wordle app, and no share text")
        return
    if message.author.is_bot:
        yield Ignored(message.id, "a share text by a bot, which played no game")
        return
    person = Person(message.author.id, True)
    results = []
    for share in shares:
        if fault := share.fault_at(message.edited or message.posted):
            yield Unread(message.id, message.content, fault)
        else:
            results.append(share.result(person))
    yield _post(message, tuple(results), DayFrom.TEXT)


def _post(message: DiscordMessage, results: tuple[ReportedResult, ...], day_from: DayFrom) -> ResultPost:
    return ResultPost(DISCORD, message.id, results, day_from, message.channel, message.posted, message.edited)
