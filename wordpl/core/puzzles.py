"""Puzzle numbers: conversion from and to dates, and recognition in texts."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import numpy as np

from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.words import FIRST_PUZZLE_DAY

LAST_NUMBER = 99_999
WINDOW = 2
"""How much a number read from a picture or a title may differ from the one derived from the date."""
DAY_MS = 24 * 3600 * 1000
QUARTER_MS = 15 * 60 * 1000
GRACE_MS = DAY_MS
"""Tolerance for puzzles ahead of UTC: in the easternmost time zones a day begins 14 hours earlier."""
SEPARATORS = ",.'\u2019\u00a0\u202f "
"""Characters that separate thousands."""
_NUMBER = re.compile(rf"\d{{1,3}}(?:[{SEPARATORS}]\d{{3}})+(?!\d)|\d+", re.ASCII)


def number_on(day: date) -> int:
    """Return the number of the puzzle of this day.

    >>> number_on(date(2025, 10, 3))
    1567
    """
    return (day - FIRST_PUZZLE_DAY).days


def day_of(number: int) -> date:
    """Return the day of the puzzle with this number."""
    return FIRST_PUZZLE_DAY + timedelta(days=number)


def number_at_ms(moment: np.ndarray) -> np.ndarray:
    """Return the numbers of the puzzles of these times.

    Args:
        moment: Times in milliseconds since 1970, UTC or local: int64[n].

    Returns:
        Puzzle numbers, int64[n].
    """
    return moment // DAY_MS - (FIRST_PUZZLE_DAY - date(1970, 1, 1)).days


def local_ms(moment: np.ndarray, zone: str) -> np.ndarray:
    """Return the wall-clock times in a time zone.

    Args:
        moment: Times in milliseconds since 1970, UTC: int64[n].
        zone: The name of the time zone; "": UTC.

    Returns:
        Wall-clock times as if they were UTC, int64[n].
    """
    if zone in ("", "UTC"):
        return moment
    quarters, inverse = np.unique(moment // QUARTER_MS, return_inverse=True)  # clocks change at quarters of an hour
    info = ZoneInfo(zone)
    times = (datetime.fromtimestamp(int(quarter) * QUARTER_MS / 1000, info) for quarter in quarters)
    offsets = [(time.utcoffset() or timedelta(0)) // timedelta(milliseconds=1) for time in times]
    return moment + np.array(offsets, np.int64)[inverse]


def check_zone(zone: str) -> str:
    """Return the name of a time zone, or raise UserError if there is no such zone."""
    name = zone.strip()
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        zones = {known.rpartition("/")[2].replace("_", " ").casefold(): known for known in available_timezones()}
        city = zones.get(name.replace("_", " ").casefold(), "")
        hint = f" Did you mean {city}?" if city else did_you_mean(name, available_timezones())
        raise UserError(f"unknown time zone {name[:40]!r}: use a name like Europe/Berlin or UTC.{hint}") from None
    return name


def today_in(zone: str, now: datetime) -> int:
    """Return the number of today's puzzle in a time zone; "": UTC."""
    return number_on(now.astimezone(ZoneInfo(zone or "UTC")).date())


def numbers_summarized_at(posted: np.ndarray, zone: str) -> np.ndarray:
    """Return the numbers of the puzzles that summaries posted at these times report.

    The app posts at midnight of the group's time zone, so that twelve hours earlier it was the puzzle's day. Without a
    zone, the UTC date is taken, which is wrong by a day where midnight is before noon UTC: east of UTC+12.

    Args:
        posted: Times in milliseconds since 1970, UTC: int64[n].
        zone: The name of the time zone; "" if unknown.

    >>> noon = np.array([1759489500000])  # 2025-10-03T11:05Z
    >>> [int(numbers_summarized_at(noon, zone)[0]) for zone in ("", "Pacific/Auckland", "Pacific/Pago_Pago")]
    [1566, 1567, 1566]
    """
    return number_at_ms(local_ms(posted, zone) - DAY_MS // 2)


def is_too_late(number: int, reported: datetime) -> bool:
    """Return whether the puzzle was not out yet at this time, with a tolerance of one day for time zones.

    >>> [is_too_late(number, datetime(2025, 10, 3, 12, tzinfo=UTC)) for number in (1568, 1569)]
    [False, True]
    """
    return number > number_on(reported.astimezone(UTC).date()) + 1


def number_summarized_at(posted: datetime) -> int:
    """Return the number of the puzzle that a summary posted at this time most likely reports.

    The app posts after midnight in the group's time zone. For nearly all time zones, the UTC date twelve hours earlier
    is the puzzle's day.

    >>> [number_summarized_at(datetime(2025, 10, *at, tzinfo=UTC)) for at in ((4, 7), (3, 22))]
    [1567, 1567]
    """
    return number_on((posted.astimezone(UTC) - timedelta(hours=12)).date())


def find_number(text: str, posted: datetime) -> int | None:
    """Return the puzzle number in the text that is plausible for this time, or None unless there is exactly one.

    >>> find_number("Wordle No. 1,567 - 5/6", datetime(2025, 10, 4, 7, tzinfo=UTC))
    1567
    """
    expected_number = number_summarized_at(posted)
    numbers = {int(re.sub(r"\D", "", match)) for match in _NUMBER.findall(text[:2000]) if len(match) <= 6}
    plausible = {number for number in numbers if abs(number - expected_number) <= WINDOW}
    return plausible.pop() if len(plausible) == 1 else None


def parse_number(text: str) -> int | None:
    """Return the puzzle number in a text, which may contain thousands separators, or None if it is not a number.

    >>> [parse_number(text) for text in ("1,567", "1.567", "1\u2019567", "1567", "15,67")]
    [1567, 1567, 1567, 1567, None]
    """
    digits = re.sub(r"\D", "", text) if _NUMBER.fullmatch(text) else ""
    return int(digits) if 0 < len(digits) <= len(str(LAST_NUMBER)) else None


def parse_puzzle(text: str | None, now: datetime, zone: str = "") -> int | None:
    """Return the puzzle that a user asked for, or None if they did not name one.

    Args:
        text: A puzzle number, a date like 2025-10-03, "today", "yesterday", or None.
        now: The current time.
        zone: The time zone of today and yesterday; "": UTC.

    Raises:
        UserError: The text names no puzzle up to tomorrow's.
    """
    if text is None:
        return None
    word = text.strip().lower()
    days = {"today": 0, "yesterday": 1}
    try:
        if word in days:
            return today_in(zone, now) - days[word]
        number = int(word.replace(",", "")) if word.replace(",", "").isdigit() else number_on(date.fromisoformat(word))
    except ValueError:
        number = -1
    if not 0 <= number <= number_on(now.astimezone(UTC).date()) + 1:
        raise UserError(f"a day is a puzzle number, a date like {day_of(1567)}, today or yesterday; got {text[:40]!r}.")
    return number
