"""Tables and matrices as HTML, with bars as SVG. A script adds sorting to tables with the class `sortable`."""

from collections.abc import Sequence
from math import ceil, isfinite

from wordpl.reports.cells import STAR, Cell, Entry, Estimate, Histogram, RankInterval, Text, Tiles
from wordpl.reports.html.markup import Content, Markup, element, joined, text
from wordpl.reports.section import Column, Matrix, Table

BAR = (64, 8)
N_HEATS = 3
"""The number of colours of a heat map on each side of its middle; the last one is for what is shown."""
HEAT_KEY = (
    "Row minus column. Blue: the row is better, orange: the column is better, paler the less certain. Bold: shown (5% "
    "family-wise error over all pairs of a score). A cell's tooltip is its interval and the probability that the row "
    "is better."
)
N_COLOURS = 8
"""The number of colours, which the style sheet defines: those of `pictures.LIGHT` and `pictures.DARK`."""
SHAPES = (
    "M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0Z",  # disc
    "M-4.5-4.5H4.5V4.5H-4.5Z",  # square
    "M0-5.6L5.4 4.2H-5.4Z",  # triangle
    "M0-6.2L5.6 0L0 6.2L-5.6 0Z",  # diamond
    "M0 5.6L5.4-4.2H-5.4Z",  # triangle, pointing down
    "M-2-5.6H2V-2H5.6V2H2V5.6H-2V2H-5.6V-2H-2Z",  # cross
    "M-5.2-2.9L0-6L5.2-2.9V2.9L0 6L-5.2 2.9Z",  # hexagon
)
MARK_TITLE = "not shown to be worse than any other entry"
TILE_MEANINGS = {"c": "right place", "i": "elsewhere", ".": "not in the word", "": "no mark"}


def html_table(table: Table) -> Markup:
    """Return a table that scrolls horizontally on narrow screens; its column of names contains the row headers."""
    body = [
        element("tr", [_cell(value, column) for value, column in zip(row, table.columns, strict=True)])
        for row in table.cells
    ]
    is_sortable = len(table.rows) > 1 and not table.is_ordered
    found = _scrolling(
        table.title,
        [_head(column) for column in table.columns],
        body,
        sortable=is_sortable,
    )
    note = element("p", table.legend, class_="note") if table.legend else ""
    if table.folded:
        return element("details", element("summary", table.title), found, note)
    return Markup(f"{found}{note}")


def html_matrix(matrix: Matrix) -> Markup:
    """Return a matrix as a heat map: one number in each cell, names on both sides, what is shown in bold."""
    heads = [
        element("th", element("span", entry_name(entry)), scope="col", class_="turned") for entry in matrix.entries
    ]
    body = [
        element("tr", element("th", entry_name(entry), scope="row"), list(map(_pair, values, better)))
        for entry, values, better in zip(matrix.entries, matrix.cells, matrix.better, strict=True)
    ]
    table = element(
        "table",
        element("caption", matrix.title),
        element("thead", element("tr", element("th", "row minus column", scope="col"), heads)),
        element("tbody", body),
        class_="heat",
    )
    scroll = element("div", table, class_="scroll", tabindex=0, role="group", aria_label=matrix.title)
    return Markup(scroll + element("p", HEAT_KEY, class_="note"))


def _pair(value: Estimate | None, sign: int) -> Markup:
    """Return the difference of a pair, whose colour says how probable it is that the row is better."""
    if value is None:
        return element("td", "", class_="self")
    meaning = {1: "shown to be better", -1: "shown to be worse", 0: "not told apart"}[sign]
    chance = 0.5 if value.chance is None or value.chance != value.chance else value.chance
    step = sign * N_HEATS if sign else round(2 * (N_HEATS - 1) * (chance - 0.5))
    title = "; ".join(filter(None, [meaning, value.interval, *value.details[1:]]))
    shown = element("b", value.text) if sign else value.text
    return element("td", shown, class_=f"h{'m' if step < 0 else 'p'}{abs(step)}" if step else "h0", title=title,
                   data_better=sign)  # fmt: skip


def _scrolling(caption: str, heads: Sequence[Content], body: Sequence[Content], sortable: bool) -> Markup:
    table = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", heads)),
        element("tbody", body),
        class_="sortable" if sortable else None,
    )
    return element("div", table, class_="scroll", tabindex=0, role="group", aria_label=caption)


def _head(column: Column) -> Markup:
    first = {"low": "ascending", "high": "descending"}.get(column.best or "")
    return element("th", column.head, scope="col", class_=None if column.is_text else "n",
                   title=column.meaning or None, data_first=first)  # fmt: skip


def _cell(value: Cell, column: Column) -> Markup:
    is_name = column.kind == "name"
    return element("th" if is_name else "td", _content(value), class_=None if column.is_text else "n",
                   data_s=_sort_key(value.sort, value.text), scope="row" if is_name else None)  # fmt: skip


def _sort_key(key: str | float | None, shown: str) -> str | None:
    """Return the sort key; None if it is the text that is shown, "" for what is sorted to the end."""
    if key is None:
        return ""
    if isinstance(key, str):
        return None if key == shown else key
    return f"{key:.10g}" if isfinite(key) else "Infinity" if key > 0 else "-Infinity"


def _content(value: Cell) -> Content:
    match value:
        case Entry():
            return entry_name(value)
        case Text(role="code"):
            return element("code", value.text)
        case Text(role="whole"):
            return element("span", value.text, class_="whole")
        case Text(link=str(link)) if link:
            return element("a", value.text, href=link)
        case Tiles():
            return tiles(value)
        case RankInterval():
            return value.plain
        case Histogram():
            return histogram(value.shares)
        case Estimate():
            return _estimate(value)
    return [value.text, [element("small", line) for line in value.details if line]]


def _estimate(value: Estimate) -> Content:
    parts: list[Content] = [
        element("b", value.text) if value.marked else value.text,
        element("span", f" {STAR}", title=MARK_TITLE) if value.marked else None,
        element("small", value.interval) if value.interval else None,
    ]
    if value.ranks is not None:
        ranks = value.ranks
        best = f" · best {''.join(ranks.details)}" if ranks.details else ""
        parts += [rank_bar(ranks), element("small", f"rank {ranks.text}{best}")]
    return parts


def entry_name(entry: Entry) -> Markup:
    """Return the shape and the label of an entry, with its full name as a tooltip; names break before parameters."""
    shown = Markup(text(entry.short).replace("(", "(<wbr>"))
    return joined([glyph(entry), shown if entry.short == entry.text else element("span", shown, title=entry.text)])


def glyph(entry: Entry) -> Markup:
    """Return the shape of an entry in its colour; no two of the first 56 entries have both in common."""
    shape = element("path", d=SHAPES[entry.number % len(SHAPES)])
    return element("svg", shape, viewBox="-6.5 -6.5 13 13", width=12, height=12,
                   class_=f"glyph {colour(entry)}", data_number=entry.number, aria_hidden="true")  # fmt: skip


def colour(entry: Entry) -> str:
    """Return the CSS class of an entry's colour."""
    return f"e{entry.number % N_COLOURS}"


def tiles(value: Tiles) -> Markup:
    """Return a word as tiles with its marks."""
    marks = value.marks or [""] * len(value.word)
    letters = [
        element("span", letter.upper(), class_="tile", role="img", data_mark=mark,
                aria_label=f"{letter.upper()}, {TILE_MEANINGS[mark]}")
        for letter, mark in zip(value.word, marks, strict=True)
    ]  # fmt: skip
    return element("span", letters, class_="row")


def rank_bar(ranks: RankInterval) -> Markup:
    """Return a rank interval as a bar, whose full width stands for all ranks."""
    width, height = BAR
    start, end = (ranks.low - 1) / ranks.n * width, ranks.high / ranks.n * width
    return element(
        "svg",
        element("rect", x=0, y=0, width=width, height=height, class_="track"),
        element("rect", x=coordinate(start), y=0, width=coordinate(end - start), height=height, class_="bar"),
        viewBox=f"0 0 {width} {height}", class_="rank", aria_hidden="true",
    )  # fmt: skip


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
    return f"{value:.1f}".removesuffix(".0")
