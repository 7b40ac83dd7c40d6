"""Puzzle numbers: days since Wordle began, and what number a text or a date speaks of."""

import re
from datetime import UTC, date, datetime, timedelta

FIRST_DAY = date(2021, 6, 19)
LAST_NUMBER = 99_999
WINDOW = 2
"""How far a number read from a picture or a title may lie from what the date says."""
_NUMBER = re.compile(r"\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+(?!\d)|\d+", re.ASCII)


def number_on(day: date) -> int:
    """Return the number of the puzzle of this day.

    >>> number_on(date(2025, 10, 3))
    1567
    """
    return (day - FIRST_DAY).days


def day_of(number: int) -> date:
    """Return the day of the puzzle with this number."""
    return FIRST_DAY + timedelta(days=number)


def number_before(posted: datetime) -> int:
    """Return the number that a summary posted then most likely speaks of: the puzzle of the day that was ending.

    Groups of all time zones post after their own midnight; twelve hours earlier is inside that day for nearly all.

    >>> number_before(datetime(2025, 10, 4, 7, tzinfo=UTC)), number_before(datetime(2025, 10, 3, 22, tzinfo=UTC))
    (1567, 1567)
    """
    return number_on((posted.astimezone(UTC) - timedelta(hours=12)).date())


def number_in(text: str, posted: datetime) -> int | None:
    """Return the one number in the text that is plausible for what was posted then; None if there is none or more.

    >>> number_in("Wordle No. 1,567 - 5/6", datetime(2025, 10, 4, 7, tzinfo=UTC))
    1567
    """
    near = number_before(posted)
    found = {int(re.sub(r"\D", "", match)) for match in _NUMBER.findall(text[:2000]) if len(match) <= 6}
    plausible = {number for number in found if abs(number - near) <= WINDOW}
    return plausible.pop() if len(plausible) == 1 else None


def whole_number(text: str) -> int | None:
    """Return the puzzle number that the text writes, with or without a separator of thousands.

    >>> [whole_number(text) for text in ("1,567", "1.567", "1\u202f567", "1567", "15,67")]
    [1567, 1567, 1567, 1567, None]
    """
    digits = re.sub(r"\D", "", text) if _NUMBER.fullmatch(text) else ""
    return int(digits) if 0 < len(digits) <= len(str(LAST_NUMBER)) else None
