"""`wordpl record`: who holds a record, and whether a run shows one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._echo import say

if TYPE_CHECKING:
    from wordpl.reports.plain_table import PlainTable
    from wordpl.reports.record_report import RecordReport

A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
A_FILE = click.Path(exists=True, dir_okay=False, writable=True, path_type=Path)


@click.command(name="record")
@click.argument("folder", metavar="RUN", type=A_FOLDER)
@click.option("--quantile", type=click.Choice(["0.05", "0.5", "0.95"]), help="Judge one claim: this share of games ...")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="... is won within this budget.")
@click.option("--against", metavar="ENTRY", help="With a claim: compare this entry with every other, game by game.")
@click.option("--write", "pages", metavar="FILE", multiple=True, type=A_FILE, help="Put the boards into this page.")
def command(
    folder: Path, quantile: str | None, budget: float | None, against: str | None, pages: tuple[Path, ...]
) -> None:
    """Say who holds the records at 5, 50 and 95 % in a RUN, or judge one claim by it.

    \b
        wordpl record results/RUN
        wordpl record results/RUN --quantile 0.05 --budget 14.35
        wordpl record results/RUN --quantile 0.5 --budget 36.9 --against "Schedule(plan='p50', budget=36.7)"
        wordpl record results/RUN --write README.md --write results/LEADERBOARD.md

    The score at a quantile is the least budget within which that share of all games is won. A run shows it if the
    exact lower 95 % bound of the share is above the quantile; a record takes 20,000 games, fixed beforehand, of an
    official run. A claim may also be judged while its run goes on, as often as you like: docs/deciding.md tells how.

    --write replaces what stands between the lines "<!-- records -->" and "<!-- end of records -->".
    """
    if (quantile is None) != (budget is None):
        raise click.UsageError("a claim takes both, such as --quantile 0.05 --budget 14.35.")
    if against and quantile is None:
        raise click.UsageError("--against takes a claim, such as --quantile 0.05 --budget 14.35.")
    if pages and quantile is not None:
        raise click.UsageError("--write takes no claim: it writes the boards of all three quantiles.")
    from wordpl.reports.record_report import RecordReport  # brings pandas and scipy, which --help should not wait for

    report = RecordReport(folder)
    if pages:
        report.write(pages)
        say(f"The boards of {folder} are now in {', '.join(map(str, pages))}.")
    elif quantile is not None and budget is not None:
        found = report.judge((float(quantile), budget), against)
        show([found.judgement, *found.duels])
        show_unfit(report)
    else:
        show(report.boards())
        for line in report.remarks:
            say(line)
        show_unfit(report)


def show(tables: Sequence["PlainTable"]) -> None:
    """Print the tables."""
    from rich.console import Console

    from wordpl.reports import plain_table

    for table in tables:
        plain_table.show(table, Console())


def show_unfit(report: "RecordReport") -> None:
    """Show what keeps a run from holding records."""
    from wordpl.reports.record_report import unfit

    for reason in unfit(report.info):
        say(f"No records are held by this run: {reason}.")
