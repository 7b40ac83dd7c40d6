"""`wordpl league leaderboard`, `stats`, `compare`, `day`, `crowns` and `conflicts`; the options of all its commands."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.cli._command import SuggestingGroup, library_needed
from wordpl.cli._options import options
from wordpl.cli._output import print_json, say, show_tables, working
from wordpl.core.messages import UserError, amount

if TYPE_CHECKING:
    from wordpl.apps.league.resolve import ResolvedLeague
    from wordpl.apps.league.store import League, LeagueStore
    from wordpl.reports.elements import Table

FORMATS = ("terminal", "markdown", "csv", "html")
JSON = "json"
"""The format that --json chooses."""
Command = TypeVar("Command", bound=Callable[..., Any])
KINDS: dict[str, Literal["png", "svg"]] = {".png": "png", ".svg": "svg"}


class Picture(click.Path):
    """A path of a picture to write; its suffix selects the format."""

    name = "picture"

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; fail if its suffix is not that of a supported format."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path.suffix not in KINDS:
            self.fail(f"{value!r} must end in {' or '.join(KINDS)}.", param, ctx)
        return path


def _remember_json(context: click.Context, _option: click.Parameter, given: bool) -> None:
    context.meta[JSON] = given


def _choose_format(context: click.Context, _option: click.Parameter, style: str) -> str:
    return JSON if context.meta[JSON] else style


def format_option(command: Command) -> Command:
    """Add --format, and --json, which chooses one more format."""
    help_text = "Print JSON; `wordpl docs output` describes its fields."
    command = click.option(
        "--json", is_flag=True, is_eager=True, expose_value=False, callback=_remember_json, help=help_text
    )(command)
    return click.option(
        "--format", "style", type=click.Choice(FORMATS), default="terminal", show_default=True, callback=_choose_format,
        help="Output format.",
    )(command)  # fmt: skip


distribution_option = click.option(
    "--distribution", type=Picture(), help="Also draw the distribution of guesses into this .png or .svg file."
)
dark_option = click.option("--dark", is_flag=True, help="Draw on a dark background, as in Discord.")
store_option = click.option(
    "--store",
    "url",
    default="league.sqlite",
    show_default=True,
    envvar="WORDPL_LEAGUE",
    show_envvar=True,
    help="Store of the results: a SQLite file, or postgresql://USER@HOST/NAME.",
)
key_option = click.option(
    "--league", "key", help="Name or Discord server id of the league; needed if the store has several."
)


def league_options(command: Command) -> Command:
    """Add --league and --store to a command, which gets the `League` that they name."""

    @wraps(command)
    def with_league(key: str | None, url: str, **options: Any) -> Any:
        return command(league=open_store(url).find(key), **options)

    return key_option(store_option(with_league))  # type: ignore[return-value]  # click gives the parameters


def require_libraries() -> None:
    """Raise UserError if a library that the league needs is missing."""
    with library_needed("the league", 'pip install "wordpl[league]"'):
        import wordpl.apps.league.store  # noqa: F401


def open_store(url: str, create: bool = False) -> "LeagueStore":
    """Return the store at `url`, which is created if `create` is set. It is closed when the command ends.

    Raises:
        UserError: The store cannot be opened, or a library is missing.
    """
    require_libraries()
    from wordpl.apps.league.store import LeagueStore  # imported here so that --help stays fast

    store = LeagueStore(url, create)
    click.get_current_context().call_on_close(store.close)
    return store


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Rank friends by their daily Wordle results.

    Results are imported from Discord, WhatsApp, Telegram, share texts or tables.

    \b
    wordpl league import channel.json shares.txt results.csv
    wordpl league leaderboard
    wordpl league stats "Player One"
    """


@command.command()
@options(LeaderboardSettings, "method")
@click.option("--channel-only", metavar="ID", help="Count only what was posted in this Discord channel.")
@options(LeaderboardSettings, "game_cutoff", "elo_k", "day_adjustment", "bayes_adjustment", "season")
@dark_option
@format_option
@click.option("--curves", type=Picture(), help="Also draw the ratings over time into this .png or .svg file.")
@distribution_option
@league_options
def leaderboard(
    league: "League",
    channel_only: str | None,
    style: str,
    curves: Path | None,
    distribution: Path | None,
    dark: bool,
    **chosen: Any,
) -> None:
    """Rank the players of a league.

    Every rating has a confidence interval. Whether X counts as 7 guesses is chosen by `wordpl league settings`.

    \b
    wordpl league leaderboard
    wordpl league leaderboard --method map-elo --curves curves.png
    wordpl league leaderboard --season 2026-11
    wordpl league leaderboard --format markdown > LEADERBOARD.md
    wordpl league leaderboard --format html > league.html
    """
    resolved = _resolved(league, channel_only)
    with working("loading the rankings"):
        from wordpl.apps.league import pictures
        from wordpl.apps.league import report as reports
        from wordpl.apps.league.report import remarks, with_remarks
        from wordpl.apps.league.statistics import parse_season
        from wordpl.reports.as_json import frame
        from wordpl.stats import rankings

    settings = LeaderboardSettings(**chosen, **resolved.board_options)
    ranking = settings.ranking()
    results = parse_season(settings.season).results(resolved.results) if settings.season else resolved.results
    with working("ranking the players"):
        table = ranking(results)
    if table.empty:
        raise UserError(f"no player has {amount(ranking.game_cutoff, 'game')}: lower --game-cutoff.")
    if style == JSON:
        values = {"method": settings.method, "players": frame(table), "notes": remarks(resolved)}
        print_json("league-leaderboard", values)
    else:
        emit(
            [with_remarks(reports.ranking_table(table, ranking), remarks(resolved))], reports.ranking_csv(table), style
        )
    themes = (pictures.LIGHT, pictures.DARK)
    if curves:
        curve_points = rankings.curves(results, ranking)
        _save(curves, pictures.rating_curves(curve_points, table, ranking, KINDS[curves.suffix], themes[dark]))
    if distribution:
        _save(distribution, pictures.distribution(results, None, KINDS[distribution.suffix], themes[dark]))


@command.command()
@click.argument("player")
@dark_option
@format_option
@click.option(
    "--curve", type=Picture(), help="Also draw the running mean with its interval into this .png or .svg file."
)
@distribution_option
@league_options
def stats(league: "League", player: str, dark: bool, style: str, curve: Path | None, distribution: Path | None) -> None:
    """Show the results of one player.

    The tables show the distribution of guesses, streaks, monthly means, the best and worst days, and the results
    against each opponent. PLAYER is a name or a Discord id. With --format csv, each row is one game of the player.

    \b
    wordpl league stats "Player One"
    wordpl league stats "Player One" --distribution me.png
    """
    from wordpl.apps.league import pictures
    from wordpl.apps.league.report import personal_tables, remarks, with_remarks
    from wordpl.apps.league.statistics import player_stats
    from wordpl.reports.results import semicolons

    resolved = _resolved(league)
    name = resolved.find(player, league.names())
    games = resolved.results[resolved.results["player"] == name]
    *tables, last = personal_tables(
        player_stats(resolved.results, name, unfinished=resolved.unfinished, x_is_seven=resolved.options.x_is_seven)
    )
    heads = list(games.columns)
    emit([*tables, with_remarks(last, remarks(resolved))], semicolons(heads, games.itertuples(index=False)), style)
    theme = pictures.DARK if dark else pictures.LIGHT
    if distribution:
        _save(distribution, pictures.distribution(resolved.results, name, KINDS[distribution.suffix], theme))
    if curve:
        _save(curve, pictures.running_means(resolved.results, [name], KINDS[curve.suffix], theme))


@command.command()
@click.argument("players", nargs=-1)
@format_option
@league_options
def compare(league: "League", players: tuple[str, ...], style: str) -> None:
    """Compare two PLAYERS on the days that both played.

    Without PLAYERS, compare the ranking methods: which one predicts the results of this league best.

    \b
    wordpl league compare "Player One" "Player Two"
    wordpl league compare
    """
    if len(players) not in (0, 2):
        raise UserError(
            f"give two players to compare, or no player to compare the ranking methods; got {len(players)}."
        )
    resolved = _resolved(league)
    from wordpl.apps.league.report import comparison_of_players, comparison_table
    from wordpl.apps.league.statistics import compare_players
    from wordpl.reports.results import semicolons
    from wordpl.stats import rankings

    if players:
        names = league.names()
        first, second = (resolved.find(player, names) for player in players)
        found = compare_players(resolved.counted, first, second)
        comparison = comparison_of_players(found, resolved.options.x_is_seven)
        emit([comparison], semicolons(comparison.heads, comparison.rows), style)
        return
    with working("comparing the rankings"):
        table = rankings.compare_methods(resolved.results, rankings.RANKINGS)
    emit([comparison_table(table)], semicolons(list(table.columns), table.itertuples(index=False)), style)


@command.command()
@click.argument("puzzle", required=False)
@format_option
@league_options
def day(league: "League", puzzle: str | None, style: str) -> None:
    """Show all results of one PUZZLE, by default of the newest.

    PUZZLE is a puzzle number, a date, `today` or `yesterday`.

    \b
    wordpl league day 1567
    """
    resolved = _resolved(league)
    from wordpl.apps.league import statistics
    from wordpl.apps.league.report import day_table
    from wordpl.core import puzzles

    number = puzzles.parse_puzzle(puzzle, datetime.now(UTC), resolved.options.zone)
    number = int(resolved.results["day"].max()) if number is None else number
    results = statistics.day_results(resolved.results, number)
    _emit_table(day_table(number, results, resolved.options.x_is_seven), style)


@command.command()
@format_option
@league_options
def missing(league: "League", style: str) -> None:
    """Show who has not played today's puzzle yet, of those who played in the two weeks before."""
    resolved = _resolved(league)
    from wordpl.apps.league import statistics
    from wordpl.apps.league.report import missing_table
    from wordpl.core import puzzles

    number = puzzles.today_in(resolved.options.zone, datetime.now(UTC))
    _emit_table(missing_table(statistics.missing(resolved.results, number), number), style)


@command.command()
@options(LeaderboardSettings, "season")
@format_option
@league_options
def crowns(league: "League", style: str, season: str | None = None) -> None:
    """Count the days on which each player had the best result."""
    resolved = _resolved(league)
    from wordpl.apps.league import statistics
    from wordpl.apps.league.report import crowns_table

    results = statistics.parse_season(season).results(resolved.results) if season else resolved.results
    _emit_table(crowns_table(statistics.crowns(results)), style)


@command.command()
@format_option
@league_options
def conflicts(league: "League", style: str) -> None:
    """List reports that do not count.

    These contradict each other or a more reliable source, such as the summary of the app, or are late. Messages of
    Discord that could not be read are listed too.

    Exit code 1: there are such reports or messages.
    """
    from wordpl.apps.league.report import conflicts_table, not_read_table
    from wordpl.reports.results import semicolons

    found, not_read = league.resolved().conflicts, league.not_read()
    if not len(found) and not not_read and style == "terminal":
        say("No conflicts.")
        return
    shown = [conflicts_table(found)]
    if not_read:
        shown.append(not_read_table(not_read, league.names(), league.key))
    emit(shown, semicolons(shown[0].heads, shown[0].rows), style)
    if len(found) or not_read:
        click.get_current_context().exit(1)


def _emit_table(table: "Table", style: str) -> None:
    from wordpl.reports.results import semicolons

    emit([table], semicolons(table.heads, table.rows), style)


def _resolved(league: "League", channel: str | None = None) -> "ResolvedLeague":
    with working("reading the league"):
        resolved = league.resolved(channel)
    if resolved.results.empty:
        raise UserError("there are no results" + (f" from the channel {channel!r}." if channel else " in this league."))
    return resolved


def emit(tables: Sequence["Table"], csv: str, style: str) -> None:
    """Print the tables as text, Markdown, HTML or JSON, or print the CSV; `style` is one of FORMATS, or JSON."""
    from wordpl.reports import as_json, renderers

    if style == JSON:
        name = click.get_current_context().info_name
        print_json(f"league-{name}", {"tables": as_json.parts(tables)})
    elif style == "csv":
        click.echo(csv, nl=False)
    elif style == "markdown":
        click.echo("\n".join(map(renderers.markdown_table, tables)), nl=False)
    elif style == "html":
        from wordpl.reports.html.document import tables_page

        click.echo(tables_page(tables[0].title, tables), nl=False)
    else:
        show_tables(tables, spaced=True)


def _save(path: Path, picture: bytes) -> None:
    try:
        path.write_bytes(picture)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None
