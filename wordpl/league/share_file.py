"""Files of pasted share texts."""

from collections.abc import Iterator
from datetime import datetime

from wordpl.league import share_text
from wordpl.league.posts import TOO_LATE, Person, Post, Reading, ReportedResult, Unread, name_of
from wordpl.league.puzzles import is_too_late

SOURCE = "share texts"


MAX_WORDS = 4
_SENTENCE = frozenset(
    ["a", "all", "at", "day", "for", "got", "guess", "guesses", "here", "i", "is", "it", "look", "me", "mine", "my"]
) | {"on", "our", "result", "results", "score", "scores", "the", "this", "to", "today", "today's", "was", "we", "you"}
"""Words that a line with a colon has where it is no name."""


def read(text: str, player: str | None, today: datetime) -> Iterator[Reading]:
    """Yield what the texts say.

    The name is on a line of its own, `Player One:`, or before the share on its first line.

    Args:
        text: The file.
        player: Whose shares they are, where no name and colon stand before one.
        today: When it is read; later puzzles are refused.
    """
    for before, share in share_text.find(text):
        where = f"Wordle {share.number}"
        name = name_before(before) if before.endswith(":") else player
        if name is None:
            yield Unread(where, before, "whose? Say --player, or put a line like 'Name:' before it")
        elif fault := share.fault or (TOO_LATE if is_too_late(share.number, today) else ""):
            yield Unread(where, f"{name}: {share.grid}", fault)
        else:
            result = ReportedResult(Person(name, False), share.number, share.guesses, share.hard, share.grid)
            yield Post(SOURCE, SOURCE, (result,))
    for line in text.splitlines():
        if share_text.is_near_miss(line):
            yield Unread("a line", line, "not in the form that Wordle shares: Wordle 1,234 4/6")


def name_before(line: str) -> str | None:
    """Return the name that a line `Name:` gives, None where it reads like a sentence.

    >>> name_before("Player One:"), name_before("Look at my score:")
    ('Player One', None)
    """
    words = line.removesuffix(":").split()
    is_sentence = len(words) > MAX_WORDS or (len(words) > 1 and {word.casefold() for word in words} & _SENTENCE)
    return None if is_sentence else name_of(" ".join(words))
