"""Recomputes a run's tables from its records, and compares them with its scores.csv and LEADERBOARD.md."""

import csv
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from math import isclose

from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists
from wordpl.reports.run_report import VERIFY_WITH, RunReport
from wordpl.reports.scores_csv import SEPARATOR, SEPARATORS, separator_of
from wordpl.verify import Difference

SCORES, PAGE = "scores.csv", "LEADERBOARD.md"


def differences(records: RunRecords, lists: WordLists | None = None) -> Iterator[Difference]:
    """Yield each value of scores.csv and each line of LEADERBOARD.md that differs from the recomputed one."""
    report = RunReport(records, lists)
    for sentence in report.clue_excesses():
        yield Difference(SCORES, "", "the number of wins", sentence, "as many as the clues allow")
    pages: dict[str, tuple[str, Callable[[list[str], list[str]], Iterator[Difference]]]] = {
        SCORES: (report.scores_csv(_separator(records)), _of_scores),
        PAGE: (report.leaderboard(), partial(_of_page, older=not records.info.seal)),
    }
    for name, (expected, compare) in pages.items():
        path = records.folder / name
        if path.exists():
            found = path.read_text(encoding="utf-8", errors="replace")
            yield from compare(found.split("\n"), expected.split("\n"))
        else:
            yield Difference(name, "", "the file", "missing", "present")


def _separator(records: RunRecords) -> str:
    """Return the separator of the run's scores.csv, which the host could choose."""
    path = records.folder / SCORES
    found = separator_of(path.read_text(encoding="utf-8", errors="replace")) if path.exists() else SEPARATOR
    return found if found in SEPARATORS else SEPARATOR


def _of_scores(found: list[str], expected: list[str]) -> Iterator[Difference]:
    if found[0] != expected[0]:
        yield Difference(SCORES, "line 1", "the text", found[0], expected[0])
        return
    separator = separator_of(expected[0])
    columns = expected[0].split(separator)
    rows = (list(csv.reader(lines, delimiter=separator)) for lines in (found, expected))
    for number, (kept, made) in enumerate(zip_longest(*rows, fillvalue=[]), 1):
        for column, kept_value, value in zip_longest(columns, kept, made, fillvalue=""):
            if not _same(kept_value, value):
                name = made[0] if made else "no entry"
                yield Difference(SCORES, f"line {number}, {name}", column, kept_value or "empty", value or "empty")


def _same(kept: str, made: str) -> bool:
    """Return whether two values are equal; the last digits of numbers may differ between machines."""
    if kept == made:
        return True
    try:
        return isclose(float(kept), float(made), rel_tol=1e-8)
    except ValueError:
        return False


def _of_page(found: list[str], expected: list[str], *, older: bool) -> Iterator[Difference]:
    """Yield the wrong lines of a page, and the missing ones.

    The command that verifies the run may differ, since the run may have moved.

    Args:
        found: The lines of the page.
        expected: The recomputed lines.
        older: Whether the run has no seal. Versions before seals wrote other facts, so facts may differ.
    """
    (head, tables), (made_head, made_tables) = _halves(found), _halves(expected)
    known = dict(_as_fact(line) for line in made_head)
    for number, line in enumerate(head, 1):
        name, value = _as_fact(line)
        is_old_fact = older and name not in known and line.startswith("- ")
        has_moved = name == VERIFY_WITH and value.startswith("wordpl verify ")
        if line not in made_head and not (has_moved or is_old_fact):
            yield Difference(PAGE, f"line {number}", name, value, known.get(name, "no such line"))
    names = {_as_fact(line)[0] for line in head}
    for name, value in known.items():
        if name not in names and not older:
            yield Difference(PAGE, "", name, "missing", value)
    for number, (line, made) in enumerate(zip_longest(tables, made_tables, fillvalue=""), len(head) + 1):
        if line != made:
            yield Difference(PAGE, f"line {number}", "the text", line or "empty", made or "empty")


def _halves(page: list[str]) -> tuple[list[str], list[str]]:
    """Return the facts at the start of a page, and the rest, which starts with its first table."""
    at = next((at for at, line in enumerate(page) if line.startswith("## ")), len(page))
    return page[:at], page[at:]


def _as_fact(line: str) -> tuple[str, str]:
    """Return the name and the value of a fact."""
    name, colon, value = line.removeprefix("- ").partition(": ")
    return (name, value) if colon else ("the text", line)
