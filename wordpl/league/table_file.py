"""Reader for CSV tables of results with a player, a puzzle (number or date) and the number of guesses."""

import csv
from collections.abc import Iterator
from datetime import date, datetime
from functools import lru_cache
from io import StringIO

from wordpl.league.posts import TOO_LATE, UNSOLVED, Person, Reading, ReportedResult, ResultPost, Unread, clean_name
from wordpl.league.puzzles import LAST_NUMBER, is_too_late, number_on, parse_number

SOURCE = "table"
COLUMNS = (("player", "name", "user"), ("puzzle", "day", "number", "date"), ("guesses", "score", "result"))
"""Accepted names of the three columns."""
BLOCK_ROWS = 20_000
GUESSES = {str(n): n for n in range(1, UNSOLVED + 1)} | {"X": UNSOLVED, "x": UNSOLVED}


def columns_of(text: str) -> tuple[str, tuple[int, int, int]] | None:
    """Return the delimiter and the positions of the three columns, or None unless the first line names all of them."""
    first = text.lstrip("\n").split("\n", 1)[0]
    for delimiter in ",;\t":
        heads = [head.strip().strip('"').lower() for head in first.split(delimiter)]
        player, puzzle, guesses = ([heads.index(name) for name in names if name in heads] for names in COLUMNS)
        if player and puzzle and guesses:
            return delimiter, (player[0], puzzle[0], guesses[0])
    return None


def read(text: str, today: datetime) -> Iterator[Reading]:
    """Yield the results of the table in blocks, and each row that could not be read.

    Args:
        text: The table. Guesses are 1 to 6, or 7 or X for an unsolved puzzle; `4/6` is accepted too.
        today: When it is read; results of later puzzles are refused.
    """
    delimiter, places = columns_of(text) or (",", (0, 1, 2))
    rows = _rows(StringIO(text.lstrip("\n"), newline=""), delimiter)
    next(rows)
    block: list[ReportedResult] = []
    for number, row in enumerate(rows, 2):
        result = _result(row, places)
        if result is not None and is_too_late(result.number, today):
            yield Unread(f"row {number}", delimiter.join(row)[:200], TOO_LATE)
        elif result is not None:
            block.append(result)
        elif row:
            yield Unread(f"row {number}", delimiter.join(row)[:200], "not a player, a puzzle and 1 to 6 guesses or X")
        if len(block) == BLOCK_ROWS:
            yield ResultPost(SOURCE, SOURCE, tuple(block))
            block.clear()
    if block:
        yield ResultPost(SOURCE, SOURCE, tuple(block))


def _rows(lines: StringIO, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        try:
            yield next(reader)
        except csv.Error as error:
            yield [f"({error})"]
        except StopIteration:
            return


def _result(row: list[str], places: tuple[int, int, int]) -> ReportedResult | None:
    if len(row) <= max(places):
        return None
    person, number = _person(row[places[0]]), _number(row[places[1]])
    guesses = GUESSES.get(row[places[2]]) or GUESSES.get(row[places[2]].strip().removesuffix("/6"))
    return None if person is None or number is None or guesses is None else ReportedResult(person, number, guesses)


@lru_cache(100_000)
def _person(text: str) -> Person | None:
    name = clean_name(text)
    return Person(name, False) if name else None


@lru_cache(100_000)
def _number(text: str) -> int | None:
    text = text.strip()
    try:
        number: int | None = number_on(date.fromisoformat(text))
    except ValueError:
        number = parse_number(text)
    return number if number is not None and 0 <= number <= LAST_NUMBER else None
