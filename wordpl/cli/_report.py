"""Shows the report of a run: tables, and the commands that replay failed games."""

from wordpl import reports
from wordpl.cli._output import new_console, say, working
from wordpl.cli._run_progress import run_in_words
from wordpl.contest import official, run_folder
from wordpl.core import paths
from wordpl.reports.elements import Detail
from wordpl.reports.publication import write_own_page
from wordpl.reports.renderers import Legend, show_part
from wordpl.reports.run_report import VERIFY_WITH, RunReport
from wordpl.run.folder import Run, RunRecords

MORE = "--full: all columns and intervals · --legend: what the columns and marks mean"


def write_report(run: Run, separator: str = ";") -> RunReport:
    """Write the scores.csv, with this separator, and the LEADERBOARD.md of a run with played games."""
    report = RunReport(RunRecords(run))
    with working("computing the tables"):
        report.write(separator)
    return report


def show_report(
    report: RunReport, against: str | None = None, *, full: bool = False, legend: bool = False, with_page: bool = False
) -> None:
    """Show the tables of a run.

    Args:
        report: What `write_report` returned.
        against: The name of an entry to compare the others with.
        full: Show all sections and columns, with intervals.
        legend: Explain all columns and marks; otherwise they are explained in short, once to each user.
        with_page: Also write report.html, unless the run is too large for it.
    """
    run = report.records.run
    console = new_console()
    explained: Legend = "whole" if full or legend else "none" if has_seen_the_legend() else "short"
    reports.show(report.sections(Detail.DETAILS if full else Detail.BOARD), console, full, explained)
    if not full:
        say(MORE)
    for table in report.against(against) if against else ():
        show_part(table, console)
    for line in [*report.failures(), run_in_words(run)]:
        say(line)
    for name, value in official.facts(run.info).items():
        say(f"{name}: {value}")
    if with_page and (page := write_page(report)):
        say(f"report: {page}")
    say(f"{VERIFY_WITH}: {run_folder.verify_command(run.folder)}")


def has_seen_the_legend() -> bool:
    """Return whether the user has been shown the short legend before, and note that it is shown now."""
    try:
        seen = paths.xdg_folder("data") / "legend-seen"
        if seen.exists():
            return True
        seen.parent.mkdir(parents=True, exist_ok=True)
        seen.touch()
    except (OSError, RuntimeError):  # there is no home folder, or it is read-only
        pass
    return False


def write_page(report: RunReport) -> str:
    """Write report.html, and return its path; "" if the run is too large for it."""
    with working("writing report.html"):
        page = write_own_page(report)
    return paths.relative_to_cwd(page) if page else ""
