"""`wordpl export`: write a run to one Parquet file for other programs."""

from pathlib import Path

import click

from wordpl.cli._options import max_games_option
from wordpl.cli._output import say
from wordpl.cli._progress_bars import progress_bar
from wordpl.cli._values import RUN
from wordpl.core.messages import amount


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
def command(run: Path, parquet: Path, max_games: int) -> None:
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
