"""The result of `wordpl verify`: recomputed tables, the commitment, and sentences about all findings."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from math import isclose

from wordpl.contest import hosted, official
from wordpl.contest.isolation import ReaderTerms
from wordpl.contest.spot_check import SpotCheck, check_own_games, spot_check
from wordpl.core import bounded, collector_paused
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.core.words import WordLists
from wordpl.reports import renderers
from wordpl.reports.elements import Note
from wordpl.reports.run_report import VERIFY_WITH, RunReport, irregularities, isolation
from wordpl.reports.sections import provenance
from wordpl.reports.standings import SEPARATOR, SEPARATORS, separator_of
from wordpl.run.entry import REGULAR
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Record, decode
from wordpl.stats.findings import ScoredGames, ScoredGamesBuilder
from wordpl.verify import NOT_COVERED, Difference, Findings, verify

LINE_CHARACTERS = 1000
SCORES, PAGE = "scores.csv", "LEADERBOARD.md"
FACTS = f"## {provenance.SECTION.title}"


def verify_run(run: Run, *, replay: int = 0, commitment: str | None = None) -> Findings:
    """Return what `wordpl verify` finds in a run.

    Args:
        run: The run.
        replay: The number of games to play again in this machine's sandbox.
        commitment: The commitment that was published before the run.

    Raises:
        UserError: The word lists of the run have changed, or this machine cannot isolate entries.
    """
    lists = run.info.config.load_lists()
    terms = ReaderTerms.of(run.info) if replay else None  # first, as it may refuse
    findings, report = check_games(RunRecords(run), lists)
    add_tables(findings, report)
    add_commitment(findings, run.info, commitment)
    if terms:
        add_replayed(findings, spot_check(run, replay, terms=terms, lists=lists))
    return findings


def check_games(
    records: RunRecords, lists: WordLists, progress: Callable[[int], object] = lambda n_games: None
) -> tuple[Findings, RunReport]:
    """Return what is wrong with the games of a run, a host's own games included, and the report of the same games.

    Records are decoded once: as long as the verifier finds nothing wrong, its records are those of the report.

    Args:
        records: The records of the run.
        lists: The word lists that it was played with.
        progress: Called regularly with the number of games checked since the last call.
    """
    passed_on = _PassedOn(records, lists)
    with collector_paused():
        findings = verify(records.run, lists, progress, passed_on.take)
        report = RunReport(records, lists, scored=passed_on.scored())
    check_own_games(records.run, lists, findings)
    hosted.check_games(records.run, lists, findings)
    return findings, report


class _PassedOn:
    """Passes the records that the verifier reads on to those who need them next."""

    def __init__(self, records: RunRecords, lists: WordLists):
        """Begin; nothing is passed on if no tables are checked."""
        self._records, self._builder = records, ScoredGamesBuilder(records.run, lists)
        self._kept: dict[str, list[Record]] = {}
        info = records.info
        self._holds = info.seed is not None and info.finished is not None

    def take(self, entry: EntryInfo, lines: Sequence[bytes], held: Sequence[Record] | None) -> None:
        """Take records of an entry; None if the verifier has found something, so that all will be read again."""
        self._holds = self._holds and held is not None
        if held is None or not self._holds:
            return
        try:
            repeats = self._records.repeats_of(entry)
        except UserError:
            self._holds = False
            return
        self._builder.add(entry, held)
        self._kept.setdefault(entry.slug, []).extend(
            decode(line, entry.game.form)
            for line, record in zip(lines, held, strict=True)
            if record.verdict not in REGULAR or record.game in repeats
        )

    def scored(self) -> ScoredGames | None:
        """Return the games of the report; None if they need to be read again."""
        entries = self._records.info.entries
        if not self._holds or any(entry.slug not in self._kept for entry in entries):
            return None
        for entry in entries:
            self._records.keep(entry, self._kept[entry.slug])
        return self._builder.built()


def add_tables(findings: Findings, report: RunReport) -> None:
    """Add the results that clues do not allow, and the differences in the tables of a finished run.

    If they cannot be recomputed, a note is added.

    Args:
        findings: Receives the sentences, differences and notes.
        report: The report of the run with the word lists that it was played with.
    """
    info = report.records.info
    if info.seed is None or info.finished is None:
        return
    try:
        findings.unexplained += report.findings()
        if info.is_written:
            findings.differences += table_differences(report)
        else:
            findings.notes.append(
                "scores.csv and LEADERBOARD.md: release 1 wrote them otherwise; `wordpl report` makes them anew."
            )
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
    findings.notes += [f"games of {entry.name}: the run does not store its files." for entry in found.missing]
    if found.n_capped:
        findings.notes.append(
            f"{found.n_capped} of the replayed games: they exceeded a limit of this machine that is smaller than that "
            f"of the run ({', '.join(found.capped)}); --cap NAME=NUMBER raises it."
        )
    if found.n_cut_short:
        cut_short_games = f"{found.n_cut_short} of the replayed games"
        findings.notes.append(f"{cut_short_games}: they were cut short before anything differed.")


def sentences(records: RunRecords, findings: Findings, max_shown: int) -> Iterator[str]:
    """Yield the findings, and what was not checked, with at most `max_shown` differences per entry and file."""
    info = records.info
    lines = [
        *_differences(findings.differences, max_shown),
        *findings.unexplained,
        *(f"Not checked: {note}" for note in findings.notes),
        *(f"Not covered: {topic}." for topic in NOT_COVERED),
        *irregularities(records),
        *(f"{name}: {value}" for name, value in official.facts(info).items()),
        *(f"The run states its {name}: {value}." for name, value in conditions(info).items()),
        f"Replayed from the seed: {amount(findings.n_games, 'game')}, entries: {len(info.entries)}.",
        f"{findings.verdict}.",
    ]
    yield from (sanitize_untrusted_text(line, LINE_CHARACTERS) for line in lines)


def conditions(info: RunInfo) -> dict[str, str]:
    """Return under which conditions a run was played, as it states them: isolation, limits and machine."""
    config = info.config
    limits = [f"{config.timeout_s:g} s of CPU time for a game (stopped at {config.cpu_limit_s:g} s)"]
    limits += [f"{config.warmup_s:g} s to start", f"{config.memory_mb:,} MiB", *config.limits.texts(changed=True)]
    machine = ", ".join(f"{name} {value}" for name, value in info.machine.items()) or "unknown"
    workers = f", and {amount(len(info.workers), 'cluster worker')}" if info.workers else ""
    workers += f"; {amount(len(info.parts), 'part')} that others may have played" if info.parts else ""
    return {"isolation": isolation(info), "limits": ", ".join(limits), "machine": f"{machine}{workers}"}


def _differences(differences: Sequence[Difference], max_shown: int) -> Iterator[str]:
    """Yield at most `max_shown` differences per entry and file, and the number of the others."""
    n_differences: Counter[str] = Counter()
    for difference in differences:
        n_differences[difference.source] += 1
        if n_differences[difference.source] <= max_shown:
            yield str(difference)
    for source, n_found in n_differences.items():
        if n_found > max_shown:
            yield f"{source}: {n_found - max_shown:,} more differences; --full shows them."


def table_differences(report: RunReport) -> Iterator[Difference]:
    """Yield each value of scores.csv and each line of LEADERBOARD.md that differs from the recomputed one."""
    records = report.records
    scores = bounded.read_if_exists(bounded.REPORT_TABLE, records.folder / SCORES).decode(errors="replace")
    stored_page = bounded.read_if_exists(bounded.REPORT_TABLE, records.folder / PAGE).decode(errors="replace")
    page = report.markdown()
    for board in report.boards:  # an earlier release found less, and each finding is told anyway
        block = renderers.markdown_part(Note(list(board.findings()), "finding"))
        if board.found and block not in stored_page:
            page = page.replace(f"{block}\n\n", "", 1)
    separator = separator_of(scores) if scores else SEPARATOR  # the host could choose it
    pages: dict[str, tuple[str, Callable[[list[str], list[str]], Iterator[Difference]]]] = {
        SCORES: (report.scores_csv(separator if separator in SEPARATORS else SEPARATOR), _score_differences),
        PAGE: (page, _page_differences),
    }
    for name, (expected, compare) in pages.items():
        path = records.folder / name
        if path.exists():
            stored = bounded.read_text(bounded.REPORT_TABLE, path, errors="replace")
            yield from compare(stored.split("\n"), expected.split("\n"))
        else:
            yield Difference(name, "", "the file", "missing", "present")


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


def _page_differences(stored: list[str], expected: list[str]) -> Iterator[Difference]:
    """Yield the wrong lines of a page, and the missing ones.

    The command that verifies the run may differ, since the run may have moved.

    Args:
        stored: The lines of the page.
        expected: The recomputed lines.
    """
    (head, tables), (new_head, new_tables) = _split_page(stored), _split_page(expected)
    new_facts = dict(_split_fact(line) for line in new_head.values())
    for number, line in head.items():
        name, value = _split_fact(line)
        has_moved = name == VERIFY_WITH and value.startswith("wordpl verify ")
        if line not in new_head.values() and not has_moved:
            yield Difference(PAGE, f"line {number}", name, value, new_facts.get(name, "no such line"))
    names = {_split_fact(line)[0] for line in head.values()}
    for name, value in new_facts.items():
        if name not in names:
            yield Difference(PAGE, "", name, "missing", value)
    for (number, line), (_, new_line) in zip_longest(tables.items(), new_tables.items(), fillvalue=(len(stored), "")):
        if line != new_line:
            yield Difference(PAGE, f"line {number}", "the text", line or "empty", new_line or "empty")


def _split_page(page: list[str]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the lines with facts about the run, and all other lines, by number."""
    facts: dict[int, str] = {}
    others: dict[int, str] = {}
    is_fact = False
    for number, line in enumerate(page, 1):
        is_fact = line == FACTS if line.startswith("## ") else is_fact
        (facts if is_fact and line.startswith("- ") else others)[number] = line
    return facts, others


def _split_fact(line: str) -> tuple[str, str]:
    """Return the name and the value of a fact."""
    name, colon, value = line.removeprefix("- ").partition(": ")
    return (name, value) if colon else ("the text", line)
