"""Reader for CSV tables of results: a player, a puzzle (number or date) and guesses, or a column for each player."""

import calendar
import csv
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import lru_cache
from io import StringIO
from typing import NamedTuple

from wordpl.apps.league.posts import (
    TOO_LATE,
    UNSOLVED,
    Person,
    Reading,
    ReportedResult,
    ResultPost,
    UnreadPost,
    clean_name,
)
from wordpl.apps.league.sources import OpenedSource, SourceFile, SourceKind
from wordpl.core.messages import UserError
from wordpl.core.puzzles import LAST_NUMBER, is_too_late, number_on, parse_number

TABLE = "table"
COLUMNS = (
    ("player", "name", "user"),
    ("puzzle", "day", "number", "date", "wordle"),
    ("guesses", "score", "result"),
)
"""Accepted names of the three columns."""
BLOCK_ROWS = 20_000
MAX_HEAD, MAX_UNREAD = 100_000, 100_000
"""The maximum number of characters of the first line, and of rows that cannot be read."""
GUESSES = {str(n): n for n in range(1, UNSOLVED + 1)} | {"X": UNSOLVED, "x": UNSOLVED}
NO_RESULT = "not a player, a puzzle and 1 to 6 guesses or X"
AMBIGUOUS = "ambiguous"
DOTTED = " %d/%m/%Y"
"""The order of dates with dots, which is no evidence for others."""
_GUESSES = re.compile(r"([1-7Xx])(?:\.0)?(?:\s*/\s*6)?(\*?)")
_NUMERIC_DATE = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})", re.ASCII)


class _Layout(NamedTuple):
    """Where a table has its values.

    Attributes:
        delimiter: The character between two columns.
        puzzle: The position of the column with the puzzle.
        player: The position of the column with the player; None if each player has a column.
        guesses: The position of the column with the guesses, if `player` is one.
        players: The position and the name of each player's column otherwise.
    """

    delimiter: str
    puzzle: int
    player: int | None = None
    guesses: int = 0
    players: tuple[tuple[int, str], ...] = ()


def open_table(file: SourceFile) -> OpenedSource | None:
    """Open a table whose first line names its columns.

    Guesses are 1 to 6, or 7 or X for an unsolved puzzle; `4/6` and `4/6*` are accepted too.
    """
    layout = _layout_of(file.decoded)
    if layout is None:
        return None
    readings = ([reading] for reading in _readings(file.decoded, layout, file.options.today))
    return OpenedSource(readings, post_keys=lambda: [(TABLE, TABLE)])


def _layout_of(text: str) -> _Layout | None:
    """Return the layout of a table, or None unless its first line names the columns.

    The columns are a player, a puzzle and the guesses, or a puzzle and one column for each player.
    """
    first = text[:MAX_HEAD].lstrip("\n").split("\n", 1)[0]
    for delimiter in ",;\t":
        written = [head.strip().strip('"') for head in first.split(delimiter)]
        heads = [head.lower() for head in written]
        player, puzzle, guesses = ([heads.index(name) for name in names if name in heads] for names in COLUMNS)
        if player and puzzle and guesses:
            return _Layout(delimiter, puzzle[0], player[0], guesses[0])
        if puzzle and len(heads) > 1 and not player and not guesses:
            names = ((i, clean_name(name)) for i, name in enumerate(written) if i != puzzle[0])
            return _Layout(delimiter, puzzle[0], players=tuple((i, name) for i, name in names if name))
    return None


def _readings(text: str, layout: _Layout, today: datetime) -> Iterator[Reading]:
    """Yield the results of the table in blocks, and each row that could not be read."""
    text = text.lstrip("\n")
    order = _date_order(row[layout.puzzle] for row in _rows(text, layout.delimiter) if len(row) > layout.puzzle)
    rows = _rows(text, layout.delimiter)
    next(rows)
    block: list[ReportedResult] = []
    n_unread = 0
    for number, row in enumerate(rows, 2):
        for result in _results(row, layout, order):
            if isinstance(result, str) or is_too_late(result.number, today):
                why = result if isinstance(result, str) else TOO_LATE
                n_unread += 1
                if n_unread > MAX_UNREAD:
                    raise UserError(f"more than {MAX_UNREAD:,} rows cannot be read; row {number}: {why}.")
                yield UnreadPost(f"row {number}", layout.delimiter.join(row)[:200], why)
            else:
                block.append(result)
        if len(block) >= BLOCK_ROWS:
            yield ResultPost(TABLE, TABLE, tuple(block))
            block.clear()
    if block:
        yield ResultPost(TABLE, TABLE, tuple(block))


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            yield next(reader)
        except csv.Error as error:
            yield [f"({error})"]
        except StopIteration:
            return


def _results(row: list[str], layout: _Layout, order: str) -> Iterator[ReportedResult | str]:
    """Yield the results of a row, or why they cannot be read; an empty cell of a player is no result."""
    if not any(row):
        if row and layout.player is not None:
            yield NO_RESULT
        return
    if layout.player is not None:
        cells = [(row[layout.player], row[layout.guesses])] if len(row) > max(layout.player, layout.guesses) else []
        if not cells:
            yield NO_RESULT
    else:
        cells = [(name, row[place]) for place, name in layout.players if place < len(row) and row[place].strip(" -–")]
    puzzle = row[layout.puzzle] if len(row) > layout.puzzle else ""
    for player, guesses in cells:
        person, number, shared = _person(player), _number(puzzle, order), _guesses(guesses)
        if number is None and order == AMBIGUOUS and (numeric := _NUMERIC_DATE.fullmatch(puzzle.strip())):
            yield _ambiguous(numeric)
        elif person is None or number is None or shared is None:
            yield NO_RESULT
        else:
            yield ReportedResult(person, number, *shared)


@lru_cache(1_000)
def _guesses(text: str) -> tuple[int, bool] | None:
    """Return the guesses and whether they were made in hard mode, or None if the text is not a result."""
    cell = _GUESSES.fullmatch(text.strip())
    return (GUESSES[cell[1]], bool(cell[2])) if cell else None


@lru_cache(100_000)
def _person(text: str) -> Person | None:
    name = clean_name(text)
    return Person(name, False) if name else None


def _ambiguous(numeric: re.Match[str]) -> str:
    a, b = (calendar.month_name[int(numeric[group])] for group in (1, 2))
    return f"{numeric[0]} may be in {a} or in {b}, and the table's other dates do not tell: write it like 2025-10-03"


def _date_order(texts: Iterable[str]) -> str:
    """Return the order of day and month in dates like 10/3/2025, AMBIGUOUS if others fit both or contradict each other.

    Dates with dots say nothing of those with slashes.
    """
    orders = {_own_order(match) for text in set(texts) if (match := _NUMERIC_DATE.fullmatch(text.strip()))}
    orders -= {AMBIGUOUS, DOTTED}
    return orders.pop() if len(orders) == 1 else AMBIGUOUS


def _own_order(numeric: re.Match[str]) -> str:
    """Return the order of day and month that follows from a date alone."""
    if "." in numeric[0]:
        return DOTTED
    return "%d/%m/%Y" if int(numeric[1]) > 12 else "%m/%d/%Y" if int(numeric[2]) > 12 else AMBIGUOUS


@lru_cache(100_000)
def _number(text: str, order: str) -> int | None:
    text = text.strip()
    numeric = _NUMERIC_DATE.fullmatch(text)
    try:
        if numeric:
            own = _own_order(numeric)
            year = numeric[3] if len(numeric[3]) == 4 else f"20{numeric[3]}"
            written = f"{numeric[1]}/{numeric[2]}/{year}"
            number: int | None = number_on(
                datetime.strptime(written, order if own == AMBIGUOUS else own.strip()).date()
            )
        else:
            number = number_on(date.fromisoformat(text))
    except ValueError:
        number = parse_number(text.removeprefix("#").removeprefix("Wordle ").removesuffix(".0"))
    return number if number is not None and 0 <= number <= LAST_NUMBER else None


SOURCES = [SourceKind("a table with player, puzzle and guesses", 30, open_table)]
