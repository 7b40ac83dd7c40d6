"""Reads one Discord message.

It may be a daily summary by the Wordle app, a message about who is playing, or a share text by a player.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from wordpl.apps.league import posts, share_text
from wordpl.core.puzzles import find_number, number_summarized_at

_HEADER = re.compile(
    r"\**(?:Your group is on an? [\d,.]+ day streak!\**[\s\N{FIRE}]*)?"
    r"(?:Here are (?:yesterday|today)['\u2019]?s results:?\**)?",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(r"\d|[:\uff1a]\**$|\N{FIRE}")
_CROWN = r"(?:(?:\N{CROWN}|\N{TROPHY}|:crown:|:trophy:)\ufe0f?\s*)?"
_GUESSES = r"\**([1-6Xx])/6\*{0,3}\s?:\**"
_SCORE = re.compile(rf"\**{_CROWN}{_GUESSES}(.*)", re.DOTALL)
_INLINE_SCORE = re.compile(rf"(?:(?<=[\s>])|^)\**{_CROWN}{_GUESSES}(?=\s)")
_STARTS = re.compile(r"<@!?(\d{1,20})>|(?:^|(?<= ))@")
_PLAYING = re.compile(r"(.+?)\s+(is|are|was|were) playing\b(?: Wordle)?[.!\u2026]*", re.DOTALL | re.IGNORECASE)
_BARE_AT = re.compile(r"(?<!<)@")
_OTHERS = re.compile(r"(.+) and \d+ others?", re.DOTALL)
_ENDS_LIKE_SCORE = re.compile(r"(?:^|.*\s)[1-6Xx]/6\*{0,3}\s?:\**", re.DOTALL)


@dataclass(frozen=True)
class AppSummary:
    """The content of a summary.

    Attributes:
        scores: (guesses, people) for each score.
        unread: The lines that could not be read.
    """

    scores: tuple[tuple[int, tuple[posts.Person, ...]], ...]
    unread: tuple[str, ...] = ()


def is_chatter(text: str) -> bool:
    """Return whether the text only says that somebody is or was playing."""
    text = text.strip()
    return bool(_PLAYING.fullmatch(text)) and "\n" not in text and not _begins_a_summary(text)


def who_was_playing(text: str) -> tuple[posts.Person, ...]:
    """Return the people who, according to the text, were playing: those it names, and only if they have stopped.

    >>> who_was_playing("Ann was playing"), who_was_playing("Ann is playing")
    ((Person(key='Ann', is_id=False),), ())
    """
    sentence = _PLAYING.fullmatch(text.strip())
    if sentence is None or sentence[2].lower() not in ("was", "were"):
        return ()
    with_others = _OTHERS.fullmatch(sentence[1])
    names = (
        [sentence[1]]
        if sentence[2].lower() == "was"
        else [with_others[1]]
        if with_others
        else sentence[1].rsplit(" and ", 1)
    )
    return tuple(person for name in names if (person := _person(name)) is not None)


def _person(text: str) -> posts.Person | None:
    mention = _STARTS.fullmatch(text.strip())
    if mention and mention[1]:
        return posts.Person(mention[1], True)
    name = posts.clean_name(text.strip().removeprefix("@"))
    return posts.Person(name, False) if name else None


def parse(text: str, known: Collection[str] = ()) -> AppSummary | None:
    """Return the content of a summary, or None if the text is not a summary.

    A score is at the start of a line; a summary may also have all its scores on one line, fewest guesses first. A name
    ends at the next ` @`, at `<@` or at the end of the line. A line counts as unread if the text before a ` @` looks
    like a score and is not part of a known name. A single line that may also mean that somebody is playing counts as
    unread too.

    Args:
        text: The message.
        known: The names of mentioned people and of members; these may contain ` @` and scores.

    >>> parse("5/6: <@17> @bones? @1/6: x").scores[0][1]
    (Person(key='17', is_id=True), Person(key='bones?', is_id=False), Person(key='1/6: x', is_id=False))
    >>> [guesses for guesses, _ in parse("Here are yesterday's results: 2/6: <@1> 3/6: <@2> <@3>").scores]
    [2, 3]
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not any(_begins_a_summary(line) for line in lines):
        return None
    scores, unread = [], []
    split_lines = _split_scores(lines, known)
    names_nobody = not re.search("@|/6", split_lines[0])
    if len(lines) > 1 and names_nobody and _INTRODUCTION.search(split_lines[0]) and _SCORE.fullmatch(split_lines[1]):
        split_lines = split_lines[1:]  # a header, whose words depend on the group's language
    for line in split_lines:
        score = _SCORE.fullmatch(line)
        people = _people(score[2], known) if score else None
        if score and people and not (len(lines) == 1 and _PLAYING.fullmatch(line)):
            scores.append((posts.UNSOLVED if score[1] in "Xx" else int(score[1]), people))
        elif score or not _HEADER.fullmatch(line):
            unread.append(line)
    return AppSummary(tuple(scores), tuple(unread))


def _split_scores(lines: list[str], known_names: Collection[str]) -> list[str]:
    """Return the lines, with a single line of several scores split into one line for each.

    A line without a header is split only if it mentions people by id, since a name may contain what looks like a score.
    """
    header = _HEADER.match(lines[0])
    n_header = header.end() if header else 0
    starts = [
        match for match in _INLINE_SCORE.finditer(lines[0], n_header) if not _is_inside(match, lines[0], known_names)
    ]
    ranks = [posts.UNSOLVED if match[1] in "Xx" else int(match[1]) for match in starts]
    is_one_line = len(lines) == 1 and ranks == sorted(set(ranks)) and starts
    if not is_one_line or not (n_header or (len(starts) > 1 and not _BARE_AT.search(lines[0]))):
        return lines
    ends = [*(match.start() for match in starts[1:]), len(lines[0])]
    before = lines[0][: starts[0].start()].strip()
    parts = [lines[0][match.start() : end].strip() for match, end in zip(starts, ends, strict=True)]
    return ([before] if before else []) + parts


def _is_inside(score: re.Match[str], line: str, known_names: Collection[str]) -> bool:
    """Return whether a score is part of a known name in this line."""
    places = ((line.find(f"@{name}"), name) for name in known_names if "/6" in name)
    return any(0 <= position < score.start() < position + 1 + len(name) for position, name in places)


def _begins_a_summary(line: str) -> bool:
    return bool(_SCORE.match(line) or (_HEADER.match(line) or [""])[0].strip("*"))


def _people(text: str, known_names: Collection[str]) -> tuple[posts.Person, ...] | None:
    """Return the people that a line names, or None if any part of it is not a name."""
    starts = list(_STARTS.finditer(text))
    if not starts or text[: starts[0].start()].strip():
        return None
    people: list[posts.Person] = []
    holding_at = sorted((name for name in known_names if "@" in name), key=len, reverse=True)
    position = 0
    for start, end in zip(starts, [*(following.start() for following in starts[1:]), len(text)], strict=True):
        if start.start() < position:  # inside a known name
            continue
        if people and _is_doubtful(people[-1], known_names):
            return None
        name = None if start[1] else next((name for name in holding_at if _is_named(name, text, start.end())), None)
        position = end if name is None else start.end() + len(name)
        name_text = text[start.end() : end].strip() if name is None else name
        if (start[1] and name_text) or (not start[1] and posts.clean_name(name_text) is None):
            return None
        people.append(posts.Person(start[1] or name_text, bool(start[1])))
    return tuple(people)


def _is_doubtful(person: posts.Person, known_names: Collection[str]) -> bool:
    """Return whether an unknown name ends like a score, so that what follows may belong to the next score."""
    return not person.is_id and person.key not in known_names and bool(_ENDS_LIKE_SCORE.fullmatch(person.key))


def _is_named(name: str, text: str, position: int) -> bool:
    remaining = text[position + len(name) :]
    return text.startswith(name, position) and (
        not remaining.strip() or remaining.startswith("<@") or bool(_STARTS.match(remaining, 1))
    )


APP = "1211781489931452447"
"""The user id of the official Wordle app."""
FOR_ANOTHER = "a share for somebody else: only a host can import it"
_MENTION = re.compile(r"<@!?(\d{1,20})>")


@dataclass(frozen=True)
class DiscordMessage:
    """The parts of a Discord message that results are read from.

    Attributes:
        id: The message's id.
        channel: The channel's id.
        posted: When it was posted.
        edited: When it was last edited; None if it never was.
        author: Who wrote it.
        content: Its text; of the app, the texts of embeds and components are below it.
        mentions: The users it mentions.
        titles: The titles of its embeds.
        pictures: Returns the texts found in its pictures.
        known_names: The names of the server's members.
        is_person: Whether somebody of the league has a name.
        is_vouched: Whether a host imports the message: a share for somebody else counts for the one it names.
    """

    id: str
    channel: str
    posted: datetime
    edited: datetime | None
    author: posts.DiscordUser
    content: str
    mentions: tuple[posts.DiscordUser, ...] = ()
    titles: tuple[str, ...] = ()
    pictures: Callable[[], Iterable[str]] = tuple
    known_names: frozenset[str] = frozenset()
    is_person: Callable[[str], bool] = lambda name: False
    is_vouched: bool = False


def content_of(author: str, text: str | None, parts: Iterable[str | None]) -> str:
    """Return the content of a message; embeds and components of people show what others have written.

    Args:
        author: The id of the author.
        text: The text.
        parts: The texts of embeds and components.
    """
    return "\n".join(filter(None, [text, *(parts if author == APP else ())])).replace("\0", "\ufffd")


def read(message: DiscordMessage) -> Iterator[posts.Reading]:
    """Yield the post with the message's results, if it has any, and each part that could not be read.

    An edited message without results yields an empty post, which replaces the results it had before the edit.
    """
    readings = list(_read_summary(message) if message.author.id == APP else _read_shares(message))
    if message.edited and not any(isinstance(reading, posts.ResultPost) for reading in readings):
        readings.append(_post(message, (), posts.DayFrom.TEXT))
    yield from readings


def _read_summary(message: DiscordMessage) -> Iterator[posts.Reading]:
    ids = _ids(message.mentions)
    summary = parse(message.content, {*ids, *message.known_names})
    if summary is None:
        yield _read_chatter(message, ids)
        return
    for line in summary.unread:
        yield posts.UnreadPost(message.id, line, "not a line of a summary")
    number, day_from = _number(message)
    if number_summarized_at(message.posted) < 0:
        yield posts.UnreadPost(message.id, message.content, "posted before the first puzzle")
    elif summary.scores:
        results = [_result(person, ids, number, guesses) for guesses, people in summary.scores for person in people]
        yield _post(message, results, day_from)


def _read_chatter(message: DiscordMessage, ids: dict[str, posts.Person]) -> posts.Reading:
    """Return a post with the games that the message says were started, or why the message is skipped."""
    if not message.content.strip():
        return posts.Ignored(message.id, "without text")
    if not is_chatter(message.content):
        return posts.UnreadPost(message.id, message.content, "neither a summary nor chatter")
    started = [_result(person, ids, posts.NO_NUMBER, posts.UNFINISHED) for person in who_was_playing(message.content)]
    has_puzzle = number_summarized_at(message.posted) >= 0
    return (
        _post(message, started, posts.DayFrom.DATE) if started and has_puzzle else posts.Ignored(message.id, "chatter")
    )


def _result(person: posts.Person, ids: dict[str, posts.Person], number: int, guesses: int) -> posts.ReportedResult:
    return posts.ReportedResult(person if person.is_id else ids.get(person.key, person), number, guesses)


def _ids(mentions: Iterable[posts.DiscordUser]) -> dict[str, posts.Person]:
    """Return the mentioned people by name, without names that two of them share."""
    ids_of: dict[str, set[str]] = {}
    for user in mentions:
        for name in {user.shown, user.account}:
            ids_of.setdefault(name, set()).add(user.id)
    return {name: posts.Person(ids.pop(), True) for name, ids in ids_of.items() if len(ids) == 1}


def _number(message: DiscordMessage) -> tuple[int, posts.DayFrom]:
    """Return the puzzle number in a title or a picture; without one, the day of the message decides."""
    for texts in (lambda: message.titles, message.pictures):
        for text in texts():
            number = find_number(text, message.posted)
            if number is not None:
                return number, posts.DayFrom.PICTURE
    return posts.NO_NUMBER, posts.DayFrom.DATE


def _read_shares(message: DiscordMessage) -> Iterator[posts.Reading]:
    shares = list(share_text.scan(message.content))
    foreign = [game.why for game in share_text.foreign_games(message.content)]
    nothing = [] if shares else ["not by the Wordle app, and no share text"]
    yield from (posts.Ignored(message.id, why) for why in foreign or nothing)
    if not shares:
        return
    if message.author.is_bot:
        yield posts.Ignored(message.id, "a share text by a bot, which played no game")
        return
    results, ids = [], _ids(message.mentions)
    own_names = frozenset([message.author.shown, message.author.account, f"<@{message.author.id}>"])

    def is_person(name: str) -> bool:
        return bool(_MENTION.fullmatch(name)) or name.removeprefix("@") in ids or message.is_person(name)

    for share in shares:
        if isinstance(share, share_text.MissedShare):
            yield posts.UnreadPost(message.id, message.content, share.why)
            continue
        name = share.named_player(own_names, is_person)
        fault, doubtful = share.fault or share.game.fault_at(message.edited or message.posted), ""
        if name is not None and not fault and not message.is_vouched:
            fault = FOR_ANOTHER
        elif name is not None and not fault and not is_person(name):
            fault, doubtful = f"{name!r} {share_text.NOBODY_HERE}", name
        if fault:
            yield posts.UnreadPost(message.id, message.content, fault, doubtful)
        else:
            person = posts.Person(message.author.id, True) if name is None else _named(name, ids)
            results.append(share.game.result(person))
    if results:
        yield _post(message, results, posts.DayFrom.TEXT)


def _named(name: str, ids: dict[str, posts.Person]) -> posts.Person:
    """Return the person whom a share names, by a mention or by name."""
    mention = _MENTION.fullmatch(name)
    name = name.removeprefix("@")
    return posts.Person(mention[1], True) if mention else ids.get(name, posts.Person(name, False))


def _post(
    message: DiscordMessage, results: Iterable[posts.ReportedResult], day_from: posts.DayFrom
) -> posts.ResultPost:
    return posts.ResultPost(
        posts.DISCORD, message.id, tuple(results), day_from, message.channel, message.posted, message.edited
    )
