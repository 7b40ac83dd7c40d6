"""The bot's replies and posts: paginated tables as text, some of them with a picture."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from io import StringIO
from threading import Lock
from typing import Any

import pandas as pd
from rich.console import Console

from wordpl.core.messages import UserError, amount
from wordpl.league import statistics
from wordpl.league.player_names import NameResolver
from wordpl.league.puzzles import number_on
from wordpl.league.resolve import ResolvedLeague
from wordpl.league.statistics import LeaderboardSettings, player_stats, streaks
from wordpl.reports import league as tables
from wordpl.reports import pictures
from wordpl.reports.league import ranking_table
from wordpl.reports.renderers import show_table
from wordpl.reports.section import Table
from wordpl.stats import rankings

MAX_TEXT = 2000
"""The maximum length of a Discord message, in characters."""
WIDTH = 72
PAGE_ROWS = 10
MAX_MENTIONS = 60
FENCE = "```"
_DRAWING = Lock()
"""Held while a picture is drawn: matplotlib is not thread-safe."""


@dataclass(frozen=True)
class BotReply:
    """A reply of the bot.

    Attributes:
        text: The text, at most MAX_TEXT characters.
        picture: The bytes of a PNG, if any.
        page: Which page this is, from 0.
        n_pages: The number of pages.
        is_answer: False for an error message, which cannot be published.
        document: The bytes of a JSON file, if any.
    """

    text: str
    picture: bytes | None = None
    page: int = 0
    n_pages: int = 1
    is_answer: bool = True
    document: bytes | None = None


def leaderboard(league: ResolvedLeague, options: Mapping[str, Any], page: int = 0) -> BotReply:
    """Return a page of the leaderboard, with a picture of its players' ratings over time."""
    settings = LeaderboardSettings(**options, x_is_seven=league.options.x_is_seven)
    ranking = settings.ranking()
    results = statistics.parse_season(settings.season).results(league.results) if settings.season else league.results
    table = ranking(results)
    if table.empty:
        raise UserError(f"Nobody has {amount(ranking.game_cutoff, 'game')} yet: choose a smaller game_cutoff.")
    row_slice, page, n_pages = _page(len(table), page)
    board = ranking_table(table, ranking)
    title = f"{settings.season} · {board.title}" if settings.season else board.title
    board = tables.with_remarks(replace(board, rows=board.rows[row_slice], title=title), tables.remarks(league))
    curves = rankings.curves(results, ranking)
    with _DRAWING:
        picture = pictures.rating_curves(curves, table.iloc[row_slice], ranking)
    return BotReply(as_text([board], page, n_pages), picture, page, n_pages)


def one_player(league: ResolvedLeague, player: str) -> BotReply:
    """Return a player's statistics, with a picture of the distribution of guesses."""
    x_is_seven = league.options.x_is_seven
    stats = player_stats(league.results, player, unfinished=league.unfinished, x_is_seven=x_is_seven)
    with _DRAWING:
        picture = pictures.distribution(league.results, player)
    return BotReply(as_text(tables.personal_tables(stats)), picture)


def two_players(league: ResolvedLeague, first: str, second: str) -> BotReply:
    """Return a comparison of two players, with a picture of their ratings over time."""
    found = statistics.compare_players(league.counted, first, second)
    with _DRAWING:
        picture = pictures.running_means(league.results, [first, second])
    return BotReply(as_text([tables.comparison_of_players(found, league.options.x_is_seven)]), picture)


def one_day(league: ResolvedLeague, day: int | None, page: int = 0) -> BotReply:
    """Return a page of the results of a puzzle, by default the newest."""
    number = int(league.results["day"].max()) if day is None else day
    results = statistics.day_results(league.results, number)
    return _paged(tables.day_table(number, results, league.options.x_is_seven), page)


def crowns(league: ResolvedLeague, season: str | None, page: int = 0) -> BotReply:
    """Return a page of the number of crowns of each player."""
    results = statistics.parse_season(season).results(league.results) if season else league.results
    return _paged(tables.crowns_table(statistics.crowns(results)), page)


def conflicts(league: ResolvedLeague, names: NameResolver, page: int = 0) -> BotReply:
    """Return a page of the reports that do not count; the first page also lists unconfirmed names."""
    if league.conflicts.empty and league.unconfirmed.empty:
        return BotReply(" ".join(["All reports count.", league.warning]).strip())
    rows = league.conflicts.sort_values("day", ascending=False, kind="stable")
    reply = _paged(tables.conflicts_table(rows), page)
    if page or league.unconfirmed.empty:
        return reply
    first_tables = [tables.conflicts_table(rows.head(PAGE_ROWS)), tables.unconfirmed_table(league.unconfirmed, names)]
    return replace(reply, text=as_text(first_tables, 0, reply.n_pages))


def daily_post(league: ResolvedLeague, today: date) -> str:
    """Return the daily post: yesterday's results, crowns, streaks and movement on the board."""
    day = number_on(today) - 1
    parts = [heading("daily", str(today))]
    results = league.results[league.results["day"] <= day].reset_index(drop=True)
    if not (results["day"] == day).any():
        return "\n".join([*parts, f"Nobody has reported puzzle {day:,} yet."])
    results_of_day = statistics.day_results(results, day)
    parts.append(as_text([tables.day_table(day, results_of_day, league.options.x_is_seven)]))
    solved_streaks = {name: streaks(results, name).solved_now for name in results_of_day["player"]}
    best = sorted((n, name) for name, n in solved_streaks.items() if n > 1)[-3:]
    if best:
        parts.append("Streaks: " + ", ".join(f"{_plain(name)} {amount(n, 'day')}" for n, name in reversed(best)) + ".")
    parts.append(movement_text(league, results, day))
    return "\n".join(filter(None, parts))[:MAX_TEXT]


def weekly_post(league: ResolvedLeague, today: date) -> str:
    """Return the weekly post: the board and its movement in the last seven days."""
    newest = number_on(today) - 1
    results = league.results[league.results["day"] <= newest].reset_index(drop=True)
    parts = [heading("weekly", str(today)), _board(league, results), movement_text(league, results, newest - 6)]
    return "\n".join(filter(None, parts))[:MAX_TEXT]


def monthly_post(league: ResolvedLeague, today: date) -> str:
    """Return the monthly post: the board and the crowns of the previous month."""
    month = statistics.season_of(today.replace(day=1) - timedelta(1))
    try:
        results = month.results(league.results)
    except UserError as error:
        return f"{heading('monthly', str(today))}\n{error.message}"
    crowned = replace(tables.crowns_table(statistics.crowns(results).head(3)), legend="")
    parts = [heading("monthly", str(today)), f"Season {month.name}.", _board(league, results), as_text([crowned])]
    return "\n".join(filter(None, parts))[:MAX_TEXT]


def reminder_post(league: ResolvedLeague, today: date, people: Collection[str] = ()) -> str:
    """Return a post that reminds people to play today's puzzle.

    Args:
        league: The league.
        today: The day in the schedule's time zone.
        people: The ids of those who want to be reminded; those with a result of today's puzzle are left out.

    Returns:
        The post, which mentions them; "" if nobody is to be reminded.
    """
    number = number_on(today)
    played = league.results[league.results["day"] == number]["player"]
    done = {league.ids[player].key for player in played}
    mentions = [f"<@{id}>" for id in sorted(set(people) - done)]
    if not mentions:
        return ""
    text = f"{heading('reminder', str(today))}\nPuzzle {number:,} is still to be played: "
    return (text + " ".join(mentions[:MAX_MENTIONS]))[:MAX_TEXT]


POSTS = {"daily": daily_post, "weekly": weekly_post, "monthly": monthly_post}
TITLES = {"daily": "Day", "weekly": "Week", "monthly": "Month", "reminder": "Reminder"}


def heading(kind: str, period: str) -> str:
    """Return the first line of a period's post, by which the bot recognizes it in a channel."""
    return f"**{TITLES[kind]} · {period}**"


def movement_text(league: ResolvedLeague, results: pd.DataFrame, since: int) -> str:
    """Return a sentence on the players who moved on the board since a puzzle, significant moves first."""
    ranking = LeaderboardSettings(x_is_seven=league.options.x_is_seven).ranking()
    before = results[results["day"] < since]
    if before.empty or before["player"].value_counts().max() < ranking.game_cutoff:
        return ""
    movements = statistics.movement(results, ranking, since)
    other_tier, within_chance = (
        ", ".join(f"{_plain(row.player)} {row.before} to {row.place}" for row in _rows(part))
        for part in (movements[movements["is_significant"]], movements[~movements["is_significant"]])
    )
    parts = [
        f"Moved into another tier: {other_tier}." if other_tier else "",
        f"Moved, within chance: {within_chance}." if within_chance else "",
    ]
    return " ".join(filter(None, parts)) or "Nobody moved on the board."


def _board(league: ResolvedLeague, results: pd.DataFrame) -> str:
    ranking = LeaderboardSettings(x_is_seven=league.options.x_is_seven).ranking()
    table = ranking(results)
    if table.empty:
        return f"Nobody has {amount(ranking.game_cutoff, 'game')} yet."
    return as_text([ranking_table(table, ranking)])


def _paged(table: Table, page: int) -> BotReply:
    row_slice, page, n_pages = _page(len(table.rows), page)
    return BotReply(as_text([replace(table, rows=table.rows[row_slice])], page, n_pages), None, page, n_pages)


def _page(n_rows: int, page: int) -> tuple[slice, int, int]:
    """Return the rows of a page, the number of the page, at most that of the last one, and the number of pages."""
    n_pages = max(1, -(-n_rows // PAGE_ROWS))
    page = max(0, min(page, n_pages - 1))
    return slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), page, n_pages


def as_text(shown: Sequence[Table], page: int = 0, n_pages: int = 1) -> str:
    """Return the tables as a message, shortening the longest ones if necessary."""
    n_rows = 3 * PAGE_ROWS
    end = f"Page {page + 1} of {n_pages}" if n_pages > 1 else ""
    text = _text(shown, n_rows, end)
    if len(text) <= MAX_TEXT:
        return text
    n_fitting = bisect_left(range(1, n_rows), True, key=lambda n: len(_text(shown, n, end)) > MAX_TEXT)
    return _text(shown, max(1, n_fitting), end)


def _text(tables_shown: Sequence[Table], n_rows: int, end: str) -> str:
    file = StringIO()
    console = Console(file=file, width=WIDTH, color_system=None)
    for table in tables_shown:
        show_table(replace(table, rows=table.rows[:n_rows]), console)
        if len(table.rows) > n_rows:
            console.print(f"… and {len(table.rows) - n_rows:,} more rows")
    lines = (line.rstrip() for line in file.getvalue().replace("`", "'").splitlines())
    return "\n".join(filter(None, [FENCE, *lines, FENCE, end]))


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return iter(table.itertuples())


def _plain(name: str) -> str:
    """Return a name with Markdown escaped, so that Discord shows it unchanged and mentions nobody."""
    return "".join(f"\\{character}" if character in "*_~`|>#[]()@<:" else character for character in name)
