"""Reader for files of pasted share texts."""

from collections.abc import Iterator
from datetime import datetime

from wordpl.league import share_text
from wordpl.league.posts import TOO_LATE, Person, Reading, ReportedResult, ResultPost, Unread, clean_name
from wordpl.league.puzzles import is_too_late

SOURCE = "share texts"
MAX_WORDS = 4
"""Words in the longest name."""
_SENTENCE_WORDS = frozenset(
    ["a", "all", "at", "day", "for", "got", "guess", "guesses", "here", "i", "is", "it", "look", "me", "mine", "my"]
) | {"on", "our", "result", "results", "score", "scores", "the", "this", "to", "today", "today's", "was", "we", "you"}
"""Words which show that a line with a colon is a sentence, not a name."""


def read(text: str, player: str | None, today: datetime) -> Iterator[Reading]:
    """Yield the results in share texts and what could not be read.

    The player's name is on a line of its own, `Player One:`, or before the share on its first line.

    Args:
        text: The content of the file.
        player: The player of shares without a name.
        today: When the file is read; results of later puzzles are refused.
    """
    for before, share in share_text.find(text):
        where = f"Wordle {share.number}"
        name = parse_name_line(before) if before.endswith(":") else player
        if name is None:
            yield Unread(where, before, "no player: use --player, or put a line like 'Name:' before it")
        elif fault := share.fault or (TOO_LATE if is_too_late(share.number, today) else ""):
            yield Unread(where, f"{name}: {share.grid}", fault)
        else:
            result = ReportedResult(Person(name, False), share.number, share.guesses, share.hard, share.grid)
            yield ResultPost(SOURCE, SOURCE, (result,))
    for line in text.splitlines():
        if share_text.is_near_miss(line):
            yield Unread("a line", line, share_text.NOT_A_SHARE)


def parse_name_line(line: str) -> str | None:
    """Return the name in a line `Name:`, or None if the line reads like a sentence.

    >>> parse_name_line("Player One:"), parse_name_line("Look at my score:")
    ('Player One', None)
    """
    words = line.removesuffix(":").split()
    is_sentence = len(words) > MAX_WORDS or (len(words) > 1 and {word.casefold() for word in words} & _SENTENCE_WORDS)
    return None if is_sentence else clean_name(" ".join(words))
