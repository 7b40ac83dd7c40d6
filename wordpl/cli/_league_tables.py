"""What a league's results say, as tables and pictures: for the commands and for the bot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wordpl.reports.columns import interval, number
from wordpl.reports.plain_table import PlainTable

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.league.resolve import ResolvedLeague
    from wordpl.league.stats import Personal

WORDS = frozenset({"month", "opponent", "puzzle", "", "guesses"})


def personal_tables(personal: "Personal") -> list[PlainTable]:
    """Return a player's results as tables: all in one, by month, the best and the worst days, each opponent."""
    return [_overall(personal), _months(personal.months), _days(personal), _opponents(personal.head_to_head)]


def _overall(personal: "Personal") -> PlainTable:
    streaks = personal.streaks
    rows = [
        *((guesses, f"{n:,}", _percent(n / personal.n_games)) for guesses, n in personal.distribution.items()),
        ("mean", number(personal.mean, 2), interval(personal.low, personal.high, 2)),
        ("streak, solved", f"{streaks.solved_now}", f"longest {streaks.solved}"),
        ("streak, played", f"{streaks.played_now}", f"longest {streaks.played}"),
    ]
    title = f"{personal.player} · {personal.n_games:,} games"
    return PlainTable(title, ("guesses", "games", "of all"), rows, WORDS, "X counts as 7. The interval is 95%.")


def _months(months: "pd.DataFrame") -> PlainTable:
    rows = [
        (row.month, number(row.mean, 2), interval(row.low, row.high, 2), f"{row.n_games}")
        for row in months.itertuples()
    ]
    return PlainTable("Mean by month", ("month", "mean", "95% interval", "games"), rows, WORDS)


def _days(personal: "Personal") -> PlainTable:
    from wordpl.league.puzzles import day_of

    def rows(days: "pd.DataFrame", name: str) -> list[tuple[str, ...]]:
        return [
            (name, f"{row.day} ({day_of(row.day)})", _guesses(row.guesses), number(row.others, 2), f"{row.n_others}")
            for row in days.itertuples()
        ]

    heads = ("", "puzzle", "needed", "others' mean", "others")
    legend = "By how much fewer, or more, guesses than the others' mean."
    both = rows(personal.best, "best") + rows(personal.worst, "worst")
    return PlainTable("Best and worst days", heads, both, WORDS, legend)


def _opponents(table: "pd.DataFrame") -> PlainTable:
    rows = [
        (row.opponent, *map(str, (row.won, row.tied, row.lost)), _percent(row.share), _percents(row.low, row.high))
        for row in table.itertuples()
    ]
    heads = ("opponent", "won", "tied", "lost", "points", "95% interval")
    legend = "On days that both played. Points: the share of days won, a tie being half."
    return PlainTable("Head to head", heads, rows, WORDS, legend)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _percents(low: float, high: float) -> str:
    return f"{100 * low:.0f}–{100 * high:.0f}%"


def _guesses(n: int) -> str:
    return "X" if n == 7 else f"{n}"


def remarks(counted: "ResolvedLeague") -> list[str]:
    """Return what a reader of the results should know of them."""
    n_derived, n = (counted.results["source"] == "date").sum(), len(counted.results)
    told = [
        (n_derived, f"{n_derived:,} of {n:,} results have a puzzle number that was derived from a date"),
        (len(counted.unresolved), f"{len(counted.unresolved)} names are unresolved and left out"),
        (len(counted.conflicts), f"{len(counted.conflicts)} results contradict each other and are left out"),
    ]
    return [f"{text}." for count, text in told if count]


def with_remarks(table: PlainTable, said: Sequence[str]) -> PlainTable:
    """Return the table with these sentences under it."""
    return PlainTable(table.title, table.heads, table.rows, table.left, " ".join([table.legend, *said]))
