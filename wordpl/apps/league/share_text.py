"""Reader for Wordle's share text: puzzle number, number of guesses, a star for hard mode, and a grid of squares.

Around it may be what chats and people add: bold, code blocks, spoilers, invisible marks, comments, and headings that
apps put before copied messages. Whatever looks like a share is either read or named with the reason why it is not.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from wordpl.apps.league.player_names import bare_name
from wordpl.apps.league.posts import (
    TOO_LATE,
    UNSOLVED,
    Ignored,
    Person,
    Reading,
    ReportedResult,
    ResultPost,
    UnreadPost,
    clean_name,
)
from wordpl.core.clues import SQUARES
from wordpl.core.messages import amount
from wordpl.core.puzzles import SEPARATORS, is_too_late, parse_number

SOURCE = "share texts"
LENGTH = 5
NOT_A_SHARE = "not in the format that Wordle shares: Wordle 1,234 4/6"
"""Why a text that looks like a share was not read."""
QUOTED = "a quotation of a share, which may be somebody else's"
FORWARDED = "forwarded: it may be somebody else's"
STRUCK = "struck out"
NOBODY_HERE = "is nobody of this league: import with --person, if this is a player's name"
UNKNOWN_HEADING = "below the heading of a message that is not understood: it may be anybody's"
NO_PLAYER = "no player: use --player, or put a line like 'Name:' before it"
MAX_NAME_WORDS = 8
"""The maximum number of words in a name."""
_MARKUP = "*_~|`"
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_NUMBER = rf"\d[\d{SEPARATORS}\u066c]{{0,9}}"
_HEAD = re.compile(
    rf"(?<![^\W_])Wordle[ \t]{{1,9}}{_NUMBER}[ \t]{{1,9}}(?:🎉\s{{0,9}})?[\dXx]/\d"
    r"((?:\\?\*)*(?: \*(?=\s|$))?)(?!\d)"
)
_BROKEN = re.compile(
    rf"(?<![^\W_])(Wordle(?:[ \t]{{1,9}}{_NUMBER})?)[ \t]{{0,9}}\n[ \t]{{0,9}}"
    rf"(?=(?:{_NUMBER}[ \t]{{1,9}})?(?:\d|[Xx])/\d)"
)
"""A share with a line break after the word or the number."""
_STRUCK = re.compile(r"~~(?=\S).+?~~|(?<![~\w])~(?=\S)[^~\n]+~(?![~\w])", re.DOTALL)
_STRUCK_MARK = "\ue000"
_AND = re.compile(r"[\W_]*(?:and|und|et|y|e|og|och|en|i)?[\W_]*", re.IGNORECASE)
"""What may stand between two shares of one person."""
_NEAR_MISS = re.compile(r"wordle\W{0,5}\d[^\n]{0,40}\d?[0-9xX]\s*/\s*6", re.IGNORECASE)
_SQUARES = "".join(SQUARES)
_ROW = re.compile(
    rf"[ \t{_MARKUP}]{{0,9}}([{_SQUARES}]{{3,}})(?:[ \t|]{{0,9}}([A-Za-z]{{{LENGTH}}})(?![A-Za-z]))?[{_MARKUP}]{{0,9}}"
)
_SHORTCODE = re.compile(r":(?:large_)?(green|yellow|orange|blue|black|white)(?:_large)?_square:")
_SHORTCODES = {"green": "🟩", "yellow": "🟨", "orange": "🟧", "blue": "🟦", "black": "⬛", "white": "⬜"}
_COPIED = (
    re.compile(r"(.{1,100}?)\s+[—–]\s+(?:\S.{0,30}?)?\d{1,2}[:.]\d{2}.{0,8}"),  # Discord: NAME — Today at 09:15
    re.compile(
        r"(.{1,100}?), \[\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d{2}.{0,8}\]:?"
    ),  # Telegram: NAME, [DATE TIME]
)
_COPIED_TIME = re.compile(r"[—–]\s*(?:\S.{0,30}?)?\d{1,2}[:.]\d{2}.{0,8}")
_DATED = re.compile(r"\W{0,3}\d{1,4}\D{1,3}\d{1,2}\D{1,3}\d{1,4}\D{1,24}?\d{1,2} ?[:.h] ?\d{2}")
"""The start of a heading with a date and a time, which is no name."""
_COMPACT = re.compile(r"\[\d{1,2}[:.]\d{2}(?:\s?[AaPp][Mm])?\]\s*")
_GAME = r"\W{0,4}((?:Daily |The )?[^\W\d][\w'’.]{2,20}(?: [A-Z]\w{1,20})?)"
_FOREIGN = (
    re.compile(
        rf"{_GAME}[: ]{{0,3}}(?:#|№|n°|No\.? ?)?\d[\d,.]{{0,6}}\b.{{0,30}}?[\dXx]{{1,2}}(?:&[\dXx])?/\d{{1,2}}\b"
    ),
    re.compile(rf"{_GAME}[: ]{{0,3}}(?:Puzzle )?(?:#|№|n°)\d[\d,.]{{0,6}}(?!\s*\w)"),
    re.compile(r"(Daily [A-Z]\w{2,20}|[A-Z]\w{1,18}rdle|[A-Z]\w{1,18}dle) \d{1,5}\b"),
)
"""Results of other games: Worldle #123 4/6, Daily Dordle 123 5&6/7, Framed #123, Daily Quordle 456."""
_WORDLE = re.compile(r"\bwordle\b", re.IGNORECASE)
_CONNECTIONS = re.compile(r"(\w{3,20})\nPuzzle #\d", re.MULTILINE)
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
_PARTICLES = frozenset(
    ["al", "bin", "da", "das", "de", "del", "der", "di", "do", "dos", "du", "el", "la", "le", "of", "ten", "ter", "van"]
) | {"von", "y", "zu"}
"""Words of names that begin with a small letter."""
_TIMES = frozenset(
    ["morning", "evening", "today", "tonight", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday"]
) | {
    *("saturday", "sunday", "heute", "gestern", "endlich", "geschafft", "puh", "guten", "morgen", "hoy", "ayer", "por"),
    *("aujourd'hui", "hier", "enfin", "bonjour", "oggi", "ieri", "finalmente", "vandaag", "gisteren", "idag", "good"),
}
"""First words of comments in capitals that are no names."""
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

    def named_player(self, own_names: frozenset[str], is_person: Callable[[str], bool]) -> str | None:
        """Return whom the share names instead of the message's author, None if it is the author's own.

        A comment is no name, unless a person of the league has it or is named in it.

        Args:
            own_names: The author's names.
            is_person: Whether a person of the league has a name.

        >>> share = next(find("Coffee first:\\nWordle 1,234 3/6"))
        >>> share.named_player(frozenset(), lambda name: False), share.named_player(frozenset(), lambda name: True)
        (None, 'Coffee first')
        """
        if self.author and not self.before.endswith(":"):
            return None if is_own(self.author, own_names) else clean_name(self.author)
        if not self.before.endswith(":"):
            return None
        line = _bare(self.before).removesuffix(":").strip()
        if is_own(line, own_names):
            return None
        words = [word.strip(",.!?()") for word in line.split()]
        parts = (" ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(len(words), i + 4) + 1))
        names_a_person = is_person(line) or any(is_person(part) and not is_own(part, own_names) for part in parts)
        return clean_name(line) if names_a_person or _reads_like_a_name(line) else None


class ForeignGame(NamedTuple):
    """A result of another game.

    Attributes:
        line: The line.
        name: The name of the game.
    """

    line: str
    name: str

    @property
    def why(self) -> str:
        """Why it is not read."""
        return f"another game: {self.name}"


class MissedShare(NamedTuple):
    """What looks like a share and is not read.

    Attributes:
        line: The line.
        why: The reason.
    """

    line: str
    why: str


def normalized(text: str) -> str:
    """Return the text without invisible marks, with ordinary blanks, and with squares instead of their names.

    >>> normalized("\u200e:green_square:\u2068x\u2069\u00a0y")
    '🟩x y'
    """
    text = _BLANKS.sub(" ", _INVISIBLE.sub("", text)).replace("\ufe0f", "").replace(_STRUCK_MARK, "\ufffd")
    return _SHORTCODE.sub(lambda match: _SHORTCODES[match[1]], text)


def find(text: str) -> Iterator[FoundShare]:
    """Yield each share in the text that is read; see `scan`.

    >>> [found.game.number for found in find("Wordle 1,234 X/6*")]
    [1234]
    >>> [found.name for found in find("Ann — Today at 09:15\\n**Wordle 1,234 3/6**")]
    ['Ann']
    """
    return (found for found in scan(text) if isinstance(found, FoundShare))


def foreign_games(text: str) -> Iterator[ForeignGame]:
    """Yield the results of other games in the text.

    >>> [game.name for game in foreign_games("Worldle #123 4/6 (100%)\\nDaily Quordle 456\\nWordle 1,234 4/6\\nat 4/6")]
    ['Worldle', 'Daily Quordle']
    """
    text = normalized(text)
    for named in _CONNECTIONS.finditer(text):
        yield ForeignGame(named[0], named[1])
    for line in text.split("\n"):
        found = next(filter(None, (pattern.match(_bare(line)) for pattern in _FOREIGN)), None)
        if found and not _WORDLE.search(line) and found[1].casefold() != "puzzle":
            yield ForeignGame(line.strip(), found[1])


def scan(text: str) -> Iterator[FoundShare | MissedShare]:
    """Yield each share in the text, and what looks like one, in order.

    A share begins at the start of a line, after a name and a colon, or after another share. In a quotation, and after
    other words on its line, it may be somebody else's.
    """
    if "wordle" not in text.casefold():
        return
    text = _BROKEN.sub(r"\1 ", normalized(text))
    lines = _STRUCK.sub(lambda struck: struck[0].replace("Wordle", f"{_STRUCK_MARK}Wordle"), text).split("\n")
    before, author, fault, index = "", "", "", 0
    while index < len(lines):
        line, index = lines[index], index + 1
        heads = [head for head in _HEAD.finditer(line) if _numbers_in(head)]
        if heads and not _is_quoted(line):
            found, index = _shares_on(line, heads, lines, index, before)
            for share in found:
                if isinstance(share, FoundShare):
                    share = share._replace(author=author, fault=share.fault or fault)
                yield share
            before = ""
            continue
        if _NEAR_MISS.search(line):
            yield MissedShare(line.strip(), QUOTED if _is_quoted(line) else NOT_A_SHARE)
            before = ""
            continue
        line = line.strip()
        copied = next((match for pattern in _COPIED if (match := pattern.fullmatch(line))), None)
        if copied or line in ("—", "–") or _COPIED_TIME.fullmatch(line):
            author = _bare(copied[1] if copied else before.removesuffix("APP").strip())
            before, fault = "", ""
        elif _FORWARDED.fullmatch(line):
            fault = FORWARDED
        elif _DATED.match(line):
            before, author, fault = "", "", UNKNOWN_HEADING
        else:
            before = _bare(line) or before


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _numbers_in(head: re.Match[str]) -> tuple[int, int] | None:
    """Return the puzzle and the guesses of a share's first line, None if they are none; digits may be of any script."""
    written = "".join(map(_digit, head[0][6:])).replace("\u066c", ",")
    found = re.match(r"\s*(.*?)\s+(?:🎉\s*)?([1-6Xx])/6", written)
    number = parse_number(found[1]) if found else None
    return None if found is None or number is None else (number, UNSOLVED if found[2] in "Xx" else int(found[2]))


def _digit(character: str) -> str:
    """Return a digit of any script as an ASCII digit, and other characters unchanged."""
    return character if character.isascii() or not character.isdecimal() else str(unicodedata.digit(character))


def _shares_on(
    line: str, heads: list[re.Match[str]], lines: list[str], after: int, before: str
) -> tuple[list[FoundShare | MissedShare], int]:
    """Return what the shares of a line say, and the index of the line after them and their squares.

    Args:
        line: The line.
        heads: Where shares begin on it.
        lines: All lines.
        after: The index of the next line.
        before: What stands before the line.
    """
    found: list[FoundShare | MissedShare] = []
    end, is_missed = 0, False
    for i, head in enumerate(heads):
        opening, is_last = line[end : head.start()], i + 1 == len(heads)
        rows, n_read = _rows_in(line[head.end() : None if is_last else heads[i + 1].start()])
        end = head.end() + n_read
        number, guesses = _numbers_in(head) or (0, 0)
        if is_last:
            further, after = _rows(lines, after, min(guesses, 6) - len(rows))
            rows += further
        name = _COMPACT.sub("", _bare(opening.replace(_STRUCK_MARK, "")))
        if name.endswith(":") and (not i or _reads_like_a_name(name.removesuffix(":"))):
            before, is_missed = name, False
        elif any(map(str.isalnum, name)) and not (i and _AND.fullmatch(name)):
            is_missed = True
        if is_missed or _DATED.match(name):
            why = UNKNOWN_HEADING if _DATED.match(name) else NOT_A_SHARE
            found.append(MissedShare(line.replace(_STRUCK_MARK, "").strip(), why))
        else:
            game = _share(number, guesses, opening.count("*") % 4, head[1].count("*"), rows)
            found.append(FoundShare(before, game, "", STRUCK if _STRUCK_MARK in opening else ""))
    return found, after


def _reads_like_a_name(text: str) -> bool:
    """Return whether a text may be the name of somebody: one word, or words that begin with capitals.

    >>> [_reads_like_a_name(text) for text in ("Bob", "Ana María de la Cruz", "田中", "Coffee first", "Day 3", "☕")]
    [True, True, True, False, False, False]
    """
    if parse_name_line(f"{text}:") is None:
        return False
    words = [word for word in (part.strip(",.!?()*_~|`\"'") for part in text.split()) if any(map(str.isalnum, word))]
    if not words or words[0].casefold() in _TIMES or (len(words) > 1 and any(word.isdecimal() for word in words)):
        return False
    return len(words) == 1 or all(not word[0].islower() or word in _PARTICLES for word in words)


def _bare(line: str) -> str:
    """Return a line without the marks of bold, italics, code and spoilers at its ends.

    >>> _bare("**Ann:** "), _bare("||x")
    ('Ann:', 'x')
    """
    return line.strip(f"{_MARKUP} \t\r\f\v")


def _rows_in(text: str) -> tuple[tuple[tuple[str, str], ...], int]:
    """Return the rows of squares at the start of a text, (squares, word) for each, and where they end."""
    rows, end = [], 0
    while row := _ROW.match(text, end):
        rows.append((row[1], (row[2] or "").lower()))
        end = row.end()
    return tuple(rows), end


def _rows(lines: list[str], start: int, n_needed: int) -> tuple[tuple[tuple[str, str], ...], int]:
    """Return the rows on these lines and the index of the line after them.

    Empty lines may stand before and between rows, but not after the last one that is needed.
    """
    rows: list[tuple[str, str]] = []
    index = after = start
    while index < len(lines):
        line = lines[index]
        if not _bare(line):
            if rows and len(rows) >= n_needed:
                break
        elif not _HEAD.search(line) and (found := _rows_in(line)[0]):
            rows += found
            after = index + 1
        else:
            break
        index += 1
    return tuple(rows), after


def _share(number: int, guesses: int, n_opening: int, n_stars: int, squares: tuple[tuple[str, str], ...]) -> SharedGame:
    """Return the game of a share that begins with this many stars, has others after it, and these rows of squares."""
    is_hard = n_stars - n_opening == 1 if n_stars >= n_opening else n_stars == 1  # bold may end after the grid
    if odd := next((row for row, _ in squares if len(row) != LENGTH), ""):
        fault = f"its grid has a row of {len(odd)} squares instead of {LENGTH}"
        return SharedGame(number, guesses, is_hard, (), fault)
    rows = tuple(("".join(SQUARES[square] for square in row), word) for row, word in squares)
    return SharedGame(number, guesses, is_hard, rows, _fault(guesses, rows))


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
    shares = list(scan(text))
    yield from (Ignored("a line", game.why) for game in foreign_games(text) if shares)
    for found in shares:
        if isinstance(found, MissedShare):
            yield UnreadPost("a line", found.line, found.why)
            continue
        where, name = f"Wordle {found.game.number}", found.name or player
        if name is None:
            yield UnreadPost(where, found.before, NO_PLAYER)
        elif fault := found.fault or found.game.fault_at(today):
            yield UnreadPost(where, f"{name}: {found.game.grid}", fault)
        else:
            yield ResultPost(SOURCE, SOURCE, (found.game.result(Person(name, False)),))


def parse_name_line(line: str) -> str | None:
    """Return the name in a line `Name:`, or None if the line reads like a sentence.

    >>> [parse_name_line(line) for line in ("Doris Day:", "Look at my score:", "Finally:")]
    ['Doris Day', None, None]
    """
    words = _bare(line).removesuffix(":").split()
    if _DATED.match(_bare(line)):
        return None
    plain = [word.casefold().replace("\u2019", "'").strip(",.!") for word in words]
    if len(words) == 1 and plain[0] in _INTERJECTIONS:
        return None
    is_sentence = len(words) > 1 and (_STRONG_WORDS & set(plain) or sum(word in _WEAK_WORDS for word in plain) > 1)
    return None if is_sentence or len(words) > MAX_NAME_WORDS else clean_name(_bare(" ".join(words)))


def is_own(name: str, own_names: frozenset[str]) -> bool:
    """Return whether a name before a share is one of the poster's own, ignoring case and decoration."""
    return bare_name(name.removeprefix("@")) in {bare_name(own) for own in own_names}
