"""`wordpl report`, `publish`, `site` and `export`: pages, archives and tables of runs."""

from pathlib import Path

import click

from wordpl.cli import _arguments
from wordpl.cli._arguments import RUN, complete_scores
from wordpl.cli._command import A_FOLDER, max_games_option, own_game_option
from wordpl.cli._output import progress_bar, say, working
from wordpl.core import return_large_arrays
from wordpl.core.messages import amount


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
    callback=_arguments.read_score,
    shell_complete=complete_scores,
    metavar="NAME",
    help="With --boards: order them by this score.",
)
@click.option("--boards", "only_boards", is_flag=True, help="Rewrite LEADERBOARD.md and scores.csv of each RUN.")
def report_command(
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
            from wordpl.reports import publication

            publication.write_page(folders, output, is_verified, max_games)
        say(f"The page is {output} ({output.stat().st_size / 1e6:.2f} MB).")


@click.command(name="publish")
@click.argument("folder", metavar="RUN", type=A_FOLDER)
@click.option(
    "-o",
    "--output",
    metavar="FILE.zip",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Archive to write.",
)
@click.option(
    "--with-entries/--without-entries",
    default=None,
    help="Whether to include the files of the entries, which anybody can then read, and play again.",
)
@click.option("--title", default="", help="Title of the archive's README. [default: A contest of wordpl]")
@max_games_option
def publish_command(folder: Path, output: Path, with_entries: bool | None, title: str, max_games: int) -> None:
    """Write an archive of a finished run that anybody can verify on their own machine.

    The archive is one ZIP file: the run's folder with its page, its word lists, and a README for a reader who knows
    nothing of wordpl, which contains the commitment and the versions. The same run gives the same bytes. Deposit it
    where it gets a DOI, or attach it to a release.

    Say whether the files of the entries are published, too. With them, games can be replayed; their authors should
    have agreed.

    \b
    wordpl publish results/RUN -o may-2026.zip --with-entries
    wordpl verify may-2026.zip --replay 200
    """
    from wordpl.reports.publication import publish_run

    if not output.suffix == ".zip":
        raise click.BadParameter(f"{output} should end with .zip.", param_hint="-o")
    if with_entries is None:
        raise click.UsageError("say --with-entries or --without-entries: may everybody read the entries' files?")
    with working("writing the page and the archive"):
        n_files = publish_run(folder, output, with_entries=with_entries, title=title, max_games=max_games)
    say(f"{output}: {amount(n_files, 'file')}, {output.stat().st_size / 1e6:.2f} MB. Check it: wordpl verify {output}")


@click.command(name="site")
@click.argument("results", type=A_FOLDER)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="DIR",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write.",
)
@click.option(
    "--verify/--no-verify", "is_verified", default=True, help="Show the results of wordpl verify on the pages."
)
@max_games_option
def site_command(results: Path, out: Path, is_verified: bool, max_games: int) -> None:
    """Write a static site about all runs in the folder RESULTS.

    The site has an index with the records over time, and a page for each run and each entry. You can publish the folder
    as it is: the pages load nothing from other servers.

    Example: wordpl site results -o public
    """
    with working("loading pandas and scipy"):
        from wordpl.reports import site

    pages = site.write_site(results, out, is_verified, progress, max_games)
    say(f"Wrote {amount(len(pages), 'page')} to {out}. Start with {pages[0]}.")


def progress(what: str) -> None:
    """Show what is being written."""
    say(f"writing {what}", err=True)


@click.command()
@click.argument("run", type=RUN)
@click.option(
    "--parquet",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Parquet file to write.",
)
@max_games_option
def export_command(run: Path, parquet: Path, max_games: int) -> None:
    """Export the games of RUN to one Parquet file.

    The file has a row for each game, with its moves and times.

    \b
    wordpl export results/RUN --parquet run.parquet
    duckdb -c "select entry, verdict, count(*) from 'run.parquet' group by all"
    """
    from wordpl.reports.parquet import export
    from wordpl.run.folder import Run

    stored_run = Run(run, max_games)
    with progress_bar(stored_run.info.config.n_games * len(stored_run.info.entries), "game", delay=2) as bar:
        n_games = export(stored_run, parquet, bar.update)
    say(f"{parquet}: {amount(n_games, 'game')} of {amount(len(stored_run.info.entries), 'entry', 'entries')}")
