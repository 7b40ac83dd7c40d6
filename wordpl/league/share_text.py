"""Reader for Wordle's share text: puzzle number, number of guesses, a star for hard mode, and a grid of squares."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from wordpl.core.clues import SQUARES
from wordpl.core.messages import amount
from wordpl.league.posts import TOO_LATE, UNSOLVED, Person, Reading, ReportedResult, ResultPost, Unread, clean_name
from wordpl.league.puzzles import SEPARATORS, is_too_late, parse_number

LENGTH = 5
NOT_A_SHARE = "not in the format that Wordle shares: Wordle 1,234 4/6"
"""Why a text that looks like a share was not read."""
_HEAD = re.compile(rf"Wordle\s+(\d[\d{SEPARATORS}]*)\s+(?:🎉\s*)?([1-6Xx])/6(\*?)(?!\d)", re.ASCII)
_NEAR_MISS = re.compile(r"wordle\W{0,5}\d[^\n]{0,40}\d?[0-9xX]\s*/\s*6", re.IGNORECASE)
_ROW = re.compile(rf"([{''.join(SQUARES)}]{{{LENGTH}}})\s*(?:\|\|)?\s*([A-Za-z]{{{LENGTH}}})?\s*(?:\|\|)?\s*")
SOURCE = "share texts"
MAX_NAME_WORDS = 4
"""The maximum number of words in a name."""
_SENTENCE_WORDS = frozenset(
    ["a", "all", "at", "day", "for", "got", "guess", "guesses", "here", "i", "is", "it", "look", "me", "mine", "my"]
) | {"on", "our", "result", "results", "score", "scores", "the", "this", "to", "today", "today's", "was", "we", "you"}
"""Words which show that a line with a colon is a sentence, not a name."""


@dataclass(frozen=True)
class SharedGame:
    """A game from a share text.

    Attributes:
        number: The puzzle number.
        guesses: The number of guesses, 7 for X.
        hard: Whether it was played in hard mode.
        rows: (clues, word) of each guess, with "" for a word that is not given; empty without a grid.
        fault: What is inconsistent in the share, "" if nothing is.
    """

    number: int
    guesses: int
    hard: bool
    rows: tuple[tuple[str, str], ...] = ()
    fault: str = ""

    @property
    def grid(self) -> str:
        """The rows as they are stored, one line each."""
        return "\n".join(f"{clues} {word}".strip() for clues, word in self.rows)

    def result(self, person: Person) -> ReportedResult:
        """Return the game as the result of this person."""
        return ReportedResult(person, self.number, self.guesses, self.hard, self.grid)

    def fault_at(self, reported: datetime) -> str:
        """Return why the share does not count if it is reported at this time, "" if it counts."""
        return self.fault or (TOO_LATE if is_too_late(self.number, reported) else "")


def find(text: str) -> Iterator[tuple[str, SharedGame]]:
    """Yield each share in the text with the line before it, "" if there is none or it belongs to another share.

    A share begins at the start of a line, or after a name and a colon; then these are yielded as the line before it.

    >>> [share.number for _, share in find("Wordle 1,234 X/6*")]
    [1234]
    """
    lines = text.split("\n")
    before, index = "", 0
    while index < len(lines):
        head = _HEAD.search(lines[index])
        name = lines[index][: head.start()].strip() if head else ""
        number = parse_number(head[1].strip()) if head else None
        if head and number is not None and (not name or name.endswith(":")):
            rows, index = _rows(lines, index + 1)
            yield name or before, _share(head, number, rows)
            before = ""
        else:
            before, index = lines[index].strip() or before, index + 1


def is_near_miss(text: str) -> bool:
    """Return whether the text seems to share a result in a format that `find` does not recognize.

    >>> is_near_miss("Wordle #1234: 4 / 6"), is_near_miss("I like Wordle")
    (True, False)
    """
    return bool(_NEAR_MISS.search(text)) and not any(True for _ in find(text))


def _rows(lines: list[str], start: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """Return the grid that begins at this line or after empty lines, and the index of the line after it."""
    first = start
    while first < len(lines) and not lines[first].strip():
        first += 1
    rows, after = [], first
    while after < len(lines) and (row := _ROW.fullmatch(lines[after].replace("\ufe0f", "").strip())):
        rows.append(("".join(SQUARES[square] for square in row[1]), (row[2] or "").lower()))
        after += 1
    return tuple(rows), after if rows else start


def _share(head: re.Match[str], number: int, rows: tuple[tuple[str, str], ...]) -> SharedGame:
    guesses = UNSOLVED if head[2] in "Xx" else int(head[2])
    share = SharedGame(number, guesses, bool(head[3]), rows)
    return SharedGame(number, guesses, share.hard, rows, _fault(share))


def _fault(share: SharedGame) -> str:
    if not share.rows:
        return ""
    n_rows = min(share.guesses, 6)
    if len(share.rows) != n_rows:
        return f"its grid has {amount(len(share.rows), 'row')} instead of {n_rows}"
    solved = [clues == "c" * LENGTH for clues, _ in share.rows]
    if any(solved[:-1]) or solved[-1] != (share.guesses != UNSOLVED):
        return "its grid contradicts the number of guesses"
    return ""


def read(text: str, player: str | None, today: datetime) -> Iterator[Reading]:
    """Yield the results in share texts and what could not be read.

    The player's name is on a line of its own, `Player One:`, or before the share on its first line.

    Args:
        text: The content of the file.
        player: The player of shares without a name.
        today: When the file is read; results of later puzzles are refused.
    """
    for before, share in find(text):
        where = f"Wordle {share.number}"
        name = parse_name_line(before) if before.endswith(":") else player
        if name is None:
            yield Unread(where, before, "no player: use --player, or put a line like 'Name:' before it")
        elif fault := share.fault_at(today):
            yield Unread(where, f"{name}: {share.grid}", fault)
        else:
            yield ResultPost(SOURCE, SOURCE, (share.result(Person(name, False)),))
    for line in text.splitlines():
        if is_near_miss(line):
            yield Unread("a line", line, NOT_A_SHARE)


def parse_name_line(line: str) -> str | None:
    """Return the name in a line `Name:`, or None if the line reads like a sentence.

    >>> parse_name_line("Player One:"), parse_name_line("Look at my score:")
    ('Player One', None)
    """
    words = line.removesuffix(":").split()
    has_sentence_words = len(words) > 1 and {word.casefold() for word in words} & _SENTENCE_WORDS
    return None if has_sentence_words or len(words) > MAX_NAME_WORDS else clean_name(" ".join(words))
