"""What a league's results say, as tables: for the commands and for the bot."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from wordpl.core.amounts import amount
from wordpl.league.alias_log import AliasChange
from wordpl.league.names import NameResolver
from wordpl.league.player_stats import PlayerStats
from wordpl.league.posts import UNSOLVED
from wordpl.league.puzzles import LAST_NUMBER, day_of
from wordpl.league.resolve import ResolvedLeague
from wordpl.league.schedules import Announcement, PostSchedule
from wordpl.league.seasons import PlayerComparison
from wordpl.reports.columns import interval, number
from wordpl.reports.plain_table import PlainTable

WORDS = frozenset(
    ["", "by", "channel", "guesses", "like", "month", "name", "opponent", "player", "post", "puzzle", "report", "what"]
) | {"when", "who", "why", "zone"}


def remarks(league: ResolvedLeague) -> list[str]:
    """Return what a reader of the results should know of them."""
    n_derived, n = int((league.results["source"] == "date").sum()), len(league.results)
    n_conflicts = len(league.conflicts[~league.conflicts["counts"]])
    said = [
        (n_derived, f"{n_derived:,} of {n:,} results have a puzzle number that was derived from a date"),
        (len(league.unresolved), f"{len(league.unresolved)} names are unresolved and left out"),
        (n_conflicts, f"{n_conflicts} reports contradict a better source or each other and do not count"),
        (len(league.unconfirmed), f"{len(league.unconfirmed)} players are known by a name alone"),
    ]
    return [f"{text}." for count, text in said if count]


def with_remarks(table: PlainTable, said: Sequence[str]) -> PlainTable:
    """Return the table with these sentences under it."""
    return replace(table, legend=" ".join(filter(None, [table.legend, *said])))


def personal_tables(personal: PlayerStats) -> list[PlainTable]:
    """Return a player's results as tables: all in one, by month, the best and the worst days, each opponent."""
    return [_overall(personal), _months(personal.months), _days(personal), _opponents(personal.head_to_head)]


def _overall(personal: PlayerStats) -> PlainTable:
    streaks = personal.streaks
    rows = [
        *((guesses, f"{n:,}", _percent(n / personal.n_games)) for guesses, n in personal.distribution.items()),
        ("mean", number(personal.mean, 2), interval(personal.low, personal.high, 2)),
        ("streak, solved", f"{streaks.solved_now}", f"longest {streaks.solved}"),
        ("streak, played", f"{streaks.played_now}", f"longest {streaks.played}"),
    ]
    if personal.n_unfinished:
        rows.append(("begun, no result", f"{personal.n_unfinished}", "–"))
    title = f"{personal.player} · {amount(personal.n_games, 'game')}"
    return PlainTable(title, ("guesses", "games", "of all"), rows, WORDS, "X counts as 7. The interval is 95%.")


def _months(months: pd.DataFrame) -> PlainTable:
    rows = [(row.month, number(row.mean, 2), interval(row.low, row.high, 2), f"{row.n_games}") for row in _rows(months)]
    return PlainTable("Mean by month", ("month", "mean", "95% interval", "games"), rows, WORDS)


def _days(personal: PlayerStats) -> PlainTable:
    def rows(days: pd.DataFrame, name: str) -> list[tuple[str, ...]]:
        return [
            (
                name,
                f"{row.day} ({day_of(row.day)})",
                guesses_text(row.guesses),
                number(row.others, 2),
                f"{row.n_others}",
            )
            for row in _rows(days)
        ]

    heads = ("", "puzzle", "needed", "others' mean", "others")
    legend = "By how much fewer, or more, guesses than the others' mean."
    both = rows(personal.best, "best") + rows(personal.worst, "worst")
    return PlainTable("Best and worst days", heads, both, WORDS, legend)


def _opponents(table: pd.DataFrame) -> PlainTable:
    rows = [
        (row.opponent, *map(str, (row.won, row.tied, row.lost)), _percent(row.share), _percents(row.low, row.high))
        for row in _rows(table)
    ]
    heads = ("opponent", "won", "tied", "lost", "points", "95% interval")
    legend = "On days that both played. Points: the share of days won, a tie being half."
    return PlainTable("Head to head", heads, rows, WORDS, legend)


def day_table(day: int, results: pd.DataFrame) -> PlainTable:
    """Return the results of one puzzle, as `seasons.day_results` gives them."""
    rows = [(row.player, guesses_text(row.guesses), "👑" if row.crown else "") for row in _rows(results)]
    mean = results["guesses"].mean()
    legend = f"Mean {mean:.2f} of {amount(len(results), 'player')}, X as 7. 👑: the best of the day."
    return PlainTable(f"Puzzle {day:,} ({day_of(day)})", ("player", "needed", "crown"), rows, WORDS, legend)


def crowns_table(table: pd.DataFrame) -> PlainTable:
    """Return who was how often the best of a day, as `seasons.crowns` gives it."""
    rows = [
        (
            row.player,
            f"{row.crowns}",
            f"{row.alone}",
            f"{row.n_days}",
            _percent(row.share),
            _percents(row.low, row.high),
        )
        for row in _rows(table)
    ]
    heads = ("player", "crowns", "alone", "days", "of days", "95% interval")
    legend = "The best of a day on which two or more played; a crown is shared by all who are. Days: those played."
    return PlainTable("Crowns", heads, rows, WORDS, legend)


def comparison_of_players(found: PlayerComparison) -> PlainTable:
    """Return two players side by side."""
    rows = [
        (found.first, f"{found.won}", f"{found.tied}", f"{found.lost}", number(found.means[0], 2)),
        (found.second, f"{found.lost}", f"{found.tied}", f"{found.won}", number(found.means[1], 2)),
    ]
    verdict = f"{found.better} is better." if found.better else "Neither is shown to be better."
    known = f"95% interval {interval(found.low, found.high, 2)}" if found.n_days > 1 else "no interval from one day"
    legend = (
        f"Difference of the means {found.difference:+.2f} ({known}), "
        f"negative where {found.first} needs fewer guesses. {verdict} X counts as 7; Student's t on days."
    )
    title = f"{found.first} and {found.second} · {amount(found.n_days, 'day')} of both"
    return PlainTable(title, ("player", "won", "tied", "lost", "mean"), rows, WORDS, legend)


def conflicts_table(conflicts: pd.DataFrame) -> PlainTable:
    """Return the reports that do not count, and those that they contradict."""
    rows = [
        (
            _puzzle(row.day),
            row.player,
            guesses_text(row.guesses),
            "player" if row.source == "typed" else "app",
            "counts" if row.counts else row.why,
        )
        for row in _rows(conflicts)
    ]
    legend = "The app's summary is the fact. Reports that are equally good and differ do not count at all."
    return PlainTable("Conflicts", ("puzzle", "player", "said", "by", "why"), rows, WORDS, legend)


def unconfirmed_table(unconfirmed: pd.DataFrame, names: NameResolver) -> PlainTable:
    """Return the players who are known by a name alone, with members whose names are like theirs."""
    rows = [
        (row.name, f"{row.n_results}", ", ".join(f"{names.shown_name(id)} ({id})" for id in row.suggestions) or "–")
        for row in _rows(unconfirmed)
    ]
    legend = "Nobody is merged by guess: `wordpl league merge NAME ID`, or /alias, says who it is."
    return PlainTable("Known by a name alone", ("name", "results", "like"), rows, WORDS, legend)


def log_table(changes: Sequence[AliasChange]) -> PlainTable:
    """Return the log of changes to who is who."""
    rows = [
        (
            f"{one.number}",
            f"{one.made:%Y-%m-%d %H:%M}",
            one.actor,
            f"{one.action}{'' if one.added else ', taken away'}{' (undone)' if one.undone else ''}",
            f"{one.alias.name} is {one.alias.player}{alias_span(one.alias.first_number, one.alias.last_number)}",
        )
        for one in changes
    ]
    legend = "Times are UTC. `wordpl league undo NUMBER` takes a change back."
    return PlainTable("Changes to who is who", ("number", "when", "by", "what", "who"), rows, WORDS, legend)


def schedule_table(
    schedules: Sequence[PostSchedule], done: Sequence[Announcement], lost: Sequence[tuple[str, str]]
) -> PlainTable:
    """Return what is posted when, and which posts were lost."""
    rows = [
        (
            one.kind,
            one.time,
            one.zone,
            one.channel,
            max((row.period for row in done if row.kind == one.kind), default="–"),
        )
        for one in schedules
    ]
    missing = ", ".join(f"{kind} of {period}" for kind, period in lost)
    legend = f"Lost, as the bot was away or refused: {missing}." if missing else "No post was lost."
    return PlainTable("Scheduled posts", ("post", "time", "zone", "channel", "last"), rows, WORDS, legend)


def alias_span(first: int, last: int) -> str:
    """Return in which days an alias holds, "" for always."""
    since = f"{day_of(first)}" if first else "the first day"
    until = f"{day_of(last)}" if last < LAST_NUMBER else "now on"
    return "" if first == 0 and last == LAST_NUMBER else f", from {since} to {until}"


def _rows(table: pd.DataFrame) -> Iterator[Any]:
    return iter(table.itertuples())


def _puzzle(number: int) -> str:
    return f"{number} ({day_of(number)})"


def guesses_text(n: int) -> str:
    """Return a number of guesses, X for an unsolved puzzle."""
    return "X" if n == UNSOLVED else f"{n}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _percents(low: float, high: float) -> str:
    return f"{100 * low:.0f}–{100 * high:.0f}%"
