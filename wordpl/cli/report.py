"""`wordpl report`: the page of runs as one HTML file."""

from pathlib import Path

import click

from wordpl.cli._echo import say
from wordpl.cli._status_line import working

A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(name="report")
@click.argument("folders", metavar="RUN [RUN...]", nargs=-1, required=True, type=A_FOLDER)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="The HTML file.")
@click.option("--verify/--no-verify", "is_verified", default=True, help="Let the page say what wordpl verify says.")
@click.option("--boards", "only_boards", is_flag=True, help="Write LEADERBOARD.md and scores.csv of each RUN anew.")
def command(folders: tuple[Path, ...], output: Path | None, is_verified: bool, only_boards: bool) -> None:
    """Show runs as one HTML page that opens from disk, offline: boards, curves, pairs of entries, games to replay.

    \b
        wordpl report results/RUN -o report.html
        wordpl report results/MAY results/JUNE -o summer.html     the history of entries over runs too
        wordpl report results/bundled results/official --boards   LEADERBOARD.md and scores.csv written anew

    The page is one file without links to others, and may be sent or hosted as it is. It has the moves of as many games
    as fit into 2 MB, and says which.
    """
    if output is None and not only_boards:
        raise click.UsageError("name the file to write, such as -o report.html.")
    if only_boards:
        for folder in folders:
            with working(f"computing the tables of {folder}"):
                from wordpl.core.records import Run
                from wordpl.core.run_records import RunRecords
                from wordpl.reports.run_report import RunReport

                RunReport(RunRecords(Run(folder))).write()
            say(f"LEADERBOARD.md and scores.csv of {folder} are written anew.")
    if output is not None:
        with working("writing the page"):
            from wordpl.reports import run_pages

            run_pages.write_page(folders, output, is_verified)
        say(f"The page is {output} ({output.stat().st_size / 1e6:.2f} MB).")
