"""The sections of a page about pairs of entries, CPU times and faults."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wordpl.reports.board import FAULTS, Board
from wordpl.reports.columns import duration, number, whole_percent
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.tables import HtmlColumn, HtmlValue, Row, html_table
from wordpl.reports.names import shown
from wordpl.stats.compare.differences import ComparisonMatrix
from wordpl.stats.scores import Score

MAX_FAULTS = 50
MESSAGE_CHARACTERS = 400


def matrices(board: Board, found: Sequence[ComparisonMatrix]) -> Content:
    """Return the matrix of pairwise comparisons for each score; all but the first are collapsed."""
    scores = {score.name: score for score in board.scores}
    made: list[Content] = []
    order = sorted(found, key=lambda one: not scores[one.score].main)
    for number_, one in enumerate(order):
        table = _matrix(board, scores[one.score], one)
        summary = element("summary", f"{board.rules}: {scores[one.score].head}")
        made.append(element("details", summary, table, open=number_ == 0))
    if not made:
        return None
    note = (
        "Row minus column: the difference with its 95% interval, and the probability that the row's entry is better. "
        "▲: shown to be better, ▼: shown to be worse (5 % family-wise error over all pairs of a score)."
    )
    return [*made, element("p", note, class_="note")]


def _matrix(board: Board, score: Score, found: ComparisonMatrix) -> Markup:
    names = list(board.table["strategy"])
    at = [found.entries.index(name) for name in names]
    heads = [
        HtmlColumn("row minus column", True),
        *(HtmlColumn(str(n), title=shown(name)) for n, name in enumerate(names, 1)),
    ]
    rows: list[Row] = []
    for n, name in enumerate(names):
        rows.append([f"{n + 1} {shown(name)}", *(_pair(score, found, at[n], j) for j in at)])
    return html_table(f"{board.rules}: differences of {score.head}", heads, rows, sortable=False)


def _pair(score: Score, found: ComparisonMatrix, i: int, j: int) -> HtmlValue:
    if i == j:
        return HtmlValue("·")
    sign = "▲ " if found.better[i, j] else "▼ " if found.better[j, i] else ""
    ends = f"{_signed(found.low[i, j], score)} to {_signed(found.high[i, j], score)}"
    said = "shown to be better" if found.better[i, j] else "shown to be worse" if found.better[j, i] else None
    return HtmlValue([
        element("b", sign, title=said) if sign else None,
        _signed(found.difference[i, j], score),
        element("small", ends),
        element("small", f"better {whole_percent(found.chance[i, j])}"),
    ])  # fmt: skip


def _signed(value: float, score: Score) -> str:
    text = number(abs(value), score.digits, score.percent)
    return text if value == 0 else f"{'−' if value < 0 else '+'}{text}"


def times_and_faults(board: Board, rows: pd.DataFrame) -> Content:
    """Return the CPU times of the entries, and the games that ended by a fault with their messages."""
    made: list[Content] = [element("h3", board.rules)]
    if "cpu_s" in rows and rows["cpu_s"].notna().any():
        made.append(_times(board, rows))
    faults = rows[rows["verdict"].isin([str(verdict) for verdict in FAULTS])]
    if faults.empty:
        return [*made, element("p", "No game was lost by a fault.")]
    return [*made, _faults(faults)]


def _faults(faults: pd.DataFrame) -> Markup:
    """Return the table of games that ended by a fault, grouped by entry and message."""
    grouped = faults.groupby(["entry", "verdict", "message"], sort=False, observed=True)["game"].agg(["size", "min"])
    heads = [HtmlColumn("strategy", True), HtmlColumn("games"), HtmlColumn("first game"), HtmlColumn("verdict", True),
             HtmlColumn("message", True)]  # fmt: skip
    rows: list[Row] = [
        [shown(entry), HtmlValue(f"{n_games:,}", int(n_games)), HtmlValue(f"{first:,}", int(first)), verdict,
         element("code", shown(_one_line(message), MESSAGE_CHARACTERS))]
        for (entry, verdict, message), n_games, first in grouped.head(MAX_FAULTS).itertuples()
    ]  # fmt: skip
    more = f" (first {MAX_FAULTS} kinds shown)" if len(grouped) > MAX_FAULTS else ""
    return html_table(f"Games lost by a fault: {len(faults):,}{more}", heads, rows)


def _one_line(message: str) -> str:
    """Return a message on one line, without the underlining of a traceback."""
    return " ⏎ ".join(line.strip() for line in message.splitlines() if line.strip(" ^~"))


def _times(board: Board, rows: pd.DataFrame) -> Markup:
    heads = [HtmlColumn("strategy", True), *(HtmlColumn(head) for head in ("median", "95 %", "maximum", "all games"))]
    found: list[Row] = []
    for name in board.table["strategy"]:
        times = rows.loc[rows["entry"] == name, "cpu_s"].dropna().to_numpy(float)
        values = [*np.quantile(times, [0.5, 0.95]), times.max(), times.sum()] if len(times) else [float("nan")] * 4
        found.append([shown(name), *(HtmlValue(duration(value), float(value)) for value in values)])
    return html_table("CPU time of a game", heads, found)
