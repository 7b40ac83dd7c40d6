"""The daily summary that the Wordle app posts to a channel, and the chatter it posts between.

The forms are those listed in the project's notes on messages: a header with the group's streak (bold or not, one fire
or three) or none, then a line for each score, the best one crowned; mentions by id or by name.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wordpl.league.posts import UNSOLVED, Person, name_of

_HEADER = re.compile(
    r"\**(?:Your group is on an? [\d,.]+ day streak!\**[\s\N{FIRE}]*)?(?:Here are yesterday['\u2019]s results:\**)?"
)
_SCORE = re.compile(r"(?:\N{CROWN}\s*|:crown:\s*)?([1-6Xx])/6:(.*)", re.DOTALL)
_STARTS = re.compile(r"<@!?(\d{1,20})>|(?:^|(?<= ))@")
_PLAYING = re.compile(r".+\b(?:is|are|was|were) playing\b(?: Wordle)?[.!\u2026]*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Summary:
    """What a summary says: (guesses, people) for each line of scores; and its lines that could not be read."""

    scores: tuple[tuple[int, tuple[Person, ...]], ...]
    unread: tuple[str, ...] = ()


def is_chatter(text: str) -> bool:
    """Return whether the text only says that somebody is, or was, playing."""
    text = text.strip()
    return bool(_PLAYING.fullmatch(text)) and "\n" not in text and not _begins_a_summary(text)


def parse(text: str, known: Collection[str] = ()) -> Summary | None:
    """Return what the summary says, None if the text is none.

    A score stands at the start of a line only, so that names may look like one. A name runs to the next ` @`, `<@` or
    the end of the line; known: names of people mentioned, which may hold ` @` themselves. A lone line that could as
    well say that somebody is playing is not read.

    >>> parse("5/6: <@17> @bones? @1/6: x").scores[0][1]
    (Person(key='17', is_id=True), Person(key='bones?', is_id=False), Person(key='1/6: x', is_id=False))
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not any(_begins_a_summary(line) for line in lines):
        return None
    known = sorted((name for name in known if "@" in name), key=len, reverse=True)
    scores, unread = [], []
    for line in lines:
        score = _SCORE.fullmatch(line)
        people = _people(score[2], known) if score else None
        if score and people and not (len(lines) == 1 and _PLAYING.fullmatch(line)):
            scores.append((UNSOLVED if score[1] in "Xx" else int(score[1]), people))
        elif score or not _HEADER.fullmatch(line):
            unread.append(line)
    return Summary(tuple(scores), tuple(unread))


def _begins_a_summary(line: str) -> bool:
    return bool(_SCORE.match(line) or (_HEADER.match(line) or [""])[0].strip("*"))


def _people(text: str, known: Sequence[str]) -> tuple[Person, ...] | None:
    """Return the people that a line names, None where any part of it names nobody."""
    starts = list(_STARTS.finditer(text))
    if not starts or text[: starts[0].start()].strip():
        return None
    people = []
    position = 0
    for start, later in zip(starts, [*(one.start() for one in starts[1:]), len(text)], strict=True):
        if start.start() < position:  # inside a known name
            continue
        name = None if start[1] else next((name for name in known if _is_named(name, text, start.end())), None)
        position = later if name is None else start.end() + len(name)
        rest = text[start.end() : later].strip() if name is None else name
        if (start[1] and rest) or (not start[1] and name_of(rest) is None):
            return None
        people.append(Person(start[1] or rest, bool(start[1])))
    return tuple(people)


def _is_named(name: str, text: str, at: int) -> bool:
    rest = text[at + len(name) :]
    return text.startswith(name, at) and (not rest.strip() or rest.startswith("<@") or bool(_STARTS.match(rest, 1)))
