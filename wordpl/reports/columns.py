"""Formats a board's columns as text for all reports: numbers, intervals, ranks, histograms."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf, isnan
from typing import Any, Literal

import pandas as pd

from wordpl.core.game_kinds import CLASSIC_GUESSES
from wordpl.reports.board import Board
from wordpl.stats.scores import Score, main_score, scores_for
from wordpl.stats.scores.quantiles import QuantileScore

BARS = " ▁▂▃▄▅▆▇█"
BIN = 3
"""The width of one bar of a histogram and its percentage, in characters."""


@dataclass(frozen=True)
class TableValue:
    """A value in a table.

    Attributes:
        lines: The lines of text, with the number first.
        mark: "*" if no entry has been shown to be better.
    """

    lines: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True)
class Column:
    """A column of text.

    In a column of the kind "estimates", the second line of a value is the confidence interval, and the optional third
    line is the rank interval with the probability of being the best.
    """

    head: str
    values: list[TableValue]
    kind: Literal["estimates", "histogram", "text"] = "estimates"


def number(value: float, digits: int = 1, percent: bool = False) -> str:
    """Return the number, formatted for tables.

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


def whole_percent(share: float) -> str:
    """Return a probability in whole percent.

    >>> [whole_percent(share) for share in (0.0, 0.004, 0.126, 0.997, 1.0)]
    ['0%', '<1%', '13%', '>99%', '100%']
    """
    if isnan(share):
        return "–"
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{100 * share:.0f}%"


def interval(low: float, high: float, digits: int = 1, percent: bool = False) -> str:
    """Return the interval, formatted for tables.

    >>> [interval(35.4, float("inf")), interval(0.0, 0.0037, percent=True), interval(float("nan"), float("nan"))]
    ['35.4–∞', '0.0–0.4%', 'no interval']
    """
    if isnan(low):
        return "no interval"
    if percent:
        return f"{100 * low:.1f}–{100 * high:.1f}%"
    return f"{number(low, digits)}–{number(high, digits)}"


def rank_interval(low: int, high: int) -> str:
    """Return an interval of ranks as text.

    >>> rank_interval(2, 2), rank_interval(1, 4)
    ('2', '1–4')
    """
    return f"{low}" if low == high else f"{low}–{high}"


def duration(seconds: float) -> str:
    """Return a time with two significant digits.

    >>> [duration(0.00031), duration(0.0124), duration(2.0), duration(float("nan"))]
    ['0.31 ms', '12 ms', '2 s', '–']
    """
    if isnan(seconds):
        return "–"
    if seconds >= 0.9995:
        return f"{seconds:.2g} s" if seconds < 99.5 else f"{seconds:,.0f} s"
    milliseconds = 1000 * seconds
    return f"{milliseconds:.0f} ms" if milliseconds >= 9.95 else f"{milliseconds:.2g} ms"


def columns(board: Board, wide: bool = False) -> list[Column]:
    """Return the columns of a table of this board, without rank and strategy.

    Args:
        board: The board.
        wide: Also show the counted share of games won, and the shares of lost games by kind.
    """
    table = board.table
    result = [_estimates(score, board) for score in board.scores if score.shown == "always"]
    if "worst_words" in table:
        result += [_histogram(table), Column("worst words", [_words(row) for row in table["worst_words"]], "text")]
    if table["n_games"].nunique() > 1:
        result.append(Column("games", [TableValue((f"{n:,}",)) for n in table["n_games"]], "text"))
    result += _counts(table, with_wins="p_win" in table and not wide)
    kinds = ("wide", "if any") if wide else ()
    further_scores = [
        score for score in board.scores if score.shown in kinds and (score.shown == "wide" or _any(score, table))
    ]
    return result + [_estimates(score, board) for score in further_scores]


def _any(score: Score, table: pd.DataFrame) -> bool:
    return bool((table[score.name] > 0).any())


def _counts(table: pd.DataFrame, with_wins: bool) -> list[Column]:
    """Return the columns of games won (if P(win) is shown), CPU times (if known), and games lost by faults."""
    result = []
    if with_wins:
        result.append(Column("won", [TableValue((f"{n:,}",)) for n in table["n_won"]], "text"))
    if "cpu_median_s" in table:
        pairs = zip(table["cpu_median_s"], table["cpu_max_s"], strict=True)
        times = [TableValue((duration(median), f"max {duration(longest)}")) for median, longest in pairs]
        result.append(Column("CPU per game", times, "text"))
    result.append(Column("faults", [TableValue((f"{n:,}",)) for n in table["n_faults"]], "text"))
    return result


def _estimates(score: Score, board: Board) -> Column:
    style = (score.digits, score.percent)
    is_ranked = score in board.ranked_scores
    values = []
    for row in board.table.to_dict("records"):
        low, high = row[f"{score.name}_low"], row[f"{score.name}_high"]
        ends = "exact" if row["strategy"] in board.exact else interval(low, high, *style)
        lines = [number(row[score.name], *style), ends]
        if is_ranked:
            lines.append(ranks(row, score))
        values.append(TableValue(tuple(lines), row[f"{score.name}_mark"]))
    return Column(score.head, values)


def ranks(row: dict[Any, Any], score: Score) -> str:
    """Return the rank interval and the probability of being the best of a row of `Board.table`."""
    places = rank_interval(row[f"{score.name}_rank_low"], row[f"{score.name}_rank_high"])
    return f"#{places} {whole_percent(row[f'{score.name}_p_best'])}"


def _histogram(table: pd.DataFrame) -> Column:
    names = [f"n_solved_in_{guesses}" for guesses in range(1, CLASSIC_GUESSES + 1)]
    head = "".join(f"{label:>{BIN}}" for label in [*range(1, CLASSIC_GUESSES + 1), "X"])
    values = []
    for counts, n_games in zip(table[names].to_numpy(), table["n_games"], strict=True):
        shares = [*(count / n_games for count in counts), 1 - counts.sum() / n_games]
        values.append(TableValue((_bars(shares), "".join(f"{_short_percent(share):>{BIN}}" for share in shares))))
    return Column(head, values, "histogram")


def _bars(shares: Sequence[float]) -> str:
    """Return a bar for each share, scaled to the largest one; bars of small shares are always visible."""
    top = max(shares)
    heights = [max(1, round(8 * share / top)) if share > 1e-9 else 0 for share in shares]
    return "".join(f"{BARS[height]:>{BIN}}" for height in heights)


def _short_percent(share: float) -> str:
    if share < 1e-9:
        return ""  # a 0 would touch a 100 next to it
    return "<1" if share < 0.005 else f"{100 * share:.0f}"


def _words(words: list[tuple[str, float]]) -> TableValue:
    texts = [f"{secret} {'X' if isinf(guesses) else f'{guesses:.0f}'}" for secret, guesses in words]
    n_first_line = (len(texts) + 1) // 2
    return TableValue((", ".join(texts[:n_first_line]), ", ".join(texts[n_first_line:])))


def difference_columns(differences: pd.DataFrame) -> list[Column]:
    """Return a column for each score, and one for the games that only one of the two entries has won.

    Args:
        differences: The result of `compare.against`.
    """
    columns = set(differences.columns)
    measure = next(measure for measure in ("guesses", "tries", "budget") if main_score(measure).name in columns)
    scores = [score for score in scores_for(measure) if score.name in columns and score.shown in ("always", "wide")]
    scores.sort(key=lambda score: not isinstance(score, QuantileScore))
    return [*(_column(score, differences) for score in scores), _alone(differences)]


def _column(score: Score, differences: pd.DataFrame) -> Column:
    parts = differences[[score.name, f"{score.name}_low", f"{score.name}_high", f"{score.name}_chance"]]
    values = []
    for value, low, high, chance in parts.itertuples(index=False):
        ends = f"{_signed(low, score)} to {_signed(high, score)}"
        values.append(TableValue((_signed(value, score), ends, f"better {number(chance, percent=True)}")))
    return Column(score.head, values)


def _signed(value: float, score: Score) -> str:
    text = number(abs(value), score.digits, score.percent)
    return text if value == 0 else f"{'-' if value < 0 else '+'}{text}"


def _alone(differences: pd.DataFrame) -> Column:
    parts = differences[["only_entry", "only_other", "p_value"]]
    values = []
    for n_only_entry, n_only_other, p_value in parts.itertuples(index=False):
        p = f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"
        values.append(TableValue((f"{n_only_entry:.0f} : {n_only_other:.0f}", p)))
    return Column("won alone", values)
