"""The tables of a page, with bars as SVG. A script adds sorting to tables with the class `sortable`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import ceil, isinf, isnan
from typing import Any

from wordpl.core.game_kinds import CLASSIC_GUESSES
from wordpl.reports.board import Board
from wordpl.reports.columns import duration, interval, number, rank_interval, whole_percent
from wordpl.reports.html.markup import Content, Markup, element, text
from wordpl.reports.legend import legend
from wordpl.reports.names import shown
from wordpl.reports.plain_table import PlainTable
from wordpl.stats.scores import Score

BAR = (64, 8)
RunBoards = tuple[str, Mapping[str, str], Sequence[Board]]
"""The name of a run, facts about it, and its boards."""


@dataclass(frozen=True)
class HtmlColumn:
    """The head of a column.

    Attributes:
        head: The text.
        is_text: Whether the values are text, which is left-aligned.
        title: The tooltip.
    """

    head: str
    is_text: bool = False
    title: str = ""


@dataclass(frozen=True)
class HtmlValue:
    """A value in a table; `sort` is its sort key if that differs from the text."""

    content: Content
    sort: str | float | None = None


Row = Sequence[HtmlValue | Content]


def count(n: int) -> HtmlValue:
    """Return a count."""
    return HtmlValue(f"{n:,}", n)


def html_table(caption: str, heads: Sequence[HtmlColumn], rows: Sequence[Row], sortable: bool = True) -> Markup:
    """Return a table that scrolls horizontally on narrow screens; its first text column contains the row headers."""
    cells = [
        element("th", head.head, scope="col", class_=None if head.is_text else "n", title=head.title or None)
        for head in heads
    ]
    first = next((index for index, head in enumerate(heads) if head.is_text), -1)
    body = [
        element("tr", [_cell(value, heads[index], index == first) for index, value in enumerate(row)]) for row in rows
    ]
    table = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", cells)),
        element("tbody", body),
        class_="sortable" if sortable and len(rows) > 1 else None,
    )
    return element("div", table, class_="scroll", tabindex=0, role="group", aria_label=caption)


def _cell(value: HtmlValue | Content, head: HtmlColumn, is_head: bool) -> Markup:
    cell = value if isinstance(value, HtmlValue) else HtmlValue(value)
    key = None if cell.sort is None else _sort_key(cell.sort)
    scope = "row" if is_head else None
    content = breakable(cell.content) if is_head and isinstance(cell.content, str) else cell.content
    return element("th" if is_head else "td", content, class_=None if head.is_text else "n", data_s=key,
                   scope=scope)  # fmt: skip


def _sort_key(key: str | float) -> str:
    if isinstance(key, str):
        return key
    return "Infinity" if isinf(key) else "" if isnan(key) else f"{key:.10g}"


def breakable(name: str) -> Markup:
    """Return the name of an entry with a line break opportunity before its parameters."""
    return name if isinstance(name, Markup) else Markup(text(name).replace("(", "(<wbr>"))


def plain(table: PlainTable) -> Markup:
    """Return a plain table with its legend."""
    heads = [HtmlColumn(head, head in table.left) for head in table.heads]
    rows: list[Row] = [list(row) for row in table.rows]
    return Markup(html_table(table.title, heads, rows) + element("p", table.legend, class_="note"))


def board_table(board: Board) -> Markup:
    """Return a board's table, with intervals, rank intervals as bars, and the probabilities of being the best."""
    scores = [score for score in board.scores if score.shown == "always"]
    heads = [HtmlColumn("strategy", True), *(HtmlColumn(score.head) for score in scores)]
    heads += [HtmlColumn(head) for head in ("won", "wrong", "faults", "CPU time", "games")]
    rows = [_board_row(row, board, scores) for row in board.table.to_dict("records")]
    return html_table(f"{board.rules}: all scores", heads, rows)


def _board_row(row: dict[Any, Any], board: Board, scores: Sequence[Score]) -> Row:
    lost = row["n_wrong"] + row["n_unsolved"]
    cpu = row.get("cpu_median_s", float("nan"))
    times = "–" if isnan(cpu) else [duration(cpu), element("small", f"max {duration(row['cpu_max_s'])}")]
    counts = [row["n_won"], lost, row["n_faults"]]
    return [
        shown(row["strategy"]),
        *(score_value(row, score, board) for score in scores),
        *(HtmlValue(f"{count:,}", count) for count in counts),
        HtmlValue(times, cpu),
        HtmlValue(f"{row['n_games']:,}", row["n_games"]),
    ]


def score_value(row: dict[Any, Any], score: Score, board: Board) -> HtmlValue:
    """Return a score of a row of `Board.table` with its interval and, if there are other entries, its rank."""
    style = (score.digits, score.percent)
    value, low, high = row[score.name], row[f"{score.name}_low"], row[f"{score.name}_high"]
    mark = row[f"{score.name}_mark"]
    parts: list[Content] = [
        element("b", number(value, *style)) if mark else number(value, *style),
        element("span", " ★", title="not shown to be worse than any other entry") if mark else None,
        element("small", "exact" if row["strategy"] in board.exact else interval(low, high, *style)),
    ]
    if score in board.ranked_scores:
        first, last = int(row[f"{score.name}_rank_low"]), int(row[f"{score.name}_rank_high"])
        rank_text = f"rank {rank_interval(first, last)} · best {whole_percent(row[f'{score.name}_p_best'])}"
        parts += [rank_bar(first, last, len(board.table)), element("small", rank_text)]
    sort = -value if score.lower_is_better is False else value
    return HtmlValue(parts, float(sort))


def rank_bar(first: int, last: int, n: int) -> Markup:
    """Return a rank interval as a bar, whose full width stands for all n ranks."""
    width, height = BAR
    start, end = (first - 1) / n * width, last / n * width
    return element(
        "svg",
        element("rect", x=0, y=0, width=width, height=height, class_="track"),
        element("rect", x=coordinate(start), y=0, width=coordinate(end - start), height=height, class_="bar"),
        viewBox=f"0 0 {width} {height}", class_="rank", aria_hidden="true",
    )  # fmt: skip


def guess_distribution(board: Board) -> Markup:
    """Return the table of the distribution of guesses of each entry, with histograms."""
    heads = [
        HtmlColumn("strategy", True),
        *(HtmlColumn(str(n)) for n in range(1, CLASSIC_GUESSES + 1)),
        HtmlColumn("X"),
        HtmlColumn("shares", True),
    ]
    rows: list[Row] = []
    for row in board.table.to_dict("records"):
        counts = [int(row[f"n_solved_in_{n}"]) for n in range(1, CLASSIC_GUESSES + 1)]
        counts.append(int(row["n_games"]) - sum(counts))
        shares = [count / row["n_games"] for count in counts]
        values = [HtmlValue([f"{count:,}", element("small", number(share, percent=True))], count)
                  for count, share in zip(counts, shares, strict=True)]  # fmt: skip
        rows.append([shown(row["strategy"]), *values, HtmlValue(histogram(shares), -max(shares))])
    return html_table(f"{board.rules}: games by number of guesses (X: not solved)", heads, rows)


def histogram(shares: Sequence[float]) -> Markup:
    """Return a histogram with these heights, scaled to the largest one."""
    top = max(shares, default=0) or 1
    width, height = 12, 36
    bars = [
        element("rect", x=position * width + 1, y=coordinate(height * (1 - share / top)), width=width - 2,
                height=coordinate(max(height * share / top, 1 if share else 0)), class_="bar")
        for position, share in enumerate(shares)
    ]  # fmt: skip
    return element("svg", bars, viewBox=f"0 0 {width * len(shares)} {height}", class_="hist", aria_hidden="true",
                   width=ceil(width * len(shares)), height=height)  # fmt: skip


def coordinate(value: float) -> str:
    """Return a coordinate with one decimal."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def notebook_html(board: Board) -> str:
    """Return a board's table and legend for a notebook, with its own style."""
    style = (files("wordpl.reports.html") / "assets" / "notebook.css").read_text(encoding="utf-8")
    content = element("div", board_table(board), element("p", legend(board, is_page=True)), class_="wordpl")
    return f"<style>{style}</style>{content}"


def history(runs: Sequence[RunBoards]) -> Markup:
    """Return the scores of each entry in each run, with a note if the runs have different games."""
    seeds = {name: facts.get("seed", "") for name, facts, _ in runs}
    same = len(set(seeds.values())) == 1
    note = (
        "All runs have the same seed and therefore the same games."
        if same
        else "The runs have different seeds and therefore different games, so that differences are partly due "
        "to chance."
    )
    parts: list[Content] = [element("p", note, class_="note" if same else "finding")]
    for rules in dict.fromkeys(board.rules for _, _, boards in runs for board in boards):
        parts.append(_history_of_game(rules, runs))
    return Markup("".join(part for part in parts if isinstance(part, Markup)))


def _history_of_game(rules: str, runs: Sequence[RunBoards]) -> Markup:
    scores = next([s for s in board.scores if s.shown == "always"] for _, _, boards in runs for board in boards
                  if board.rules == rules)  # fmt: skip
    heads = [HtmlColumn("strategy", True), HtmlColumn("run", True), HtmlColumn("seed", True),
             *(HtmlColumn(score.head) for score in scores)]  # fmt: skip
    rows: list[tuple[str, Row]] = []
    for name, facts, boards in runs:
        for board in (board for board in boards if board.rules == rules):
            for row in board.table.to_dict("records"):
                cells = [score_value(row, score, board) for score in scores if score in board.scores]
                rows.append((row["strategy"], [shown(row["strategy"]), name, shown(facts.get("seed", ""), 20), *cells]))
    rows.sort(key=lambda item: item[0])
    return html_table(f"{rules}: history of entries", heads, [row for _, row in rows])
