"""`wordpl report`: write an HTML page about runs."""

from pathlib import Path

import click

from wordpl.cli import _run_options
from wordpl.cli._options import max_games_option, own_game_option
from wordpl.cli._output import say
from wordpl.cli._status_line import working
from wordpl.cli._values import RUN, complete_scores
from wordpl.core.memory import return_large_arrays


@click.command(name="report")
@click.argument("folders", metavar="RUN [RUN...]", nargs=-1, required=True, type=RUN)
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="HTML file to write."
)
@max_games_option
@own_game_option
@click.option("--verify/--no-verify", "is_verified", default=True, help="Show the result of wordpl verify on the page.")
@click.option(
    "--score",
    callback=_run_options.read_score,
    shell_complete=complete_scores,
    metavar="NAME",
    help="With --boards: order them by this score.",
)
@click.option("--boards", "only_boards", is_flag=True, help="Rewrite LEADERBOARD.md and scores.csv of each RUN.")
def command(
    folders: tuple[Path, ...],
    output: Path | None,
    is_verified: bool,
    score: str | None,
    only_boards: bool,
    max_games: int,
) -> None:
    """Write an HTML page about one or more runs.

    The page shows boards, curves, comparisons of entries, and games to replay.

    \b
    wordpl report results/RUN -o report.html
    wordpl report results/MAY results/JUNE -o summer.html
    wordpl report results/bundled results/official --boards

    The page is a single file that works offline, so you can send or host it as it is. It contains the moves of as many
    games as fit into 2 MB, and lists which. A page about several runs also shows how the scores of each entry changed.
    """
    if output is None and not only_boards:
        raise click.UsageError("name the file to write, for example -o report.html.")
    if score and not only_boards:
        raise click.UsageError("--score needs --boards.")
    return_large_arrays()  # before libraries fill the gaps between them
    if only_boards:
        for folder in folders:
            with working(f"computing the tables of {folder}"):
                from wordpl.reports.run_report import RunReport
                from wordpl.run.folder import Run, RunRecords

                RunReport(RunRecords(Run(folder, max_games)), score=score).write()
            say(f"Rewrote LEADERBOARD.md and scores.csv of {folder}.")
    if output is not None:
        with working("writing the page"):
            from wordpl.reports import run_pages

            run_pages.write_page(folders, output, is_verified, max_games)
        say(f"The page is {output} ({output.stat().st_size / 1e6:.2f} MB).")
