"""The sections of a page that look closer: pairs of entries, times, faults, and where games are lost."""

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
from wordpl.stats import losses as lost
from wordpl.stats.calibration import calibration
from wordpl.stats.clue_reports import round_reports
from wordpl.stats.compare.matrix import ComparisonMatrix
from wordpl.stats.scores import Score

MAX_FAULTS = 50
MESSAGE_CHARACTERS = 400


def matrices(board: Board, found: Sequence[ComparisonMatrix]) -> Content:
    """Return who beats whom in each score; the first matrix is open, the others unfold."""
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
        "Row less column: the difference with its 95% interval, and the probability that the row's entry is the better "
        "one. ▲ it has been shown to be better, ▼ worse (5 % error over all pairs of a score); no sign: neither."
    )
    return [*made, element("p", note, class_="note")]


def _matrix(board: Board, score: Score, found: ComparisonMatrix) -> Markup:
    names = [shown(name) for name in board.table["strategy"]]
    heads = [HtmlColumn("less", True), *(HtmlColumn(str(at), title=name) for at, name in enumerate(names, 1))]
    rows: list[Row] = []
    for i, name in enumerate(names):
        rows.append([f"{i + 1} {name}", *(_pair(score, found, i, j) for j in range(len(names)))])
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


def times_and_faults(rows: pd.DataFrame) -> Content:
    """Return the CPU times of each entry's games, and the games that ended by a fault with their messages."""
    made: list[Content] = [element("h3", str(rows["rules"].iloc[0]))]
    if "cpu_s" in rows and rows["cpu_s"].notna().any():
        made.append(_times(rows))
    faults = rows[rows["verdict"].isin([str(verdict) for verdict in FAULTS])]
    if faults.empty:
        return [*made, element("p", "No game was lost by a fault.")]
    heads = [HtmlColumn("strategy", True), HtmlColumn("game"), HtmlColumn("how", True), HtmlColumn("message", True)]
    found: list[Row] = [
        [shown(row["entry"]), HtmlValue(f"{row['game']:,}", int(row["game"])), row["verdict"],
         element("code", shown(row["message"].replace("\n", " ⏎ "), MESSAGE_CHARACTERS))]
        for row in faults.head(MAX_FAULTS).to_dict("records")
    ]  # fmt: skip
    caption = f"Games lost by a fault: {len(faults):,}" + (
        f", the first {MAX_FAULTS}" if len(faults) > MAX_FAULTS else ""
    )
    return [*made, html_table(caption, heads, found)]


def _times(rows: pd.DataFrame) -> Markup:
    heads = [HtmlColumn("strategy", True), *(HtmlColumn(head) for head in ("median", "95 %", "most", "all games"))]
    found: list[Row] = []
    for name, part in rows.groupby("entry", sort=False):
        times = part["cpu_s"].dropna().to_numpy(float)
        values = [*np.quantile(times, [0.5, 0.95]), times.max(), times.sum()] if len(times) else [float("nan")] * 4
        found.append([shown(str(name)), *(HtmlValue(duration(value), float(value)) for value in values)])
    return html_table("CPU time of a game", heads, found)


def losses(rows: pd.DataFrame, lists: WordLists) -> Content:
    """Return the hardest words, in which groups of games an entry loses, and what each round's clue said."""
    made: list[Content] = [element("h3", str(rows["rules"].iloc[0]))]
    hardest = lost.hardest_words(rows)
    if len(hardest):
        made.append(_hardest(hardest))
        made.append(_groups("Games by the letters of the secret", lost.by_letter_pattern(rows)))
    made.append(_groups("Games by the number of moves", lost.by_rounds(rows)))
    if rows["measure"].iloc[0] == "budget":
        made.append(_rounds(rows, lists))
        made.append(_calibration(rows))
    return made


def _hardest(hardest: pd.DataFrame) -> Markup:
    heads = [HtmlColumn("word", True), HtmlColumn("games"), HtmlColumn("lost"), HtmlColumn("mean cost if won")]
    rows: list[Row] = [
        [row["secret"], count(row["n_games"]), count(row["n_lost"]),
         HtmlValue(number(row["mean_cost"]), row["mean_cost"])]
        for row in hardest.to_dict("records")
    ]  # fmt: skip
    return html_table("Hardest words, over all entries", heads, rows)


def _groups(caption: str, groups: Sequence[lost.GroupOfGames]) -> Markup:
    heads = [HtmlColumn("strategy", True), HtmlColumn("games with", True),
             *(HtmlColumn(head) for head in ("games", "lost", "lost, %", "mean cost if won"))]  # fmt: skip
    rows: list[Row] = [
        [shown(one.entry), one.group, count(one.n_games), count(one.n_lost),
         HtmlValue(number(one.n_lost / one.n_games, percent=True), one.n_lost / one.n_games),
         HtmlValue(number(one.mean_cost), one.mean_cost)]
        for one in groups
    ]  # fmt: skip
    return html_table(caption, heads, rows)


def _calibration(rows: pd.DataFrame) -> Content:
    """Return how often last answers were right, by what their clues said of them; None where that is not known."""
    if "posterior" not in rows:
        return None
    numbers = ("games", "posterior", "right", "95% interval")
    heads = [HtmlColumn("strategy", True), *map(HtmlColumn, numbers), HtmlColumn("agrees", True)]
    found: list[Row] = []
    for name, part in rows.groupby("entry", sort=False):
        won = np.isfinite(part["cost"].to_numpy(float))
        for one in calibration(part["posterior"].to_numpy(float), won):
            right = one.n_right / one.n_games
            found.append([
                shown(str(name)), count(one.n_games), HtmlValue(number(one.said, percent=True), one.said),
                HtmlValue(number(right, percent=True), right),
                HtmlValue(interval(one.right_low, one.right_high, percent=True), one.right_low),
                "yes" if one.agrees else "no",
            ])  # fmt: skip
    table = html_table("How often the last answer was right, by what its clues said of it", heads, found)
    return element("details", element("summary", "Calibration of the last answer"), table)


def _rounds(rows: pd.DataFrame, lists: WordLists) -> Markup:
    rule = games.game_class(str(rows["rules"].iloc[0])).clue_rule
    heads = [HtmlColumn("strategy", True),
             *(HtmlColumn(head) for head in ("round", "games", "epsilon", "bits left", "true marks"))]  # fmt: skip
    found: list[Row] = []
    for name, part in rows.groupby("entry", sort=False):
        played: list[tuple[str, Any]] = list(zip(part["secret"], part["moves"], strict=True))
        for one in round_reports(played, lists, rule):
            found.append([
                shown(str(name)), one.round_, one.n_games, HtmlValue(number(one.epsilon), one.epsilon),
                HtmlValue(f"{one.bits_left:.2f}", one.bits_left),
                HtmlValue(number(one.true_marks, percent=True), one.true_marks),
            ])  # fmt: skip
    return html_table("What each round's clue said, on average over up to 100 games", heads, found)
