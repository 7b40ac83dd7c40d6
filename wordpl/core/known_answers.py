"""Known answers: those of the lists that come with the package, and dated ones of later days."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from wordpl.core import bounded, paths
from wordpl.core import words as lists
from wordpl.core.messages import UserError, amount

HEADER = ["date", "word"]
NUMBER = "number"
"""The header of the first column in a file that gives the numbers of the puzzles instead of dates."""
LAST_DATED = date(2022, 2, 14)
"""The last day on which puzzles followed the original order; after that, answers were edited."""
UNDATED_UNTIL = date(2025, 9, 29)
"""The last day of the bundled list undated-answers, which has no dates."""
LATER = paths.DATA / "later-answers.csv"
"""The bundled answers by day since UNDATED_UNTIL."""

PUBLISHED = "https://www.nytimes.com/svc/wordle/v2/{day}.json"
"""Where the newspaper publishes the answer of a day, as JSON with `solution` and `print_date`."""
WEB_TIMEOUT_S = 20.0
MAX_WEB_BYTES = 1 << 20
SOURCE = "# Source: "
"""Begins the lines of a file of answers that say where they are from."""

Days = Mapping[date, str]
"""The answer of each day."""


def bundled() -> Days:
    """Return the bundled answers by day after UNDATED_UNTIL."""
    return read(LATER)


def with_file(path: Path | None, guesses: Sequence[str]) -> Days:
    """Return the bundled answers by day and those of a user's file, if one is given, which must be guesses."""
    if path is None:
        return bundled()
    days = read(path)
    lists.check_subset(days.values(), guesses, str(path))
    return merge(bundled(), days, str(path))


def source_of_bundled() -> str:
    """Return the comment lines of the bundled days that say where these are from."""
    lines = bounded.read_text(bounded.WORD_LIST, LATER).splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(SOURCE))


def read(path: Path) -> Days:
    """Return the answer of each day in a CSV file with the header `date,word` or `number,word`.

    Lines that start with # are comments.

    Raises:
        UserError: The file cannot be read, has another format, or gives a day two answers.
    """
    try:
        text = bounded.read_text(bounded.WORD_LIST, path, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the answers in {path}: {error}.") from None
    return _parsed(text, str(path))


def _parsed(text: str, path: str) -> Days:
    lines = text.splitlines()
    rows = [(number, row) for number, row in enumerate(csv.reader(lines), 1) if row and not row[0].startswith("#")]
    header = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    if header not in (HEADER, [NUMBER, HEADER[1]]):
        raise UserError(f"{path} should begin with the line date,word, or number,word with the puzzles' numbers.")
    days: dict[date, str] = {}
    for number, row in rows[1:]:
        day, word = _answer(row, f"{path}, line {number}")
        if days.setdefault(day, word) != word:
            raise UserError(f"{path}, line {number}: {day} has the answers {days[day]} and {word}.")
    return days


def _answer(row: list[str], where: str) -> tuple[date, str]:
    try:
        text, word = (cell.strip() for cell in row)
        day = lists.FIRST_PUZZLE_DAY + timedelta(int(text)) if text.isdecimal() else date.fromisoformat(text)
    except (ValueError, OverflowError):
        raise UserError(
            f"{where}: {','.join(row)[:40]!r} should be a day and a word, like 2026-01-31,crane or 1687,crane."
        ) from None
    word = word.lower()
    if not (word.isascii() and word.isalpha()):
        raise UserError(f"{where}: {word[:30]!r} is not a word of letters a to z.")
    if day < lists.FIRST_PUZZLE_DAY:
        raise UserError(f"{where}: {day} is before the first puzzle, which was that of {lists.FIRST_PUZZLE_DAY}.")
    return day, word


def published(url: str, after: date, until: date) -> Days:
    """Return the answers that a page publishes.

    Args:
        url: Its address. With {day}, one address for each day after `after` up to `until`, whose reply is JSON with
            `solution`; without, that of a table as `read` reads it.
        after: The last day whose answer is known.
        until: Today.

    Raises:
        UserError: The page cannot be reached, or does not publish answers.
    """
    if "{day}" not in url:
        return _parsed(_fetched(url), url)
    days: dict[date, str] = {}
    for index in range((until - after).days):
        day = after + timedelta(1 + index)
        address = url.replace("{day}", day.isoformat())
        try:
            reply = json.loads(_fetched(address))
        except ValueError:
            reply = None
        said = reply if isinstance(reply, dict) else {}
        if not isinstance(said.get("solution"), str) or said.get("print_date", str(day)) != str(day):
            raise UserError(
                f"{address} does not publish the answer of {day}. Give the later answers as a FILE instead."
            )
        days.update([_answer([str(day), said["solution"]], address)])
    if not days:
        raise UserError(f"the answers up to {after} are known already, and today is {until}: there is nothing to read.")
    return days


def _fetched(url: str) -> str:
    from urllib.error import HTTPError  # slow to import
    from urllib.request import Request, urlopen

    if not url.startswith(("http://", "https://")):
        raise UserError(f"{url[:60]!r} is no address of a page: it should start with https://.")
    try:
        with urlopen(Request(url, headers={"User-Agent": "wordpl"}), timeout=WEB_TIMEOUT_S) as reply:
            data: bytes = reply.read(MAX_WEB_BYTES + 1)
            if len(data) > MAX_WEB_BYTES:
                raise UserError(f"{url} is larger than {MAX_WEB_BYTES >> 20} MiB: that is no table of answers.")
            return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, HTTPError):
            error.close()
        reason = getattr(error, "reason", error)
        raise UserError(f"cannot read {url}: {reason}. Without a network, give the later answers as a FILE.") from None


def merge(days: Days, new: Days, source: str) -> dict[date, str]:
    """Return the answers of both, by day.

    Args:
        days: The answers known so far.
        new: Further answers; days that are known already are allowed if their words are the same.
        source: Where the new ones are from, for messages.

    Raises:
        UserError: They contradict each other.
    """
    for day in sorted(days.keys() & new.keys()):
        if days[day] != new[day]:
            raise UserError(f"{source} has {new[day]} as the answer of {day}, but {days[day]} is known to be it.")
    return dict(sorted({**days, **new}.items()))


def check(days: Days, guesses: Sequence[str], today: date, source: str) -> None:
    """Check that these can be answers.

    Raises:
        UserError: A word is not a guess, a day is in the future, or the word of an earlier day is not a past answer.
    """
    lists.check_subset(days.values(), guesses, source)
    if future := [day for day in days if day > today + timedelta(1)]:  # it may be tomorrow already, further east
        raise UserError(f"{source} has an answer of {max(future)}, which is in the future: today is {today}.")
    past, original = set(lists.bundled("undated-answers")), dated({})
    for day, word in days.items():
        if day <= LAST_DATED and original.get(day) != word:
            raise UserError(f"{source} has {word} as the answer of {day}, but {original.get(day)} is known to be it.")
        if day <= UNDATED_UNTIL and word not in past:
            raise UserError(f"{source} has {word} as the answer of {day}, but it was no answer until {UNDATED_UNTIL}.")


def missing_days(days: Days) -> list[date]:
    """Return the days between UNDATED_UNTIL and the last day that have no answer."""
    last = last_day(days)
    between = (UNDATED_UNTIL + timedelta(1 + index) for index in range((last - UNDATED_UNTIL).days))
    return [day for day in between if day not in days]


def describe_missing(days: Iterable[date]) -> str:
    """Return a sentence on days without an answer, "" if there are none."""
    listed = list(days)
    shown = ", ".join(map(str, listed[:3])) + (", ..." if len(listed) > 3 else "")
    return f"No answer is known of {amount(len(listed), 'day')}: {shown}." if listed else ""


def dated(days: Days) -> dict[date, str]:
    """Return the dated answers: those of the original order up to LAST_DATED, and these."""
    n_days = (LAST_DATED - lists.FIRST_PUZZLE_DAY).days + 1
    original = {
        lists.FIRST_PUZZLE_DAY + timedelta(index): word for index, word in enumerate(lists.bundled("puzzle-order"))
    }
    return {**dict(list(original.items())[:n_days]), **days}


def last_day(days: Days) -> date:
    """Return the last day whose answer is known."""
    return max(days, default=UNDATED_UNTIL)


def played(days: Days) -> set[str]:
    """Return all answers of past days: the undated ones, and these."""
    return set(lists.bundled("undated-answers")) | set(days.values())


def all_known(guesses: Sequence[str], days: Days) -> set[str]:
    """Return all known answers among the guesses: the original 2,315 and those of past days."""
    return (set(lists.bundled("puzzle-order")) | played(days)) & set(guesses)


def as_csv(days: Days, head: str) -> bytes:
    """Return a file with these answers that `read` reads.

    Args:
        head: Comment lines at the head of the file.
    """
    return (head + ",".join(HEADER) + "\n" + "".join(f"{day},{word}\n" for day, word in sorted(days.items()))).encode()
