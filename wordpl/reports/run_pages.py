"""Writes HTML pages of runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.messages import amount
from wordpl.reports import verification
from wordpl.reports.html import document
from wordpl.reports.html.run_page import run_page
from wordpl.reports.results import RunResults
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import MAX_READ_GAMES, Run, RunRecords
from wordpl.verify import verify

REPORT = "report.html"
MAX_GAMES = 400_000
"""The maximum number of games for which `wordpl evaluate` writes report.html."""
MAX_DIFFERENCES = 20


class NoGameError(UserError):
    """No game of the run has been played yet."""


def report_of(folder: Path, max_games: int = MAX_READ_GAMES) -> RunReport:
    """Return the report of the run in this folder, for a page.

    Args:
        folder: The run's folder.
        max_games: See `Run`.

    Raises:
        NoGameError: No game of the run has been played yet.
        UserError: The folder does not contain a run.
    """
    report = RunReport(RunRecords(Run(folder, max_games)))
    if report.games.empty:
        raise NoGameError(f"{folder} has no games yet: there is nothing to show.")
    return report


def page_results(report: RunReport, is_verified: bool = True) -> RunResults:
    """Return the results of a run for a page, with commands and, if asked for, the result of `wordpl verify`."""
    return report.results(list(verified_sentences(report)) if is_verified else (), with_commands=True)


def results_of(folder: Path, is_verified: bool = True, max_games: int = MAX_READ_GAMES) -> RunResults:
    """Return the results of the run in this folder for a page; see `report_of` and `page_results`."""
    return page_results(report_of(folder, max_games), is_verified)


def verified_sentences(report: RunReport) -> Iterator[str]:
    """Yield the result of `wordpl verify` as sentences."""
    run = report.records.run
    findings = verify(run, report.lists)
    verification.add_tables(findings, report)
    replayed = f"{amount(findings.n_games, 'game was', 'games were')} replayed from the seed"
    yield (
        f"All holds: {replayed}."
        if not findings.differences
        else (f"Differences: {len(findings.differences):,}; {replayed}.")
    )
    yield from (str(difference) for difference in findings.differences[:MAX_DIFFERENCES])
    yield from (f"Not checked: {note}" for note in findings.notes)


def write_page(folders: Sequence[Path], path: Path, is_verified: bool = True, max_games: int = MAX_READ_GAMES) -> None:
    """Write the page of these runs to a file.

    Raises:
        UserError: A folder does not contain a run with games, or the file cannot be written.
    """
    if not path.parent.is_dir():
        raise UserError(f"cannot write {path}: there is no folder {path.parent}.")
    document.write_page(path, run_page([results_of(folder, is_verified, max_games) for folder in folders]))


def write_own_page(report: RunReport) -> Path | None:
    """Write the page of a run into its folder; return None if the run is too large or the file cannot be written."""
    path = report.records.folder / REPORT
    if not 0 < len(report.games) <= MAX_GAMES:
        return None
    try:
        write_atomically(path, run_page([page_results(report, is_verified=False)]).encode())
    except OSError:
        return None
    return path
