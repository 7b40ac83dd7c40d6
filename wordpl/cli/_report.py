"""Shows the report of a run: tables, and the commands that replay what went wrong."""

from rich.console import Console

from wordpl import reports
from wordpl.cli._echo import say
from wordpl.cli._progress import run_in_words
from wordpl.contest import command_lines, official
from wordpl.core.records import Run
from wordpl.core.run_records import RunRecords
from wordpl.reports.run_pages import write_own_page
from wordpl.reports.run_report import VERIFY_WITH, RunReport


def show_report(run: Run, against: str | None = None, *, wide: bool = False, with_page: bool = False) -> None:
    """Write the run's scores.csv and LEADERBOARD.md, and show them.

    Args:
        run: A run of which games have been played.
        against: The name of an entry to compare the others with.
        wide: Show all columns.
        with_page: Also write report.html, if the run is not too large for it.
    """
    report = RunReport(RunRecords(run))
    report.write()
    console = Console()
    reports.show(report.boards, console, wide)
    if against:
        for name, differences in report.against(against):
            reports.show_against(differences, name, console)
    for line in [*report.failures(), *report.remarks, run_in_words(run)]:
        say(line)
    for name, value in official.facts(run.info).items():
        say(f"{name}: {value}")
    if with_page and (page := write_own_page(report)):
        say(f"report: {page}")
    say(f"{VERIFY_WITH}: {command_lines.verify_command(run.folder)}")
