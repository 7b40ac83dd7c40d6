"""`wordpl join`: make a run of its parts, which were played elsewhere."""

from pathlib import Path

import click

from wordpl.cli import _arguments, _command
from wordpl.cli._arguments import RUN
from wordpl.run.config import RunConfig


@click.command()
@click.argument("run", type=RUN)
@click.argument("parts", nargs=-1, type=RUN)
@_arguments.run_options("level", "player")
@_arguments.jobs_option
@click.option("--full", is_flag=True, help="Show all numbers: intervals, times, faults, comparisons of entries.")
@click.option("--report/--no-report", "with_page", default=True, help="Write report.html into the run's folder.")
@_command.max_games_option
@_command.json_option
@_command.quiet_option
@_command.csv_separator_option
@_command.log_option
def command(
    run: Path,
    parts: tuple[Path, ...],
    config: RunConfig,
    jobs: int | None,
    full: bool,
    with_page: bool,
    max_games: int,
    as_json: bool,
    quiet: bool,
    separator: str,
) -> None:
    """Make RUN of its PARTS, by default of those in its own folder.

    \b
    wordpl evaluate my_bot other_bot --prepare
    wordpl evaluate results/RUN --part 1/2     on each machine another part
    wordpl join results/RUN

    Each part is checked: its seal, its terms, its entries and their files by digest, the numbers of its games. Games
    that no part has are played here, and so are the rest of interrupted parts and the repetitions. The records are the
    same bytes as those of a run on one machine. Whoever plays a part knows the secrets of its games, and could choose
    its moves: `wordpl verify --replay` finds that.
    """
    from wordpl.cli._run_progress import play_run  # slow to import
    from wordpl.cli.evaluate import show_run
    from wordpl.contest import Contest
    from wordpl.contest.parts import found_in

    contest = Contest.resume(run, jobs=jobs, level=config.level, trusted=config.is_trusted, max_games=max_games)
    joined = play_run(contest, quiet=quiet, parts=lambda run: parts or found_in(run))
    show_run(joined, None, full=full, legend=False, with_page=with_page, as_json=as_json, separator=separator)
