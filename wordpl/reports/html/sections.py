"""The sections of a page about pairs of entries, CPU times, faults, and lost games."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from wordpl import games
from wordpl.core.words import WordLists
from wordpl.reports.board import FAULTS, Board
from wordpl.reports.columns import duration, interval, number, whole_percent
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.tables import HtmlColumn, HtmlValue, Row, count, html_table
from wordpl.reports.names import shown
from wordpl.stats import losses
from wordpl.stats.calibration import calibration
from wordpl.stats.clue_reports import N_SAMPLED, round_reports
from wordpl.stats.compare.differences import ComparisonMatrix
from wordpl.stats.scores import Score

MAX_FAULTS = 50
MESSAGE_CHARACTERS = 400
ENTRY = HtmlColumn("strategy", True)


def matrices(board: Board, found: Sequence[ComparisonMatrix]) -> Content:
    """Return the matrix of pairwise comparisons for each score; all but the first are collapsed."""
    scores = {score.name: score for score in board.scores}
    parts: list[Content] = []
    order = sorted(found, key=lambda matrix: not scores[matrix.score].main)
    for number_, matrix in enumerate(order):
        table = _matrix(board, scores[matrix.score], matrix)
        summary = element("summary", f"{board.rules}: {scores[matrix.score].head}")
        parts.append(element("details", summary, table, open=number_ == 0))
    if not parts:
        return None
    note = (
        "Row minus column: the difference with its 95% interval, and the probability that the row's entry is better. "
        "▲: shown to be better, ▼: shown to be worse (5 % family-wise error over all pairs of a score)."
    )
    return [*parts, element("p", note, class_="note")]


def _matrix(board: Board, score: Score, matrix: ComparisonMatrix) -> Markup:
    names = list(board.table["strategy"])
    indices = [matrix.entries.index(name) for name in names]
    heads = [
        HtmlColumn("row minus column", True),
        *(HtmlColumn(str(n), title=shown(name)) for n, name in enumerate(names, 1)),
    ]
    rows: list[Row] = []
    for n, name in enumerate(names):
        rows.append([f"{n + 1} {shown(name)}", *(_pair(score, matrix, indices[n], j) for j in indices)])
    return html_table(f"{board.rules}: differences of {score.head}", heads, rows, sortable=False)


def _pair(score: Score, matrix: ComparisonMatrix, i: int, j: int) -> HtmlValue:
    if i == j:
        return HtmlValue("·")
    sign = "▲ " if matrix.better[i, j] else "▼ " if matrix.better[j, i] else ""
    ends = f"{_signed(matrix.low[i, j], score)} to {_signed(matrix.high[i, j], score)}"
    meaning = "shown to be better" if matrix.better[i, j] else "shown to be worse" if matrix.better[j, i] else None
    return HtmlValue([
        element("b", sign, title=meaning) if sign else None,
        _signed(matrix.difference[i, j], score),
        element("small", ends),
        element("small", f"better {whole_percent(matrix.chance[i, j])}"),
    ])  # fmt: skip


def _signed(value: float, score: Score) -> str:
    text = number(abs(value), score.digits, score.percent)
    return text if value == 0 else f"{'−' if value < 0 else '+'}{text}"


def times_and_faults(board: Board, rows: pd.DataFrame) -> Content:
    """Return the CPU times of the entries, and the games that ended by a fault with their messages."""
    parts: list[Content] = [element("h3", board.rules)]
    if "cpu_s" in rows and rows["cpu_s"].notna().any():
        parts.append(_times(board, rows))
    faults = rows[rows["verdict"].isin([str(verdict) for verdict in FAULTS])]
    if faults.empty:
        return [*parts, element("p", "No game was lost by a fault.")]
    return [*parts, _faults(faults)]


def _faults(faults: pd.DataFrame) -> Markup:
    """Return the table of games that ended by a fault, grouped by entry and message."""
    grouped = faults.groupby(["entry", "verdict", "message"], sort=False, observed=True)["game"].agg(["size", "min"])
    heads = [ENTRY, HtmlColumn("games"), HtmlColumn("first game"), HtmlColumn("verdict", True),
             HtmlColumn("message", True)]  # fmt: skip
    rows: list[Row] = [
        [shown(entry), HtmlValue(f"{n_games:,}", int(n_games)), HtmlValue(f"{first:,}", int(first)), verdict,
         element("code", shown(_one_line(message), MESSAGE_CHARACTERS))]
        for (entry, verdict, message), n_games, first in grouped.head(MAX_FAULTS).itertuples()
    ]  # fmt: skip
    limit_note = f" (first {MAX_FAULTS} kinds shown)" if len(grouped) > MAX_FAULTS else ""
    return html_table(f"Games lost by a fault: {len(faults):,}{limit_note}", heads, rows)


def _one_line(message: str) -> str:
    """Return a message on one line, without the underlining of a traceback."""
    return " ⏎ ".join(line.strip() for line in message.splitlines() if line.strip(" ^~"))


def _times(board: Board, rows: pd.DataFrame) -> Markup:
    heads = [ENTRY, *(HtmlColumn(head) for head in ("median", "95 %", "maximum", "all games"))]
    table_rows: list[Row] = []
    for name in board.table["strategy"]:
        times = rows.loc[rows["entry"] == name, "cpu_s"].dropna().to_numpy(float)
        values = [*np.quantile(times, [0.5, 0.95]), times.max(), times.sum()] if len(times) else [float("nan")] * 4
        table_rows.append([shown(name), *(HtmlValue(duration(value), float(value)) for value in values)])
    return html_table("CPU time of a game", heads, table_rows)


def lost_games(board: Board, rows: pd.DataFrame, lists: WordLists) -> Content:
    """Return the tables about the lost games of a board."""
    parts: list[Content] = [element("h3", board.rules)]
    names = list(board.table["strategy"])
    hardest = losses.hardest_words(rows)
    if len(hardest):
        parts.append(_hardest(hardest))
        parts.append(_groups("Games lost, by the letters of the secret", losses.by_letter_pattern(rows), names))
    if rows["measure"].iloc[0] != "guesses":  # there, the number of moves is the score
        parts.append(_groups("Games lost, by the number of moves", losses.by_rounds(rows), names))
    if rows["measure"].iloc[0] == "budget":
        parts.append(_rounds(rows, lists, names))
        parts.append(_calibration(rows, names))
    return parts


def _hardest(hardest: pd.DataFrame) -> Markup:
    heads = [HtmlColumn("word", True), HtmlColumn("games"), HtmlColumn("lost"), HtmlColumn("mean cost of won games")]
    rows: list[Row] = [
        [row["secret"], count(row["n_games"]), count(row["n_lost"]),
         HtmlValue(number(row["mean_cost"]), row["mean_cost"])]
        for row in hardest.to_dict("records")
    ]  # fmt: skip
    return html_table("Hardest words of all entries", heads, rows)


def _groups(caption: str, groups_of_games: Sequence[losses.GameGroup], names: Sequence[str]) -> Markup:
    """Return a table of the share of games lost and the mean cost of won games, for each entry and group."""
    groups = list(
        dict.fromkeys(
            game_group.group for game_group in sorted(groups_of_games, key=lambda game_group: game_group.order)
        )
    )
    by_place = {(game_group.entry, game_group.group): game_group for game_group in groups_of_games}
    rows: list[Row] = [[shown(name), *(_group(by_place.get((name, group))) for group in groups)] for name in names]
    return html_table(caption, [ENTRY, *map(HtmlColumn, groups)], rows)


def _group(group: losses.GameGroup | None) -> HtmlValue:
    if group is None:
        return HtmlValue("–", float("nan"))
    share = group.n_lost / group.n_games
    cost = element("small", f"won: {number(group.mean_cost)} on average") if group.n_lost < group.n_games else None
    return HtmlValue(
        [number(share, percent=True), element("small", f"{group.n_lost:,} of {group.n_games:,}"), cost], share
    )


def _rounds(rows: pd.DataFrame, lists: WordLists, names: Sequence[str]) -> Markup:
    rule = games.game_class(str(rows["rules"].iloc[0])).clue_rule
    reports_of = {}
    for name, part in rows.groupby("entry", sort=False, observed=True):
        sampled = part.head(N_SAMPLED)
        played_games: list[tuple[str, Any]] = list(zip(sampled["secret"], sampled["moves"], strict=True))
        reports_of[str(name)] = {report.round_: report for report in round_reports(played_games, lists, rule)}
    last = max((round_ for entry_reports in reports_of.values() for round_ in entry_reports), default=0)
    heads = [ENTRY, *(HtmlColumn(f"after clue {round_}") for round_ in range(1, last + 1))]
    table_rows: list[Row] = []
    for name in names:
        reports = [reports_of[name].get(round_) for round_ in range(1, last + 1)]
        table_rows.append([shown(name), *(_round(report.bits_left, report.epsilon, report.true_marks)
                                    if report else HtmlValue("–") for report in reports)])  # fmt: skip
    caption = "Bits left after each clue, epsilon, and share of true marks (means over up to 100 games)"
    return html_table(caption, heads, table_rows)


def _calibration(rows: pd.DataFrame, names: Sequence[str]) -> Content:
    """Return the calibration of last answers: their posterior against how often they were right; None if unknown."""
    if "posterior" not in rows:
        return None
    heads = [ENTRY, *map(HtmlColumn, ("games", "posterior", "right", "95% interval")), HtmlColumn("agrees", True)]
    table_rows: list[Row] = []
    parts = {str(name): part for name, part in rows.groupby("entry", sort=False, observed=True)}
    for name in names:
        part = parts[name]
        won = np.isfinite(part["cost"].to_numpy(float))
        for level in calibration(part["posterior"].to_numpy(float), won):
            share_right = level.n_right / level.n_games
            table_rows.append([
                shown(name), count(level.n_games), HtmlValue(number(level.said, percent=True), level.said),
                HtmlValue(number(share_right, percent=True), share_right),
                HtmlValue(interval(level.right_low, level.right_high, percent=True), level.right_low),
                "yes" if level.agrees else "no",
            ])  # fmt: skip
    table = html_table("How often the last answer was right, by its posterior", heads, table_rows)
    return element("details", element("summary", "Calibration of the last answer"), table)


def _round(bits: float, epsilon: float, true_marks: float) -> HtmlValue:
    details = [element("small", f"ε {number(epsilon)}"), element("small", f"{number(true_marks, percent=True)} true")]
    return HtmlValue([f"{bits:.2f}", *details], bits)
