"""The tables of rankings: ratings with intervals, and the comparison of ranking methods.

table = rankings.find("mean")(results)
show(ranking_table(table, rankings.find("mean")), console)
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from wordpl.core.messages import amount
from wordpl.reports.board import semicolons
from wordpl.reports.cells import interval, number
from wordpl.reports.section import Table, text_table
from wordpl.stats.rankings import Ranking

RANKED_HEADS = ("#", "player", "rating", "95% interval", "places", "tier", "games")
COMPARED_HEADS = ("method", "loss", "95% interval", "to the best", "95% interval of that", "")


def ranking_table(table: pd.DataFrame, ranking: Ranking) -> Table:
    """Return the result of a ranking as a table with rounded numbers."""
    digits = 0 if table["rating"].abs().max() >= 100 else 2
    ranked: Iterable[Any] = table.itertuples()
    rows = [
        (
            str(row.place),
            row.player,
            number(row.rating, digits),
            interval(row.low, row.high, digits),
            _places(row.place_low, row.place_high),
            str(row.tier),
            f"{row.n_games:,}",
        )
        for row in ranked
    ]
    title = f"{ranking.name} · {amount(len(table), 'player')}, {amount(int(table['n_games'].sum()), 'result')}"
    return text_table(title, RANKED_HEADS, rows, frozenset({"player"}), _legend(ranking))


def _places(low: float, high: float) -> str:
    if low != low:
        return "–"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _legend(ranking: Ranking) -> str:
    best = "Higher" if ranking.higher_is_better else "Lower"
    x = "X counts as 7 guesses" if ranking.x_is_seven else "X is left out"
    return (
        f"{best} is better; {x}. Intervals are 95% intervals, for players with at least 5 games; those of places hold "
        "for all players at once. A tier contains its best player and all who are not shown to be worse."
    )


def ranking_csv(table: pd.DataFrame) -> str:
    """Return the table as CSV with all digits."""
    return semicolons(list(table.columns), table.itertuples(index=False))


def comparison_table(table: pd.DataFrame) -> Table:
    """Return the result of `rankings.compare_methods` as a table with rounded numbers."""
    compared: Iterable[Any] = table.itertuples()
    rows = [
        (
            row.method,
            f"{row.log_loss:.4f}",
            f"{row.low:.4f}–{row.high:.4f}",
            f"{row.difference:+.4f}",
            f"{row.difference_low:+.4f} to {row.difference_high:+.4f}",
            "worse" if row.is_worse else "=" if place else "best",
        )
        for place, row in enumerate(compared)
    ]
    n_days, n_pairs = table["n_days"].iloc[0], table["n_pairs"].iloc[0]
    title = f"Which ranking predicts best · {amount(n_days, 'day')} predicted, {amount(n_pairs, 'pair')} of players"
    return text_table(title, COMPARED_HEADS, rows, frozenset({"method", ""}), _verdict(table))


def _verdict(table: pd.DataFrame) -> str:
    equal = table.loc[~table["is_worse"], "method"].tolist()
    verdict = (
        f"{equal[0]} predicts best; the others are significantly worse."
        if len(equal) == 1
        else f"None of {', '.join(equal)} is significantly better than the others."
    )
    return (
        f"{verdict} Loss: the log loss of the predicted odds for each pair of players of a day, where 0.6931 is a coin "
        "toss and lower is better; each day is predicted only from earlier days. =: not significantly worse than the "
        "best."
    )
