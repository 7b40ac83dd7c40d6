"""Writes a static site: an index with the runs, the records and the history of entries, and a page for each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure
from wordpl.core.records import Run
from wordpl.reports import record_boards
from wordpl.reports.board import Board
from wordpl.reports.html.document import document, write_page
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.run_page import run_page
from wordpl.reports.html.tables import HtmlColumn, Row, history, html_table, plain
from wordpl.reports.record_report import RecordReport, unfit
from wordpl.reports.run_pages import NoGameError, model


@dataclass(frozen=True, eq=False)
class _RunSummary:
    """The facts about a run on the index page."""

    name: str
    facts: Mapping[str, str]
    boards: Sequence[Board]
    verified: Sequence[str]
    records: Content


def find_runs(results: Path) -> list[Path]:
    """Return the folders of the runs in a folder, the newest first.

    Raises:
        UserError: There are no runs.
    """
    runs = [Run(path.parent) for path in sorted(results.glob("*/run.json"))]
    if not runs:
        raise UserError(f"there is no run in {results}: a run is a folder with a run.json.")
    return [run.folder for run in sorted(runs, key=lambda run: (run.info.started, run.folder.name), reverse=True)]


def write_site(results: Path, out: Path, is_verified: bool = True) -> list[Path]:
    """Write the static site of all runs in a folder.

    Args:
        results: The folder of the runs; runs without games are left out.
        out: The folder of the site; existing files are replaced.
        is_verified: Whether to verify each run.

    Returns:
        The pages, the index first.

    Raises:
        UserError: There is no run with games, or the pages cannot be written.
    """
    summaries: list[_RunSummary] = []
    pages = [out / "index.html"]
    runs = find_runs(results)
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot create the folder {out}: {error.strerror}.") from None
    for folder in runs:
        try:
            report = model(folder, is_verified)
        except NoGameError:
            continue
        pages.append(out / "runs" / f"{report.name}.html")
        write_page(pages[-1], run_page([report]))
        summaries.append(_RunSummary(report.name, report.facts, report.boards, report.verified, _records(folder)))
    if not summaries:
        raise NoGameError(f"no run in {results} has games yet: there is nothing to show.")
    write_page(pages[0], _index(summaries))
    return pages


def _index(runs: Sequence[_RunSummary]) -> str:
    sections: list[tuple[str, str, Content]] = [
        ("runs", "Runs", _runs(runs)),
        ("records", "Records", [run.records for run in runs]),
        ("entries", "History of entries", history([(run.name, run.facts, run.boards) for run in runs])),
    ]
    return document("wordpl · results", sections)


def _runs(runs: Sequence[_RunSummary]) -> Markup:
    heads = [HtmlColumn("run", True), HtmlColumn("date", True), HtmlColumn("games", True), HtmlColumn("entries"),
             HtmlColumn("seed", True), HtmlColumn("verified", True)]  # fmt: skip
    rows: list[Row] = [
        [
            element("a", run.name, href=f"runs/{quote(run.name)}.html"),
            run.facts.get("date", ""),
            ", ".join(f"{board.rules}: {int(board.table['n_games'].max()):,}" for board in run.boards),
            sum(len(board.table) for board in run.boards),
            run.facts.get("seed", "")[:20],
            run.verified[0] if run.verified else "not verified",
        ]
        for run in runs
    ]
    return html_table("Runs, newest first", heads, rows)


def _records(folder: Path) -> Content:
    """Return the boards of records of a run, or None if it cannot hold records."""
    info = Run(folder).info
    has_budgets = len({entry.game_id for entry in info.entries if entry.measure is Measure.BUDGET}) == 1
    if not has_budgets or any(unfit(info)):
        return None
    tables = record_boards.tables(record_boards.boards([RecordReport(folder)]))
    return [element("h3", folder.resolve().name), *(plain(table) for table in tables)]
