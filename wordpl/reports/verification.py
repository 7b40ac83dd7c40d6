"""The result of `wordpl verify`: recomputed tables, the commitment, and sentences about all findings."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from math import isclose

from wordpl.contest import official
from wordpl.contest.spot_check import SpotCheck
from wordpl.core.errors import UserError
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.core.records import Run, RunInfo
from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists
from wordpl.reports.remarks import irregularities
from wordpl.reports.run_report import VERIFY_WITH, RunReport
from wordpl.reports.scores_csv import SEPARATOR, SEPARATORS, separator_of
from wordpl.verify import NOT_COVERED, Difference, Findings

LINE_CHARACTERS = 1000
SCORES, PAGE = "scores.csv", "LEADERBOARD.md"


def add_tables(findings: Findings, run: Run, lists: WordLists) -> None:
    """Add the differences in the tables of a finished run, or a note if the tables cannot be recomputed."""
    if run.info.seed is None or run.info.finished is None:
        return
    try:
        findings.differences += table_differences(RunRecords(run), lists)
    except UserError as error:
        findings.notes.append(f"scores.csv and LEADERBOARD.md: {error.message}")


def add_commitment(findings: Findings, info: RunInfo, published: str | None) -> None:
    """Add a difference if the run's commitment is not the published one."""
    published_text = "" if published is None else published.strip().lower()
    if published is not None and info.commitment != published_text:
        own_commitment = str(info.commitment or "none")
        findings.differences.append(
            Difference("run.json", "", "the commitment", own_commitment, f"{published_text}, as published")
        )


def add_replayed(findings: Findings, found: SpotCheck) -> None:
    """Add the differences of replayed games, and notes about games that could not be replayed or compared."""
    findings.differences += found.differences
    findings.notes += [f"games of {entry.name}: {entry.file} is missing or has changed." for entry in found.missing]
    if found.n_cut_short:
        cut_short_games = f"{found.n_cut_short} of the replayed games"
        findings.notes.append(f"{cut_short_games}: they were cut short before anything differed.")


def sentences(run: Run, findings: Findings, max_shown: int) -> Iterator[str]:
    """Yield the findings, and what was not checked, with at most `max_shown` differences per entry and file."""
    lines = [
        *_differences(findings.differences, max_shown),
        *(f"Not checked: {note}" for note in findings.notes),
        *(f"Not covered: {topic}." for topic in NOT_COVERED),
        *irregularities(RunRecords(run)),
        *(f"{name}: {value}" for name, value in official.facts(run.info).items()),
        f"Replayed from the seed: {amount(findings.n_games, 'game')}, entries: {len(run.info.entries)}.",
        f"Differences: {len(findings.differences):,}." if findings.differences else "All holds.",
    ]
    yield from (sanitize_untrusted_text(line, LINE_CHARACTERS) for line in lines)


def _differences(differences: Sequence[Difference], max_shown: int) -> Iterator[str]:
    """Yield at most `max_shown` differences per entry and file, and the number of the others."""
    n_differences: Counter[str] = Counter()
    for difference in differences:
        n_differences[difference.source] += 1
        if n_differences[difference.source] <= max_shown:
            yield str(difference)
    for source, n_found in n_differences.items():
        if n_found > max_shown:
            yield f"{source}: {n_found - max_shown:,} more differences; --all shows them."


def table_differences(records: RunRecords, lists: WordLists | None = None) -> Iterator[Difference]:
    """Yield each value of scores.csv and each line of LEADERBOARD.md that differs from the recomputed one."""
    report = RunReport(records, lists)
    for sentence in report.clue_excesses():
        yield Difference(SCORES, "", "the number of wins", sentence, "as many as the clues allow")
    pages: dict[str, tuple[str, Callable[[list[str], list[str]], Iterator[Difference]]]] = {
        SCORES: (report.scores_csv(_separator(records)), _score_differences),
        PAGE: (report.leaderboard(), partial(_page_differences, older=not records.info.seal)),
    }
    for name, (expected, compare) in pages.items():
        path = records.folder / name
        if path.exists():
            stored = path.read_text(encoding="utf-8", errors="replace")
            yield from compare(stored.split("\n"), expected.split("\n"))
        else:
            yield Difference(name, "", "the file", "missing", "present")


def _separator(records: RunRecords) -> str:
    """Return the separator of the run's scores.csv, which the host could choose."""
    path = records.folder / SCORES
    separator = separator_of(path.read_text(encoding="utf-8", errors="replace")) if path.exists() else SEPARATOR
    return separator if separator in SEPARATORS else SEPARATOR


def _score_differences(stored: list[str], expected: list[str]) -> Iterator[Difference]:
    if stored[0] != expected[0]:
        yield Difference(SCORES, "line 1", "the text", stored[0], expected[0])
        return
    separator = separator_of(expected[0])
    columns = expected[0].split(separator)
    rows = (list(csv.reader(lines, delimiter=separator)) for lines in (stored, expected))
    for number, (stored_row, new_row) in enumerate(zip_longest(*rows, fillvalue=[]), 1):
        for column, stored_value, new_value in zip_longest(columns, stored_row, new_row, fillvalue=""):
            if not _is_equal(stored_value, new_value):
                name = new_row[0] if new_row else "no entry"
                yield Difference(
                    SCORES, f"line {number}, {name}", column, stored_value or "empty", new_value or "empty"
                )


def _is_equal(stored: str, new: str) -> bool:
    """Return whether two values are equal; the last digits of numbers may differ between machines."""
    if stored == new:
        return True
    try:
        return isclose(float(stored), float(new), rel_tol=1e-8)
    except ValueError:
        return False


def _page_differences(stored: list[str], expected: list[str], *, older: bool) -> Iterator[Difference]:
    """Yield the wrong lines of a page, and the missing ones.

    The command that verifies the run may differ, since the run may have moved.

    Args:
        stored: The lines of the page.
        expected: The recomputed lines.
        older: Whether the run has no seal. Versions before seals wrote other facts, so facts may differ.
    """
    (head, tables), (new_head, new_tables) = _split_page(stored), _split_page(expected)
    new_facts = dict(_split_fact(line) for line in new_head)
    for number, line in enumerate(head, 1):
        name, value = _split_fact(line)
        is_old_fact = older and name not in new_facts and line.startswith("- ")
        has_moved = name == VERIFY_WITH and value.startswith("wordpl verify ")
        if line not in new_head and not (has_moved or is_old_fact):
            yield Difference(PAGE, f"line {number}", name, value, new_facts.get(name, "no such line"))
    names = {_split_fact(line)[0] for line in head}
    for name, value in new_facts.items():
        if name not in names and not older:
            yield Difference(PAGE, "", name, "missing", value)
    for number, (line, new_line) in enumerate(zip_longest(tables, new_tables, fillvalue=""), len(head) + 1):
        if line != new_line:
            yield Difference(PAGE, f"line {number}", "the text", line or "empty", new_line or "empty")


def _split_page(page: list[str]) -> tuple[list[str], list[str]]:
    """Return the facts at the start of a page, and the rest, which starts with its first table."""
    index = next((index for index, line in enumerate(page) if line.startswith("## ")), len(page))
    return page[:index], page[index:]


def _split_fact(line: str) -> tuple[str, str]:
    """Return the name and the value of a fact."""
    name, colon, value = line.removeprefix("- ").partition(": ")
    return (name, value) if colon else ("the text", line)
