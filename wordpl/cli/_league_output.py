"""`wordpl league leaderboard`, `stats` and `compare`: what the results say."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._league_store import league_option, open_store, store_option
from wordpl.core.errors import UserError

if TYPE_CHECKING:
    from wordpl.league.resolve import ResolvedLeague
    from wordpl.reports.plain_table import PlainTable

FORMATS = ("terminal", "markdown", "csv")
KINDS = {".png": "png", ".svg": "svg"}


class Picture(click.Path):
    """The file of a picture, whose ending says its kind."""

    name = "picture"

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the file's path; refuse a kind that cannot be drawn."""
        path = super().convert(value, param, ctx)
        if path.suffix not in KINDS:
            self.fail(f"{value!r} should end in {' or '.join(KINDS)}.", param, ctx)
        return path


def format_option(command: Callable) -> Callable:
    """Add --format."""
    return click.option("--format", "style", type=click.Choice(FORMATS), default="terminal", show_default=True)(command)


def distribution_option(command: Callable) -> Callable:
    """Add --distribution."""
    what = "Also draw how many guesses are needed how often: a .png or .svg file."
    return click.option("--distribution", type=Picture(), help=what)(command)


@click.command()
@click.option("--method", default="mean", show_default=True, help="A ranking: `wordpl league compare` names them all.")
@click.option("--channel-only", metavar="ID", help="Count only what was posted in this Discord channel.")
@click.option("--game-cutoff", default=3, show_default=True, type=click.IntRange(1), help="Fewest games to be shown.")
@click.option("--x-is-seven/--x-left-out", default=False, show_default=True, help="What an unsolved puzzle counts.")
@click.option("--elo-k", type=click.FloatRange(0.1, 30), help="Points that a match of elo is about.  [default: 2]")
@click.option(
    "--day-adjustment/--no-day-adjustment",
    default=True,
    show_default=True,
    help="Do not hold hard days against those who played them (mean).",
)
@click.option(
    "--bayes-adjustment/--no-bayes-adjustment",
    default=True,
    show_default=True,
    help="Draw players with few games towards the mean of all (mean).",
)
@format_option
@click.option("--curves", type=Picture(), help="Also draw ratings over time: a .png or .svg file.")
@distribution_option
@league_option
@store_option
def leaderboard(
    channel_only: str | None, style: str, curves: Path | None, distribution: Path | None, key: str, url: str, **chosen
) -> None:
    """Rank the players of a league, with an interval for every number.

    \b
    wordpl league leaderboard
    wordpl league leaderboard --method map-elo --x-is-seven --curves curves.png
    wordpl league leaderboard --format markdown > LEADERBOARD.md
    """
    counted = _counted(url, key, channel_only)
    from wordpl.cli._league_tables import remarks, with_remarks
    from wordpl.league.settings import LeaderboardSettings
    from wordpl.reports import pictures
    from wordpl.reports import rankings as reports
    from wordpl.stats import rankings

    ranking = LeaderboardSettings(**chosen).ranking()
    table = ranking(counted.results)
    if table.empty:
        raise UserError(f"nobody has {ranking.game_cutoff} games: --game-cutoff says how many it takes to be shown.")
    emit([with_remarks(reports.ranking_table(table, ranking), remarks(counted))], reports.ranking_csv(table), style)
    if curves:
        moved = rankings.curves(counted.results, ranking)
        _save(curves, pictures.rating_curves(moved, table, ranking, KINDS[curves.suffix]))
    if distribution:
        _save(distribution, pictures.distribution(counted.results, None, KINDS[distribution.suffix]))


@click.command()
@click.argument("player")
@format_option
@distribution_option
@league_option
@store_option
def stats(player: str, style: str, distribution: Path | None, key: str, url: str) -> None:
    """Show one player's results: distribution, streaks, mean by month, best and worst days, and each opponent.

    PLAYER is a name or a Discord id. The CSV has the player's games, a row each.

    \b
    wordpl league stats "Player One"
    wordpl league stats "Player One" --distribution me.png
    """
    league = open_store(url).find(key)
    from wordpl.cli._league_tables import personal_tables, remarks, with_remarks
    from wordpl.league.stats import personal
    from wordpl.reports import pictures
    from wordpl.reports.plain_table import semicolons

    counted = league.resolved()
    name = counted.find(player, league.names())
    games = counted.results[counted.results["player"] == name]
    *tables, last = personal_tables(personal(counted.results, name))
    heads = list(games.columns)
    emit([*tables, with_remarks(last, remarks(counted))], semicolons(heads, games.itertuples(index=False)), style)
    if distribution:
        _save(distribution, pictures.distribution(counted.results, name, KINDS[distribution.suffix]))


@click.command()
@format_option
@league_option
@store_option
def compare(style: str, key: str, url: str) -> None:
    """Show which ranking predicts this group's own days best, from the days before them.

    \b
    wordpl league compare
    """
    counted = _counted(url, key)
    from wordpl.reports.plain_table import semicolons
    from wordpl.reports.rankings import comparison_table
    from wordpl.stats import rankings

    table = rankings.compare_methods(counted.results)
    emit([comparison_table(table)], semicolons(list(table.columns), table.itertuples(index=False)), style)


def _counted(url: str, key: str | None, channel: str | None = None) -> "ResolvedLeague":
    counted = open_store(url).find(key).resolved(channel)
    if counted.results.empty:
        raise UserError("there are no results" + (f" from the channel {channel!r}." if channel else " in this league."))
    return counted


def emit(tables: Sequence["PlainTable"], csv: str, style: str) -> None:
    """Print the tables for the terminal or as Markdown, or else the CSV."""
    from rich.console import Console

    from wordpl.reports import plain_table

    if style == "csv":
        click.echo(csv, nl=False)
    elif style == "markdown":
        click.echo("\n".join(map(plain_table.markdown, tables)), nl=False)
    else:
        console = Console()
        for table in tables:
            plain_table.show(table, console)
            console.print()


def _save(path: Path, picture: bytes) -> None:
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None
