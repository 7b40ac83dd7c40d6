"""`wordpl record`: who holds a record, and whether a run shows one."""

from pathlib import Path

import click

from wordpl.cli._echo import say

A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
A_FILE = click.Path(exists=True, dir_okay=False, writable=True, path_type=Path)


@click.command(name="record")
@click.argument("folder", metavar="RUN", type=A_FOLDER)
@click.option("--quantile", type=click.Choice(["0.05", "0.5", "0.95"]), help="Judge one claim: this share of games ...")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="... is won within this budget.")
@click.option("--against", metavar="ENTRY", help="With a claim: compare this entry with every other, game by game.")
@click.option("--write", "pages", metavar="FILE", multiple=True, type=A_FILE, help="Put the boards into this page.")
def command(folder: Path, quantile: str | None, budget: float | None, against: str | None, pages: tuple[Path, ...]):
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
    from wordpl.cli import _record_run  # brings pandas and scipy, which --help should not wait for

    if (quantile is None) != (budget is None):
        raise click.UsageError("a claim takes both, such as --quantile 0.05 --budget 14.35.")
    if against and quantile is None:
        raise click.UsageError("--against takes a claim, such as --quantile 0.05 --budget 14.35.")
    if pages and quantile is not None:
        raise click.UsageError("--write takes no claim: it writes the boards of all three quantiles.")
    games = _record_run.Games.of(folder)
    if quantile is not None:
        _record_run.judge(games, (float(quantile), budget), against)
    elif pages:
        _record_run.write(games, pages)
        say(f"The boards of {folder} stand in {', '.join(map(str, pages))}.")
    else:
        _record_run.show_boards(games)
