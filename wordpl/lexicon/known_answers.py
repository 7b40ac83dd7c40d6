"""Known answers, from the lists that come with the package and from a user's file of later answers."""

import csv
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from wordpl.core import bounded
from wordpl.core import words as lists
from wordpl.core.errors import UserError
from wordpl.lexicon.filters import check_subset

HEADER = ["date", "word"]
FIRST_PUZZLE = date(2021, 6, 19)
LAST_DATED = date(2022, 2, 14)
"""The last day on which puzzles followed the original order; after that, answers were edited."""


def read_later(path: Path) -> dict[str, date]:
    """Return the answers in a CSV file `date,word`, with the first day of each.

    Raises:
        UserError: The file cannot be read or has another format.
    """
    try:
        rows = list(csv.reader(bounded.read_text(bounded.WORD_LIST, path).splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the answers in {path}: {error}.") from None
    if not rows or rows[0] != HEADER:
        raise UserError(f"{path} should begin with the line {','.join(HEADER)}.")
    first_days: dict[str, date] = {}
    for number, row in enumerate(rows[1:], 2):
        day, word = _answer(row, f"{path}, line {number}")
        first_days[word] = min(day, first_days.get(word, day))
    return first_days


def _answer(row: list[str], where: str) -> tuple[date, str]:
    try:
        day, word = row
        when = date.fromisoformat(day)
    except ValueError:
        raise UserError(f"{where}: {','.join(row)[:40]!r} should be a day and a word, like 2026-01-31,crane.") from None
    if not (word.isascii() and word.isalpha() and word.islower()):
        raise UserError(f"{where}: {word[:30]!r} is not a word of lowercase letters a to z.")
    return when, word


def dated(later: dict[str, date]) -> dict[str, date]:
    """Return the dated answers: those of the original order up to LAST_DATED, and those of a file."""
    days = (LAST_DATED - FIRST_PUZZLE).days + 1
    original = lists.bundled("puzzle-order")[:days]
    return later | {word: FIRST_PUZZLE + timedelta(index) for index, word in enumerate(original)}


def all_known(guesses: Sequence[str], later: dict[str, date]) -> set[str]:
    """Return all known answers: the original 2,315, those of past days, and those of a file."""
    check_subset(later, guesses, "the file of later answers")
    answers = set(lists.bundled("puzzle-order")) | set(lists.bundled("past-answers")) | set(later)
    return answers & set(guesses)
