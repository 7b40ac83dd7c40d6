"""A board's columns as text, the same for every report: numbers, intervals, histograms."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf, isnan
from typing import Literal

import pandas as pd

from wordpl.reports.board import Board
from wordpl.stats.scores import Score
from wordpl.stats.scores.means import GUESSES

BARS = " ▁▂▃▄▅▆▇█"
BIN = 3
"""The width of one bar of a histogram with its percents."""


@dataclass(frozen=True)
class TableValue:
    """The lines of one value, the number itself first; mark: "*" best, "=" not told from the best."""

    lines: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True)
class Column:
    """A column as text; in an "estimates" column the second line is the interval."""

    head: str
    values: list[TableValue]
    kind: Literal["estimates", "histogram", "text"] = "estimates"


def number(value: float, digits: int = 1, percent: bool = False) -> str:
    """Return the number as tables show it.

    >>> [number(36.92), number(float("inf")), number(12345.6), number(0.98, percent=True), number(0.0001, percent=True)]
    ['36.9', '∞', '12,346', '98.0%', '<0.1%']
    """
    if isnan(value):
        return "–"
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    if percent:
        return _percent(100 * value)
    if abs(value) >= 1e7:
        return f"{value:.1e}"
    return f"{value:,.{digits if abs(value) < 1000 else 0}f}"


def _percent(value: float) -> str:
    if 0 < value < 0.05:
        return "<0.1%"
    if 99.95 <= value < 100:
        return ">99.9%"
    return f"{value:.1f}%"


def interval(low: float, high: float, digits: int = 1, percent: bool = False) -> str:
    """Return the interval as tables show it.

    >>> [interval(35.4, float("inf")), interval(0.0, 0.0037, percent=True), interval(float("nan"), float("nan"))]
    ['35.4–∞', '0.0–0.4%', 'no interval']
    """
    if isnan(low):
        return "no interval"
    if percent:
        return f"{100 * low:.1f}–{100 * high:.1f}%"
    return f"{number(low, digits)}–{number(high, digits)}"


def columns(board: Board) -> list[Column]:
    """Return the columns that a table of this board shows, beside place and strategy."""
    table = board.table
    made = [_estimates(score, table) for score in board.scores if score.shown == "always"]
    if "worst_words" in table:
        made += [_histogram(table), Column("worst words", [_words(row) for row in table["worst_words"]], "text")]
    if table["n_games"].nunique() > 1:
        made.append(Column("games", [TableValue((f"{n:,}",)) for n in table["n_games"]], "text"))
    seen = [score for score in board.scores if score.shown == "if any" and (table[score.name] > 0).any()]
    return made + [_estimates(score, table) for score in seen]


def _estimates(score: Score, table: pd.DataFrame) -> Column:
    parts = table[[score.name, f"{score.name}_low", f"{score.name}_high", f"{score.name}_mark"]]
    look = (score.digits, score.percent)
    values = [
        TableValue((number(value, *look), interval(low, high, *look)), mark)
        for value, low, high, mark in parts.itertuples(index=False)
    ]
    return Column(score.head, values)


def _histogram(table: pd.DataFrame) -> Column:
    names = [f"n_solved_in_{guesses}" for guesses in range(1, GUESSES + 1)]
    head = "".join(f"{label:>{BIN}}" for label in [*range(1, GUESSES + 1), "X"])
    values = []
    for counts, n_games in zip(table[names].to_numpy(), table["n_games"], strict=True):
        shares = [*(count / n_games for count in counts), 1 - counts.sum() / n_games]
        values.append(TableValue((_bars(shares), "".join(f"{_short_percent(share):>{BIN}}" for share in shares))))
    return Column(head, values, "histogram")


def _bars(shares: Sequence[float]) -> str:
    """Return a bar for each share, the largest of full height; what happened at all is never invisible."""
    top = max(shares)
    heights = [max(1, round(8 * share / top)) if share > 1e-9 else 0 for share in shares]
    return "".join(f"{BARS[height]:>{BIN}}" for height in heights)


def _short_percent(share: float) -> str:
    if share < 1e-9:
        return ""  # rather than a 0 that would touch the 100 beside it
    return "<1" if share < 0.005 else f"{100 * share:.0f}"


def _words(words: list[tuple[str, float]]) -> TableValue:
    texts = [f"{secret} {'X' if isinf(guesses) else f'{guesses:.0f}'}" for secret, guesses in words]
    half = (len(texts) + 1) // 2
    return TableValue((", ".join(texts[:half]), ", ".join(texts[half:])))
