"""HTML pages of runs in folders: one file for some runs, or a site of all of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wordpl.core import os_errors
from wordpl.core.errors import UserError
from wordpl.core.files import write_safely
from wordpl.core.records import Run
from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists
from wordpl.reports import recomputed_tables, record_boards
from wordpl.reports.html.document import document
from wordpl.reports.html.history import history
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.run_page import MAX_BYTES, RunModel, run_page
from wordpl.reports.html.tables import HtmlColumn, Row, html_table, plain
from wordpl.reports.plain_table import PlainTable
from wordpl.reports.record_report import RecordReport, unfit
from wordpl.reports.run_report import RunReport
from wordpl.verify import verify

REPORT = "report.html"
MAX_GAMES = 400_000
"""Games up to which a run's page is written without being asked for."""
MAX_DIFFERENCES = 20


def models(folders: Sequence[Path], is_verified: bool = True) -> list[RunModel]:
    """Return what a page shows of the runs in these folders.

    Args:
        folders: The runs' folders.
        is_verified: Whether each run is verified.

    Raises:
        UserError: A folder holds no run, or a run without a game.
    """
    found = []
    for folder in folders:
        run = Run(folder)
        report = RunReport(RunRecords(run))
        if report.games.empty:
            raise UserError(f"{folder} has no game yet: there is nothing to show.")
        found.append(report.page_model(list(verified_sentences(run, report.lists)) if is_verified else ()))
    return found


def verified_sentences(run: Run, lists: WordLists) -> Iterator[str]:
    """Yield what `wordpl verify` says of a run, in sentences."""
    findings = verify(run, lists)
    if run.info.seed is not None and run.info.finished is not None:
        findings.differences += recomputed_tables.differences(RunRecords(run), lists)
    replayed = f"{findings.n_games:,} games were replayed from the seed"
    yield (
        f"All holds: {replayed}."
        if not findings.differences
        else (f"Differences: {len(findings.differences):,}; {replayed}.")
    )
    yield from (str(one) for one in findings.differences[:MAX_DIFFERENCES])
    yield from (f"Not checked: {note}" for note in findings.notes)


def write_page(folders: Sequence[Path], path: Path, is_verified: bool = True, max_bytes: int = MAX_BYTES) -> None:
    """Write the page of these runs to a file."""
    with os_errors.explained(path.parent):
        write_safely(path, run_page(models(folders, is_verified), max_bytes).encode())


def write_own_page(report: RunReport) -> Path | None:
    """Write the page of a run that has just been played into its folder; None where it is too large or has no room."""
    path = report.records.folder / REPORT
    if not 0 < len(report.games) <= MAX_GAMES:
        return None
    try:
        write_safely(path, run_page([report.page_model()]).encode())
    except OSError:
        return None
    return path


def find_runs(results: Path) -> list[Path]:
    """Return the folders of the runs in a folder, the newest first.

    Raises:
        UserError: There is none.
    """
    found = [Run(path.parent) for path in sorted(results.glob("*/run.json"))]
    if not found:
        raise UserError(f"there is no run in {results}: a run is a folder with a run.json.")
    order = sorted(found, key=lambda run: (run.info.started, run.folder.name), reverse=True)
    return [run.folder for run in order]


def write_site(results: Path, out: Path, is_verified: bool = True) -> list[Path]:
    """Write a folder of static pages: all runs, the records, and the entries over runs.

    Args:
        results: The folder that holds the runs' folders.
        out: The folder for the pages; files of the same names are replaced.
        is_verified: Whether each run is verified.

    Returns:
        The files written, the index first.
    """
    folders = [folder for folder in find_runs(results) if len(RunRecords(Run(folder)).to_frame())]
    shown = models(folders, is_verified)
    (out / "runs").mkdir(parents=True, exist_ok=True)
    pages = {out / "index.html": _index(folders, shown)}
    for folder, model in zip(folders, shown, strict=True):
        pages[out / "runs" / f"{folder.name}.html"] = run_page([model])
    with os_errors.explained(out):
        for path, page in pages.items():
            write_safely(path, page.encode())
    return list(pages)


def _index(folders: Sequence[Path], shown: Sequence[RunModel]) -> str:
    sections: list[tuple[str, str, Content]] = [
        ("runs", "Runs", _runs(shown)),
        ("records", "Records", [_records(folder) for folder in folders]),
        ("entries", "Entries over runs", history([(one.name, one.facts, one.boards) for one in shown])),
    ]
    return document("wordpl · results", sections)


def _runs(shown: Sequence[RunModel]) -> Markup:
    heads = [HtmlColumn("run", True), HtmlColumn("date", True), HtmlColumn("games", True), HtmlColumn("entries"),
             HtmlColumn("seed", True), HtmlColumn("verified", True)]  # fmt: skip
    rows: list[Row] = [
        [
            element("a", one.name, href=f"runs/{one.name}.html"),
            one.facts.get("date", ""),
            ", ".join(f"{board.rules}: {int(board.table['n_games'].max()):,}" for board in one.boards),
            sum(len(board.table) for board in one.boards),
            one.facts.get("seed", "")[:20],
            one.verified[0] if one.verified else "not verified",
        ]
        for one in shown
    ]
    return html_table("Runs, the newest first", heads, rows)


def _records(folder: Path) -> Content:
    if any(unfit(Run(folder).info)):
        return None
    tables = record_boards.tables(record_boards.boards([RecordReport(folder)]))
    return [element("h3", folder.resolve().name), *(plain(table) for table in tables)]


def tables_page(title: str, tables: Sequence[PlainTable], facts: Sequence[tuple[str, str]] = ()) -> str:
    """Return a page of plain tables: the boards of a league or of a tournament."""
    listed = element("dl", [[element("dt", name), element("dd", value)] for name, value in facts]) if facts else None
    sections: list[tuple[str, str, Content]] = [
        (f"table-{at}", table.title, plain(table)) for at, table in enumerate(tables, 1)
    ]
    return document(title, [*sections, ("facts", "Facts", listed)])
