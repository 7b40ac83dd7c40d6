"""Reader for Wordle's share text: puzzle number, number of guesses, a star for hard mode, and a grid of squares.

Around it may be what chats and people add: bold, code blocks, spoilers, invisible marks, and headings that apps put
before copied messages.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from wordpl.core.clues import SQUARES
from wordpl.core.messages import amount
from wordpl.league.player_names import bare_name
from wordpl.league.posts import TOO_LATE, UNSOLVED, Person, Reading, ReportedResult, ResultPost, Unread, clean_name
from wordpl.league.puzzles import SEPARATORS, is_too_late, parse_number

SOURCE = "share texts"
LENGTH = 5
NOT_A_SHARE = "not in the format that Wordle shares: Wordle 1,234 4/6"
"""Why a text that looks like a share was not read."""
QUOTED = "a quotation of a share, which may be somebody else's"
FORWARDED = "forwarded: it may be somebody else's"
NO_PLAYER = "no player: use --player, or put a line like 'Name:' before it"
MAX_NAME_WORDS = 8
"""The maximum number of words in a name."""
_MARKUP = "*_~|`"
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_HEAD = re.compile(
    rf"Wordle\s+(\d[\d{SEPARATORS}]*)\s+(?:🎉\s*)?([1-6Xx])/6((?:\\?\*)*)(?!\d)",
    re.ASCII,
)
_NEAR_MISS = re.compile(r"wordle\W{0,5}\d[^\n]{0,40}\d?[0-9xX]\s*/\s*6", re.IGNORECASE)
_SQUARES = "".join(SQUARES)
_ROW = re.compile(rf"([{_SQUARES}]{{{LENGTH}}})[\s|]*([A-Za-z]{{{LENGTH}}})?")
_SQUARES_ONLY = re.compile(rf"[{_SQUARES}]{{3,}}")
_SHORTCODE = re.compile(r":(?:large_)?(green|yellow|orange|blue|black|white)(?:_large)?_square:")
_SHORTCODES = {"green": "🟩", "yellow": "🟨", "orange": "🟧", "blue": "🟦", "black": "⬛", "white": "⬜"}
_COPIED = (
    re.compile(r"(.{1,100}?)\s+[—–]\s+(?:\S.{0,30}?)?\d{1,2}[:.]\d{2}.{0,8}"),  # Discord: NAME — Today at 09:15
    re.compile(
        r"(.{1,100}?), \[\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d{2}.{0,8}\]:?"
    ),  # Telegram: NAME, [DATE TIME]
)
_COPIED_TIME = re.compile(r"[—–]\s*(?:\S.{0,30}?)?\d{1,2}[:.]\d{2}.{0,8}")
_COMPACT = re.compile(r"\[\d{1,2}[:.]\d{2}(?:\s?[AaPp][Mm])?\]\s*")
_FORWARDED = re.compile(r"\[?forwarded (?:from|message)\b.*", re.IGNORECASE)
_STRONG_WORDS = frozenset(
    ["got", "guess", "guesses", "guessed", "here", "here's", "i'm", "i've", "is", "it's", "look", "mine", "my", "our"]
) | {
    "result",
    "results",
    "score",
    "scores",
    "this",
    "today",
    "today's",
    "todays",
    "tries",
    "was",
    "wordle",
    "yesterday's",
}
"""Words which show that a line with a colon is a sentence, not a name, unless it is a single word."""
_WEAK_WORDS = frozenset(
    ["a", "all", "an", "and", "at", "day", "for", "from", "hard", "i", "if", "in", "it", "me", "not", "of", "on", "one"]
) | {"so", "that", "the", "to", "too", "we", "what", "with", "you", "your"}
"""Words which show the same if there are two of them; a name may have one: Doris Day, Son of Ann."""
_INTERJECTIONS = frozenset(
    ["argh", "damn", "easy", "finally", "lol", "lucky", "nice", "no", "ok", "omg", "oops", "phew", "so", "ugh", "well"]
) | {"wow", "yay", "yes", "mine", "me", "i"}


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


class FoundShare(NamedTuple):
    """A share in a text.

    Attributes:
        before: The line before it, or a name with a colon on its first line; "" if there is neither.
        game: The game.
        author: The author of a copied message, "" if the text does not contain one.
        fault: Why the share may not be the author's, "" if nothing speaks against it.
    """

    before: str
    game: SharedGame
    author: str = ""
    fault: str = ""

    @property
    def name(self) -> str | None:
        """The name that the text gives the share, None if it gives none."""
        named = parse_name_line(self.before) if self.before.endswith(":") else None
        return named or clean_name(self.author)


def normalized(text: str) -> str:
    """Return the text without invisible marks, and with squares instead of their names.

    >>> normalized("\u200e:green_square:\u2068x\u2069")
    '🟩x'
    """
    return _SHORTCODE.sub(lambda match: _SHORTCODES[match[1]], _INVISIBLE.sub("", text)).replace("\ufe0f", "")


def find(text: str) -> Iterator[FoundShare]:
    """Yield each share in the text.

    A share begins at the start of a line, or after a name and a colon. Lines that are quoted are skipped.

    >>> [found.game.number for found in find("Wordle 1,234 X/6*")]
    [1234]
    >>> [found.name for found in find("Ann — Today at 09:15\\n**Wordle 1,234 3/6**")]
    ['Ann']
    """
    lines = normalized(text).split("\n")
    before, author, fault, index = "", "", "", 0
    while index < len(lines):
        line = lines[index].strip()
        head = _HEAD.search(line)
        opening = line[: head.start()] if head else ""
        name = _COMPACT.sub("", _bare(opening))
        number = parse_number(head[1].strip()) if head else None
        if head and number is not None and (not name or name.endswith(":")):
            rows, odd, index = _rows(lines, index + 1)
            yield FoundShare(name or before, _share(head, number, rows, opening, odd), author, fault)
            before = ""
            continue
        copied = next((match for pattern in _COPIED if (match := pattern.fullmatch(line))), None)
        if copied or line in ("—", "–") or _COPIED_TIME.fullmatch(line):
            author = _bare(copied[1] if copied else before.removesuffix("APP").strip())
            before, fault = "", ""
        elif _FORWARDED.fullmatch(line):
            fault = FORWARDED
        else:
            before = _bare(line) or before
        index += 1


def is_near_miss(text: str) -> bool:
    """Return whether the text seems to share a result in a format that `find` does not recognize.

    >>> is_near_miss("Wordle #1234: 4 / 6"), is_near_miss("I like Wordle")
    (True, False)
    """
    return bool(_NEAR_MISS.search(normalized(text))) and not any(True for _ in find(text))


def why_missed(text: str) -> str:
    """Return why a near miss is not read."""
    missed = next((line for line in normalized(text).split("\n") if _NEAR_MISS.search(line)), "")
    return QUOTED if missed.lstrip().startswith(">") else NOT_A_SHARE


def _bare(line: str) -> str:
    """Return a line without the marks of bold, italics, code and spoilers at its ends.

    >>> _bare("**Ann:** "), _bare("||x")
    ('Ann:', 'x')
    """
    return line.strip().strip(_MARKUP).strip()


def _rows(lines: list[str], start: int) -> tuple[tuple[tuple[str, str], ...], str, int]:
    """Return the grid after this line or empty lines, a row in it with another length, and the next line's index."""
    first = start
    while first < len(lines) and not _bare(lines[first]):
        first += 1
    rows, odd, after = [], "", first
    while after < len(lines):
        line = _bare(lines[after])
        if row := _ROW.fullmatch(line):
            rows.append(("".join(SQUARES[square] for square in row[1]), (row[2] or "").lower()))
        elif _SQUARES_ONLY.fullmatch(line):
            odd = odd or line
        else:
            break
        after += 1
    return tuple(rows), odd, after if after > first else start


def _share(head: re.Match[str], number: int, rows: tuple[tuple[str, str], ...], opening: str, odd: str) -> SharedGame:
    guesses = UNSOLVED if head[2] in "Xx" else int(head[2])
    n_opening, n_stars = opening.count("*") % 4, head[3].count("*")
    is_hard = n_stars - n_opening == 1 if n_stars >= n_opening else n_stars == 1  # bold may end after the grid
    fault = f"its grid has a row of {len(odd)} squares instead of {LENGTH}" if odd else _fault(guesses, rows)
    return SharedGame(number, guesses, is_hard, rows, fault)


def _fault(guesses: int, rows: tuple[tuple[str, str], ...]) -> str:
    n_rows = min(guesses, 6)
    if rows and len(rows) != n_rows:
        return f"its grid has {amount(len(rows), 'row')} instead of {n_rows}"
    solved = [clues == "c" * LENGTH for clues, _ in rows]
    if rows and (any(solved[:-1]) or solved[-1] != (guesses != UNSOLVED)):
        return "its grid contradicts the number of guesses"
    return ""


def read(text: str, player: str | None, today: datetime) -> Iterator[Reading]:
    """Yield the results in share texts and what could not be read.

    The player's name is on a line of its own, `Player One:`, before the share on its first line, or in the heading of
    a copied message.

    Args:
        text: The content of the file.
        player: The player of shares without a name.
        today: When the file is read; results of later puzzles are refused.
    """
    for found in find(text):
        where, name = f"Wordle {found.game.number}", found.name or player
        if name is None:
            yield Unread(where, found.before, NO_PLAYER)
        elif fault := found.fault or found.game.fault_at(today):
            yield Unread(where, f"{name}: {found.game.grid}", fault)
        else:
            yield ResultPost(SOURCE, SOURCE, (found.game.result(Person(name, False)),))
    for line in text.splitlines():
        if is_near_miss(line):
            yield Unread("a line", line, why_missed(line))


def parse_name_line(line: str) -> str | None:
    """Return the name in a line `Name:`, or None if the line reads like a sentence.

    >>> [parse_name_line(line) for line in ("Doris Day:", "Look at my score:", "Finally:")]
    ['Doris Day', None, None]
    """
    words = _bare(line).removesuffix(":").split()
    plain = [word.casefold().replace("\u2019", "'").strip(",.!") for word in words]
    if len(words) == 1 and plain[0] in _INTERJECTIONS:
        return None
    is_sentence = len(words) > 1 and (_STRONG_WORDS & set(plain) or sum(word in _WEAK_WORDS for word in plain) > 1)
    return None if is_sentence or len(words) > MAX_NAME_WORDS else clean_name(_bare(" ".join(words)))


def is_own(name: str, own_names: frozenset[str]) -> bool:
    """Return whether a name before a share is one of the poster's own, ignoring case and decoration."""
    return bare_name(name.removeprefix("@")) in {bare_name(own) for own in own_names}
