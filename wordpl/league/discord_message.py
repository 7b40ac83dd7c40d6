"""One Discord message, read: a summary by the Wordle app, or a share text by whoever wrote it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from wordpl.league import share_text, summaries
from wordpl.league.posts import (
    DISCORD,
    TOO_LATE,
    UNFINISHED,
    DayFrom,
    Ignored,
    Person,
    Post,
    Reading,
    ReportedResult,
    Unread,
)
from wordpl.league.puzzles import is_too_late, number_before, number_in

APP = "1211781489931452447"
"""The id under which the official Wordle app posts."""


@dataclass(frozen=True)
class User:
    """Somebody in Discord; shown: the name that others see in this guild, account: the account's own."""

    id: str
    shown: str
    account: str
    is_bot: bool = False


@dataclass(frozen=True)
class Message:
    """What is needed of a message.

    titles: those of its embeds. pictures: gives the texts read in its pictures. known_names: of the server's members.
    """

    id: str
    channel: str
    posted: datetime
    edited: datetime | None
    author: User
    content: str
    mentions: tuple[User, ...] = ()
    titles: tuple[str, ...] = ()
    pictures: Callable[[], Iterable[str]] = tuple
    known_names: frozenset[str] = frozenset()


def read(message: Message) -> Iterator[Reading]:
    """Yield what the message says: a post where it says results, and each part that could not be read.

    A message that was edited and says no result (any more) yields an empty post, which replaces what it said before.
    """
    found = list(_read_summary(message) if message.author.id == APP else _read_shares(message))
    if message.edited and not any(isinstance(one, Post) for one in found):
        found.append(_post(message, (), DayFrom.TEXT))
    yield from found


def _read_summary(message: Message) -> Iterator[Reading]:
    ids = _ids(message.mentions)
    summary = summaries.parse(message.content, {*ids, *message.known_names})
    if summary is None:
        yield _read_chatter(message, ids)
        return
    for line in summary.unread:
        yield Unread(message.id, line, "not a line of a summary")
    number, day_from = _number(message)
    if number < 0:
        yield Unread(message.id, message.content, "posted before there was a puzzle")
    elif summary.scores:
        results = (
            ReportedResult(person if person.is_id else ids.get(person.key, person), number, guesses)
            for guesses, people in summary.scores
            for person in people
        )
        yield _post(message, tuple(results), day_from)


def _read_chatter(message: Message, ids: dict[str, Person]) -> Reading:
    """Return who began a game, where the message says that they were playing; else why it is passed over."""
    if not message.content.strip():
        return Ignored(message.id, "without text")
    if not summaries.is_chatter(message.content):
        return Unread(message.id, message.content, "neither a summary nor chatter")
    people = summaries.who_was_playing(message.content)
    number = number_before(message.posted) + 1  # until the channel's next summary tells
    begun = tuple(
        ReportedResult(person if person.is_id else ids.get(person.key, person), number, UNFINISHED) for person in people
    )
    return _post(message, begun, DayFrom.DATE) if begun and number >= 0 else Ignored(message.id, "chatter")


def _ids(mentions: Iterable[User]) -> dict[str, Person]:
    """Return the people mentioned by the name in the text; names that two of them share are left to their ids."""
    found: dict[str, set[str]] = {}
    for user in mentions:
        for name in {user.shown, user.account}:
            found.setdefault(name, set()).add(user.id)
    return {name: Person(ids.pop(), True) for name, ids in found.items() if len(ids) == 1}


def _number(message: Message) -> tuple[int, DayFrom]:
    for texts in (lambda: message.titles, message.pictures):
        for text in texts():
            number = number_in(text, message.posted)
            if number is not None:
                return number, DayFrom.PICTURE
    return number_before(message.posted), DayFrom.DATE


def _read_shares(message: Message) -> Iterator[Reading]:
    shares = [share for before, share in share_text.find(message.content)]
    if share_text.is_near_miss(message.content):
        yield Unread(message.id, message.content, "not in the form that Wordle shares: Wordle 1,234 4/6")
        return
    if not shares:
        yield Ignored(message.id, "not by the Wordle app, and no share text")
        return
    if message.author.is_bot:
        yield Ignored(message.id, "a share text by a bot, which played none")
        return
    person = Person(message.author.id, True)
    results = []
    for share in shares:
        if fault := share.fault or (TOO_LATE if is_too_late(share.number, message.edited or message.posted) else ""):
            yield Unread(message.id, message.content, fault)
        else:
            results.append(ReportedResult(person, share.number, share.guesses, share.hard, share.grid))
    yield _post(message, tuple(results), DayFrom.TEXT)


def _post(message: Message, results: tuple[ReportedResult, ...], day_from: DayFrom) -> Post:
    return Post(DISCORD, message.id, results, day_from, message.channel, message.posted, message.edited)
