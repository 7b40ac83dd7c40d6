"""What the bot shows: the commands' tables as text for a channel, with a picture each."""

from dataclasses import replace
from io import StringIO

from rich.console import Console

from wordpl.cli._league_tables import personal_tables, remarks, with_remarks
from wordpl.core.errors import UserError
from wordpl.league.bot.replies import MAX_TEXT, Reply, Views
from wordpl.league.resolve import Counted
from wordpl.league.settings import Settings
from wordpl.league.stats import personal
from wordpl.reports import pictures, plain_table
from wordpl.reports.plain_table import PlainTable
from wordpl.reports.rankings import ranking_table
from wordpl.stats import rankings

WIDTH = 72
MAX_ROWS = 30
FENCE = "```"


def views() -> Views:
    """Return how the bot shows results."""
    return Views(leaderboard, one_player)


def leaderboard(counted: Counted, settings: Settings) -> Reply:
    """Return the leaderboard with the ratings over time."""
    ranking = settings.ranking()
    table = ranking(counted.results)
    if table.empty:
        raise UserError(f"Nobody has {ranking.game_cutoff} games yet: game_cutoff says how many it takes to be shown.")
    shown = with_remarks(ranking_table(table, ranking), remarks(counted))
    picture = pictures.rating_curves(rankings.curves(counted.results, ranking), table, ranking)
    return Reply(as_text([shown]), picture)


def one_player(counted: Counted, player: str) -> Reply:
    """Return a player's results with their distribution."""
    tables = personal_tables(personal(counted.results, player))
    return Reply(as_text(tables), pictures.distribution(counted.results, player))


def as_text(tables: list[PlainTable]) -> str:
    """Return the tables as a message, the ends of the longest left out where they do not fit."""
    n_rows = MAX_ROWS
    while len(text := _text(tables, n_rows)) > MAX_TEXT and n_rows > 1:
        n_rows -= 1
    return text


def _text(tables: list[PlainTable], n_rows: int) -> str:
    file = StringIO()
    console = Console(file=file, width=WIDTH, color_system=None)
    for table in tables:
        plain_table.show(replace(table, rows=table.rows[:n_rows]), console)
        if len(table.rows) > n_rows:
            console.print(f"… and {len(table.rows) - n_rows:,} more rows")
    lines = (line.rstrip() for line in file.getvalue().replace("`", "'").splitlines())
    return "\n".join([FENCE, *lines, FENCE])
