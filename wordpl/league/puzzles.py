"""Puzzle numbers: days since Wordle began, and what number a text or a date speaks of."""

import re
from datetime import UTC, date, datetime, timedelta

import numpy as np

from wordpl.core.errors import UserError

FIRST_DAY = date(2021, 6, 19)
LAST_NUMBER = 99_999
WINDOW = 2
"""How far a number read from a picture or a title may lie from what the date says."""
DAY_MS = 24 * 3600 * 1000
GRACE_MS = DAY_MS
"""How far ahead of UTC a puzzle may be: its day begins up to 14 hours earlier in the east."""
SEPARATORS = ",.'\u2019\u00a0\u202f "
"""What stands between the thousands of a number."""
_NUMBER = re.compile(rf"\d{{1,3}}(?:[{SEPARATORS}]\d{{3}})+(?!\d)|\d+", re.ASCII)


def number_on(day: date) -> int:
    """Return the number of the puzzle of this day.

    >>> number_on(date(2025, 10, 3))
    1567
    """
    return (day - FIRST_DAY).days


def day_of(number: int) -> date:
    """Return the day of the puzzle with this number."""
    return FIRST_DAY + timedelta(days=number)


def number_at_ms(moment: np.ndarray) -> np.ndarray:
    """Return the numbers of the puzzles of these moments in UTC, milliseconds since 1970."""
    return moment // DAY_MS - (FIRST_DAY - date(1970, 1, 1)).days


def is_too_late(number: int, reported: datetime) -> bool:
    """Return whether the puzzle is later than what is reported then can be, with a day's grace for time zones.

    >>> [is_too_late(number, datetime(2025, 10, 3, 12, tzinfo=UTC)) for number in (1568, 1569)]
    [False, True]
    """
    return number > number_on(reported.astimezone(UTC).date()) + 1


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

    >>> [whole_number(text) for text in ("1,567", "1.567", "1\u2019567", "1567", "15,67")]
    [1567, 1567, 1567, 1567, None]
    """
    digits = re.sub(r"\D", "", text) if _NUMBER.fullmatch(text) else ""
    return int(digits) if 0 < len(digits) <= len(str(LAST_NUMBER)) else None


def puzzle_of(text: str | None, now: datetime) -> int | None:
    """Return the puzzle that a text names: a number, a date, "today" or "yesterday"; None where none is given."""
    if text is None:
        return None
    word = text.strip().lower()
    days = {"today": 0, "yesterday": 1}
    try:
        if word in days:
            return number_on(now.astimezone(UTC).date()) - days[word]
        number = int(word.replace(",", "")) if word.replace(",", "").isdigit() else number_on(date.fromisoformat(word))
    except ValueError:
        number = -1
    if not 0 <= number <= number_on(now.astimezone(UTC).date()) + 1:
        raise UserError(f"a day is a puzzle's number, or a date like {day_of(1567)}; got {text[:40]!r}.")
    return number
