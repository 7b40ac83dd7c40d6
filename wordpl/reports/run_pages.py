"""Writes HTML pages of runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.messages import amount
from wordpl.core.records import Run
from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists
from wordpl.reports import verification
from wordpl.reports.html import document
from wordpl.reports.html.run_model import RunModel
from wordpl.reports.html.run_page import run_page
from wordpl.reports.run_report import RunReport
from wordpl.verify import verify

REPORT = "report.html"
MAX_GAMES = 400_000
"""The maximum number of games for which `wordpl evaluate` writes report.html."""
MAX_DIFFERENCES = 20


class NoGameError(UserError):
    """No game of the run has been played yet."""


def model(folder: Path, is_verified: bool = True) -> RunModel:
    """Return the contents of a page about the run in this folder.

    Args:
        folder: The run's folder.
        is_verified: Whether to verify the run.

    Raises:
        NoGameError: No game of the run has been played yet.
        UserError: The folder does not contain a run.
    """
    run = Run(folder)
    report = RunReport(RunRecords(run))
    if report.games.empty:
        raise NoGameError(f"{folder} has no games yet: there is nothing to show.")
    return report.page_model(list(verified_sentences(run, report.lists)) if is_verified else ())


def verified_sentences(run: Run, lists: WordLists) -> Iterator[str]:
    """Yield the result of `wordpl verify` as sentences."""
    findings = verify(run, lists)
    verification.add_tables(findings, run, lists)
    replayed = f"{amount(findings.n_games, 'game was', 'games were')} replayed from the seed"
    yield (
        f"All holds: {replayed}."
        if not findings.differences
        else (f"Differences: {len(findings.differences):,}; {replayed}.")
    )
    yield from (str(difference) for difference in findings.differences[:MAX_DIFFERENCES])
    yield from (f"Not checked: {note}" for note in findings.notes)


def write_page(folders: Sequence[Path], path: Path, is_verified: bool = True) -> None:
    """Write the page of these runs to a file.

    Raises:
        UserError: A folder does not contain a run with games, or the file cannot be written.
    """
    if not path.parent.is_dir():
        raise UserError(f"cannot write {path}: there is no folder {path.parent}.")
    document.write_page(path, run_page([model(folder, is_verified) for folder in folders]))


def write_own_page(report: RunReport) -> Path | None:
    """Write the page of a run into its folder; return None if the run is too large or the file cannot be written."""
    path = report.records.folder / REPORT
    if not 0 < len(report.games) <= MAX_GAMES:
        return None
    try:
        write_atomically(path, run_page([report.page_model()]).encode())
    except OSError:
        return None
    return path
