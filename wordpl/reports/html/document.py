"""Sections as HTML: escaped markup, tables, matrices and SVG charts, and the document that each page is.

A page is one file with its style, script and data, and a strict content security policy.
"""

from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from html import escape
from math import ceil, floor, isfinite, log10
from pathlib import Path

from wordpl.core import paths
from wordpl.core.files import write_atomically
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.reports import elements
from wordpl.reports.renderers import sentence

MAX_TEXT = 2000
VOID = frozenset({"input", "meta", "br", "line", "rect", "circle", "path", "polyline", "polygon"})


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


Content = str | int | Markup | Iterable["Content"] | None


def text(value: object, most: int = MAX_TEXT) -> Markup:
    """Return the value as escaped text without control characters.

    >>> text('<b>"1"</b>')
    '&lt;b&gt;&quot;1&quot;&lt;/b&gt;'
    """
    return Markup(escape(sanitize_untrusted_text(str(value), most)))


def element(tag: str, *content: Content, **attributes: str | int | float | bool | None) -> Markup:
    """Return an element.

    In the names of attributes, an underscore at the end is removed, and others become hyphens. True gives an attribute
    without a value; False and None give no attribute. Values of any length are kept if they are markup, such as the
    points of a line.

    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    written = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        written.append(
            f" {name}" if value is True else f' {name}="{value if isinstance(value, Markup) else text(value)}"'
        )
    head = f"<{tag}{''.join(written)}"
    if tag in VOID:
        return Markup(f"{head}>" if tag in ("input", "meta", "br") else f"{head}/>")
    return Markup(f"{head}>{joined(content)}</{tag}>")


def joined(content: Content) -> Markup:
    """Return the concatenated content; text that is not markup is escaped."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str | int):
        return text(content)
    return Markup("".join(joined(part) for part in content))


BAR = (64, 8)
N_HEATS = 3
"""The number of colours of a heat map on each side of its middle; the last one is for what is shown."""
HEAT_KEY = (
    "Row minus column. Blue: the row is better, orange: the column is better, paler the less certain. Bold: shown, "
    "with 95% confidence for all pairs of the score together. A cell's tooltip says which, with its 95% interval."
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


def html_table(table: elements.Table) -> Markup:
    """Return a table that scrolls horizontally on narrow screens; its column of names contains the row headers."""
    body = [
        element("tr", [_cell(value, column) for value, column in zip(row, table.columns, strict=True)])
        for row in table.cells
    ]
    is_sortable = len(table.rows) > 1 and not table.is_ordered
    heads = [
        element("th", column.head, scope="col", class_=None if column.is_text else "n", title=column.meaning or None,
                data_first={"low": "ascending", "high": "descending"}.get(column.best or ""))
        for column in table.columns
    ]  # fmt: skip
    found = _scrolling(table.title, heads, body, "sortable" if is_sortable else None)
    note = element("p", table.legend, class_="note") if table.legend else ""
    if table.folded:
        return element("details", element("summary", table.title), found, note)
    return Markup(f"{found}{note}")


def html_matrix(matrix: elements.Matrix) -> Markup:
    """Return a matrix as a heat map: one number in each cell, names on both sides, what is shown in bold."""
    heads = [
        element("th", element("span", entry_name(entry)), scope="col", class_="turned", data_number=entry.number)
        for entry in matrix.entries
    ]
    body = [
        element(
            "tr",
            element("th", entry_name(entry), scope="row"),
            list(map(_pair, values, better)),
            data_number=entry.number,
        )
        for entry, values, better in zip(matrix.entries, matrix.cells, matrix.better, strict=True)
    ]
    scroll = _scrolling(matrix.title, [element("th", "row minus column", scope="col"), heads], body, "heat")
    return Markup(scroll + element("p", HEAT_KEY, class_="note"))


def _pair(value: elements.EstimateCell | None, sign: int) -> Markup:
    """Return the difference of a pair, whose colour says how probable it is that the row is better."""
    if value is None:
        return element("td", "", class_="self")
    meaning = {1: "shown to be better", -1: "shown to be worse", 0: "not told apart"}[sign]
    chance = 0.5 if value.chance is None or value.chance != value.chance else value.chance
    step = sign * N_HEATS if sign else round(2 * (N_HEATS - 1) * (chance - 0.5))
    better = "" if sign or value.chance is None else f"better with {elements.whole_percent(value.chance)} probability"
    title = "; ".join(filter(None, [meaning, value.interval, better]))
    shown = element("b", value.text) if sign else value.text
    return element("td", shown, class_=f"h{'m' if step < 0 else 'p'}{abs(step)}" if step else "h0", title=title,
                   data_better=sign)  # fmt: skip


def _scrolling(caption: str, heads: Sequence[Content], body: Sequence[Content], kind: str | None) -> Markup:
    table = element("table", element("caption", caption), element("thead", element("tr", heads)),
                    element("tbody", body), class_=kind)  # fmt: skip
    return element("div", table, class_="scroll", tabindex=0, role="group", aria_label=caption)


def _cell(value: elements.Cell, column: elements.Column) -> Markup:
    is_name = column.kind == "name"
    return element("th" if is_name else "td", _content(value), class_=None if column.is_text else "n",
                   data_s=None if value.sort == value.text else sort_key(value.sort),
                   scope="row" if is_name else None)  # fmt: skip


def sort_key(key: str | float | None) -> str:
    """Return the key by which a page sorts a cell; "" for what is sorted to the end."""
    if key is None or isinstance(key, str):
        return key or ""
    return f"{key:.10g}" if isfinite(key) else "Infinity" if key > 0 else "-Infinity"


def _content(value: elements.Cell) -> Content:
    match value:
        case elements.Entry():
            return entry_name(value)
        case elements.Text(role="code"):
            return element("code", value.text)
        case elements.Text(role="whole"):
            return element("span", value.text, class_="whole")
        case elements.Text(link=str(link)) if link:
            return element("a", value.text, href=link)
        case elements.Tiles():
            return tiles(value)
        case elements.RankInterval():
            return value.plain
        case elements.Histogram():
            return histogram(value.shares)
        case elements.EstimateCell():
            return _estimate(value)
    return [value.text, [element("small", line) for line in value.details if line]]


def _estimate(value: elements.EstimateCell) -> Content:
    parts: list[Content] = [
        element("b", value.text) if value.marked else value.text,
        element("span", f" {elements.STAR}", title=MARK_TITLE) if value.marked else None,
        element("small", value.interval) if value.interval else None,
    ]
    if value.ranks is not None:
        ranks = value.ranks
        best = f" · best {''.join(ranks.details)}" if ranks.details else ""
        parts += [rank_bar(ranks), element("small", f"rank {ranks.text}{best}")]
    return parts


def entry_name(entry: elements.Entry) -> Markup:
    """Return the shape and the label of an entry, with its full name as a tooltip; names break before parameters."""
    shown = Markup(text(entry.short).replace("(", "(<wbr>"))
    return joined([glyph(entry), shown if entry.short == entry.text else element("span", shown, title=entry.text)])


def glyph(entry: elements.Entry) -> Markup:
    """Return the shape of an entry in its colour; no two of the first 56 entries have both in common."""
    shape = element("path", d=SHAPES[entry.number % len(SHAPES)])
    return element("svg", shape, viewBox="-6.5 -6.5 13 13", width=12, height=12,
                   class_=f"glyph {colour(entry)}", data_number=entry.number, aria_hidden="true")  # fmt: skip


def colour(entry: elements.Entry) -> str:
    """Return the CSS classes of an entry's colour, which is grey if the entry is aside and no reader has chosen it."""
    return f"e{entry.number % N_COLOURS}{' aside' if entry.is_aside else ''}"


def tiles(value: elements.Tiles) -> Markup:
    """Return a word as tiles with its marks."""
    marks = value.marks or [""] * len(value.word)
    letters = [
        element("span", letter.upper(), class_="tile", role="img", data_mark=mark,
                aria_label=f"{letter.upper()}, {TILE_MEANINGS[mark]}")
        for letter, mark in zip(value.word, marks, strict=True)
    ]  # fmt: skip
    return element("span", letters, class_="row")


def rank_bar(ranks: elements.RankInterval) -> Markup:
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


WIDTH, HEIGHT = 1080, 430
LEFT, RIGHT, TOP, BOTTOM = 46, 245, 26, 62
RIBBON = 12
"""The height of the ribbon of leaders along the x axis."""
LABEL_HEIGHT = 19
MAX_LABEL = 26
LOWEST_LABEL = HEIGHT - BOTTOM - 8
"""The place of the lowest name beside a chart, above the name of its x axis."""
MAX_LABELS = (LOWEST_LABEL - TOP) // LABEL_HEIGHT
"""The most names that fit beside a chart, one below the other."""
MAX_TICKS = 8
TICK_CHARACTER = 9.5
"""The largest width of a character of the texts along an axis, on narrow screens, in units of a chart."""
SHARES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
MINOR = (0, 0.05, 0.95)
"""The shares whose names a small picture leaves out."""


def html_curve(curve: elements.Curve) -> Content:
    """Return a chart with direct labels, a slider and a list of its lines that a script reads, and its table."""
    slider = element("input", type="range", min=0, max=f"{curve.x_max:g}", step=1 if curve.is_whole else "any",
                     value=f"{curve.start:.9g}", class_="reader")  # fmt: skip
    reader = element("label", f"{curve.x_name} ", slider, " ", element("output", "", class_="at"), class_="script")
    n_aside = sum(line.entry.is_aside for line in curve.lines)
    aside = f"Grey: {n_aside} others; a tick in the board gives an entry its colour and its name here."
    note = element("p", aside, class_="note script") if n_aside else None
    figure = element("figure", step_chart(curve), reader, legend(curve.lines), note, data_curves=curve.game)
    numbers = element("details", element("summary", "The numbers of this chart"), html_table(curve.table))
    return [element("h3", curve.game), figure, element("p", curve.legend, class_="note"), numbers]


def step_chart(curve: elements.Curve) -> Markup:
    """Return a chart of step functions from 0 to 1 with confidence bands, and who leads along its x axis.

    Lines of entries that are aside lie below the others, without band and, before a reader chooses them, without name.
    """
    scale = (WIDTH - LEFT - RIGHT) / curve.x_max
    parts = [*_axes(curve)]
    ends = []
    drawn = []
    for index, line in enumerate(curve.lines):
        n = bisect_right(line.x, curve.x_max)
        xs = [LEFT + x * scale for x in (*line.x[:n], curve.x_max)]
        bottom, top, middle = (_steps(xs, [*ys[:n], *(ys[:n] or [0.0])[-1:]]) for ys in (line.low, line.high, line.y))
        band = Markup(" ".join([*top, *reversed(bottom)]))
        end = line.y[n - 1] if n else 0.0
        ends.append(end)
        shape = placed_shape(line.entry.number, WIDTH - RIGHT, _y(end))
        group = [None if line.entry.is_aside else element("polygon", points=band, class_="band"),
                 element("polyline", points=Markup(" ".join(middle))), shape]  # fmt: skip
        values = (elements.number(y, percent=True) for y in line.y)
        steps = Markup(" ".join(f"{x:.7g},{text(value)}" for x, value in zip(line.x, values, strict=True)))
        drawn.append((not line.entry.is_aside, element(
            "g", group, class_=f"line {colour(line.entry)}", data_line=index, data_number=line.entry.number,
            data_steps=steps,
        )))  # fmt: skip
    parts += [one for _, one in sorted(drawn, key=lambda pair: pair[0])]
    parts += _labels(curve.lines, ends)
    parts += _ribbon(curve.leads, scale)
    parts.append(element("line", x1=LEFT, y1=TOP, x2=LEFT, y2=HEIGHT - BOTTOM, class_="reader", visibility="hidden"))
    picture = element(
        "svg", parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="chart", role="img", preserveAspectRatio="none",
        aria_label=f"{curve.y_label} against {curve.x_label}; see the table below for the numbers",
        data_left=LEFT, data_right=WIDTH - RIGHT, data_top=TOP, data_lowest=LOWEST_LABEL, data_max=repr(curve.x_max),
    )  # fmt: skip
    return element(
        "div", picture, class_="scroll wide", tabindex=0, role="group", aria_label=f"Chart of {curve.y_label}"
    )


def html_scatter(scatter: elements.Scatter) -> Content:
    """Return a chart of points with their intervals and names, and its table."""
    numbers = element("details", element("summary", "The numbers of this chart"), html_table(scatter.table))
    names = [element("li", entry_name(point.entry)) for point in scatter.points]
    figure = element("figure", scatter_chart(scatter), element("ul", names, class_="legend"))
    return [element("h3", scatter.title), figure, element("p", scatter.legend, class_="note"), numbers]


def scatter_chart(scatter: elements.Scatter) -> Markup:
    """Return a chart of points with their intervals, the x axis from 0 on."""
    ends = [end for point in scatter.points for end in (point.y.value, point.y.low, point.y.high) if isfinite(end)]
    low, high = min(ends), max(ends)
    high = high if high > low else low + 1
    x_max = max(point.x for point in scatter.points) or 1.0
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT

    def across(x: float) -> float:
        return LEFT + 12 + (right - LEFT - 24) * x / x_max

    def down(y: float) -> float:
        return TOP + 8 + (bottom - TOP - 16) * (high - max(low, min(high, y))) / (high - low)

    parts = [element("line", x1=LEFT, y1=bottom, x2=right, y2=bottom, class_="grid")]
    for tick in range(5):
        y, x = low + (high - low) * tick / 4, x_max * tick / 4
        parts.append(element("line", x1=LEFT, y1=coordinate(down(y)), x2=right, y2=coordinate(down(y)), class_="grid"))
        parts.append(element("text", f"{y:.3g}", x=LEFT - 8, y=coordinate(down(y) + 4), class_="tick end"))
        parts.append(element("text", f"{x:.3g}", x=coordinate(across(x)), y=bottom + 18, class_="tick middle"))
    parts.append(element("text", scatter.x_label, x=right + 20, y=bottom + 18, class_="tick finer"))
    for point in scatter.points:
        x = across(point.x)
        y_low, y_high = (down(end) if isfinite(end) else TOP for end in (point.y.low, point.y.high))
        bar = element(
            "line", x1=coordinate(x), x2=coordinate(x), y1=coordinate(y_low), y2=coordinate(y_high), class_="bar"
        )
        title = element("title", f"{point.entry.text}: {point.y.text}, {scatter.x_label} {point.x:.4g}")
        shape = placed_shape(point.entry.number, x, down(point.y.value), title)
        parts.append(element("g", bar, shape, class_=f"point {colour(point.entry)}"))
    for point, place in zip(scatter.points, _apart([down(point.y.value) for point in scatter.points]), strict=True):
        name = point.entry.short if len(point.entry.short) <= MAX_LABEL else f"{point.entry.short[: MAX_LABEL - 1]}…"
        x, y = across(point.x), down(point.y.value)
        leader = element(
            "polyline", points=f"{coordinate(x + 8)},{coordinate(y)} {right + 8},{coordinate(place)}", class_="leader"
        )
        label = element("text", name, x=right + 12, y=coordinate(place + 4))
        parts.append(element("g", leader, label, class_=f"label {colour(point.entry)}"))
    picture = element(
        "svg", parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="chart scatter", role="img", preserveAspectRatio="none",
        aria_label=f"{scatter.y_label} against {scatter.x_label}; see the table below for the numbers",
    )  # fmt: skip
    return element(
        "div", picture, class_="scroll wide", tabindex=0, role="group", aria_label=f"Chart of {scatter.y_label}"
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Return these places, moved apart where labels would overlap."""
    found, before = list(places), -float(LABEL_HEIGHT)
    for index in sorted(range(len(places)), key=lambda index: places[index]):
        before = found[index] = max(places[index], before + LABEL_HEIGHT)
    return found


def placed_shape(number: int, x: float, y: float, title: Content = None) -> Markup:
    """Return the shape with this number at a place of a drawing, which a style may scale."""
    path = element("path", d=SHAPES[number % len(SHAPES)])
    return element("g", title, path, transform=f"translate({coordinate(x)} {coordinate(y)})")


def _labels(lines: Sequence[elements.Line], ends: Sequence[float]) -> list[Markup]:
    """Return the names at the ends of the lines, moved apart where they would overlap.

    As many have a place as fit; of more lines, those in front have one, and a script makes room for others.
    """
    order = sorted(range(len(lines)), key=lambda index: (lines[index].entry.is_aside, -ends[index]))
    front = sorted(order[:MAX_LABELS], key=lambda index: -ends[index])
    front = [index for index in front if not lines[index].entry.is_aside]
    places = [_y(ends[index]) for index in front]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + LABEL_HEIGHT)
    for at in range(len(places) - 1, -1, -1):
        places[at] = min(places[at], LOWEST_LABEL - LABEL_HEIGHT * (len(places) - 1 - at))
    known = dict(zip(front, places, strict=True))
    x = WIDTH - RIGHT
    parts = []
    for index, line in enumerate(lines):
        entry, y = line.entry, _y(ends[index])
        place = known.get(index, y)
        leader = element("polyline", points=f"{x + 8},{coordinate(y)} {x + 16},{coordinate(place)}", class_="leader")
        name = entry.short if len(entry.short) <= MAX_LABEL else f"{entry.short[: MAX_LABEL - 1]}…"
        label = element("text", name, element("tspan", f" {100 * ends[index]:.0f}%", class_="finer value"),
                        x=x + 20, y=coordinate(place + 4))  # fmt: skip
        unplaced = "" if index in known else " unplaced"
        parts.append(element("g", leader, label, class_=f"label {colour(entry)}{unplaced}", data_line=index,
                             data_number=entry.number, data_y=coordinate(y)))  # fmt: skip
    return parts


def _ribbon(leads: Sequence[elements.Lead], scale: float) -> list[Markup]:
    """Return who leads along the x axis: a bar in the colour of each leader, with its shape and its first budget."""
    y = HEIGHT - BOTTOM + 26
    parts = []
    free = 0.0
    for lead in leads:
        x, width = LEFT + lead.start * scale, (lead.end - lead.start) * scale
        bar = element("rect", x=coordinate(x), y=y, width=coordinate(max(1.0, width - 1)), height=RIBBON)
        title = element("title", f"{lead.entry.text} leads from {lead.start:g} to {lead.end:g}")
        shown = f"{lead.start:g}"
        text = element("text", shown, x=coordinate(x), y=y + RIBBON + 14, class_="tick")
        knob = element("path", d=SHAPES[lead.entry.number % len(SHAPES)], class_="knob", transform="scale(.8)")
        shape = element("g", knob, transform=f"translate({coordinate(x + 9)} {y + RIBBON / 2:g})")
        has_text = x >= free
        content = [title, bar, shape if width > 18 else None, text if has_text else None]
        free = x + TICK_CHARACTER * (len(shown) + 1) if has_text else free
        parts.append(element("g", content, class_=f"lead {colour(lead.entry)}", data_number=lead.entry.number))
    if leads:
        parts.append(element("text", "best at this budget", x=WIDTH - RIGHT + 20, y=y + 10, class_="tick finer"))
    return parts


def legend(lines: Sequence[elements.Line]) -> Markup:
    """Return the names of the lines of a chart as a list."""
    items = [element("li", entry_name(line.entry), class_="aside" if line.entry.is_aside else None, data_line=index,
                     data_number=line.entry.number) for index, line in enumerate(lines)]  # fmt: skip
    return element("ul", items, class_="legend")


def _axes(curve: elements.Curve) -> list[Markup]:
    parts = []
    for share in SHARES:
        y = _y(share)
        parts.append(element("line", x1=LEFT, y1=coordinate(y), x2=WIDTH - RIGHT, y2=coordinate(y), class_="grid"))
        name = "tick end minor" if share in MINOR else "tick end"
        parts.append(element("text", f"{100 * share:.0f}%", x=LEFT - 8, y=coordinate(y + 4), class_=name))
    unit = 10.0 ** floor(log10(curve.x_max / MAX_TICKS))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor * MAX_TICKS >= curve.x_max)
    for tick in range(int(curve.x_max / step + ROUNDING) + 1):
        value = step * tick
        x = LEFT + (WIDTH - LEFT - RIGHT) * value / curve.x_max
        parts.append(element("text", f"{value:g}", x=coordinate(x), y=HEIGHT - BOTTOM + 18, class_="tick middle"))
    parts.append(element("text", curve.x_label, x=WIDTH - RIGHT + 20, y=HEIGHT - BOTTOM + 18, class_="tick finer"))
    return parts


def _steps(xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    points, before = [f"{LEFT},{coordinate(_y(0))}"], 0.0
    for x, y in zip(xs, ys, strict=True):
        points += [f"{coordinate(x)},{coordinate(_y(before))}", f"{coordinate(x)},{coordinate(_y(y))}"]
        before = y
    return points


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


STYLES = ("style.css", "review.css", "story.css")
SCRIPTS = (
    "data.js",
    "clues.js",
    "posterior.js",
    "dom.js",
    "choice.js",
    "tables.js",
    "tabs.js",
    "curves.js",
    "games.js",
    "tiles.js",
    "review.js",
    "play.js",
    "replay.js",
    "main.js",
)


@dataclass(frozen=True)
class PageSection:
    """A section of a page.

    Attributes:
        name: Its id.
        head: Its heading; "" for none.
        content: Its content; without content, the section is left out.
        link: What the navigation calls it; "" to leave it out there.
        is_folded: Whether it opens on request.
    """

    name: str
    head: str
    content: Content
    link: str = ""
    is_folded: bool = False

    def folded(self) -> "PageSection":
        """Return the section, to be opened on request."""
        return replace(self, is_folded=True, link="")

    def after(self, content: Content) -> "PageSection":
        """Return the section with more content at its start."""
        return replace(self, content=[content, self.content])

    def html(self) -> Markup:
        """Return the section as an element."""
        if self.is_folded:
            return element("section", element("details", element("summary", element("h2", self.head)), self.content),
                           id=self.name, class_="folded")  # fmt: skip
        return element("section", element("h2", self.head) if self.head else None, self.content, id=self.name)


def part_html(part: elements.Part) -> Content:
    """Return a part of a report; games are a place for the script, which shows them."""
    match part:
        case elements.Table():
            return html_table(part)
        case elements.Matrix():
            return html_matrix(part)
        case elements.Curve():
            return html_curve(part)
        case elements.Scatter():
            return html_scatter(part)
        case elements.Verdicts():
            lines = [element("li", element("b", row.head), f" {sentence(row)}") for row in part.rows]
            return [element("h3", part.title), element("ul", lines, class_="verdicts") if lines else None]
        case elements.Facts():
            return fact_list(part.facts)
        case elements.Note():
            head = element("h3", part.title) if part.title else None
            match part.role:
                case "commands":
                    return [head, element("pre", Markup("\n".join(map(joined, part.sentences))), tabindex=0)]
                case "legend":
                    return [head, element("p", [[sentence, " "] for sentence in part.sentences], class_="note")]
                case "finding":
                    return [head, [element("p", sentence, class_="finding") for sentence in part.sentences]]
            return [head, element("ul", [element("li", sentence) for sentence in part.sentences])]
        case elements.GameList():
            return [
                element("noscript", element("p", "Replaying games needs JavaScript.")),
                element("div", "", id="replay"),
                element("details", element("summary", "All games"), element("div", "", id="browser"), class_="script"),
            ]  # fmt: skip


def fact_list(facts: Mapping[str, str]) -> Markup:
    """Return named facts as a list."""
    return element("dl", [[element("dt", name), element("dd", str(value))] for name, value in facts.items()])


def section_html(section: elements.Section, suffix: str = "", of: str = "") -> PageSection:
    """Return a section of a report as one of a page."""
    content = joined([part_html(part) for part in section.parts])
    title = section.title or section.name.capitalize()
    return PageSection(f"{section.name}{suffix}", f"{title}{of}", content, title)


def asset(name: str) -> str:
    """Return the text of a file in the folder assets."""
    return paths.asset_texts("reports/html/assets")[name]


@cache
def style() -> str:
    """Return the page's style: the STYLES of the folder assets."""
    return "\n".join(map(asset, STYLES))


def policy(*, is_plain: bool = False) -> str:
    """Return the content security policy of a page; see `document`."""
    own = "img-src 'self'" if is_plain else f"script-src '{_digest(script())}'"
    return f"default-src 'none'; {own}; style-src '{_digest(style())}'; base-uri 'none'; form-action 'none'"


@cache
def script() -> str:
    """Return the page's script: the SCRIPTS of the folder assets in one function scope."""
    return "'use strict';(()=>{\n" + "\n".join(asset(name) for name in SCRIPTS) + "\n})();"


def document(
    title: str,
    sections: Sequence[PageSection],
    data: str = "",
    lead: Content = None,
    heading: str = "",
    *,
    others: Mapping[str, str] | None = None,
    is_plain: bool = False,
) -> str:
    """Return the page.

    Args:
        title: The title.
        sections: The sections; those without content are left out, and folded ones come under a heading of their own.
        data: The games for the script, from `page_data.packed`.
        lead: The content below the heading.
        heading: The heading; "" for the title.
        others: The other pages of its site by their names, to which the navigation leads; None: to the sections.
        is_plain: Whether the page has pictures beside it and no script, and search engines leave it out.
    """
    shown = [replace(one, content=joined(one.content)) for one in sections]
    shown = [one for one in shown if one.content]
    folded = [one.html() for one in shown if one.is_folded]
    links = [element("a", one.link, href=f"#{one.name}") for one in shown if one.link]
    if folded:
        links.append(element("a", "Details", href="#details"))
    if others is not None:
        links = [element("a", name, href=place) for name, place in others.items()]
    body = [
        None if is_plain else element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", heading or title), lead),
        element("nav", links, aria_label="Sections") if len(links) > 1 else None,
        element("main", [one.html() for one in shown if not one.is_folded],
                element("div", element("h2", "Details"), folded, id="details") if folded else None,
                id="content", tabindex=-1),
    ]  # fmt: skip
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{text(policy(is_plain=is_plain))}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            *(['<meta name="robots" content="noindex">'] if is_plain else []),
            f"<title>{text(title)}</title>",
            f"<style>{style()}</style>",
            "</head>",
            f"<body>{joined(body)}",
            f'<script type="text/plain" id="data">{data}</script>' if data else "",
            "" if is_plain else f"<script>{script()}</script>",
            "</body></html>",
            "",
        ]
    )


def write_page(path: Path, page: str) -> None:
    """Write a page to a file chosen by the user.

    Raises:
        UserError: The file cannot be written.
    """
    try:
        write_atomically(path, page.encode())
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}.") from None


def _digest(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def tables_page(title: str, tables: Sequence[elements.Table], facts: Mapping[str, str] | None = None) -> str:
    """Return a page with a section for each table, and optional facts at its end."""
    sections = [
        PageSection(f"table-{number}", table.title, html_table(table), table.title)
        for number, table in enumerate(tables, 1)
    ]
    if facts:
        sections.append(PageSection("facts", "Facts", fact_list(facts), "Facts"))
    return document(title, sections)


def notebook_html(parts: Sequence[elements.Part]) -> str:
    """Return parts of a report for a notebook, with their own style."""
    content = element("div", [part_html(part) for part in parts], class_="wordpl")
    return f"<style>{asset('notebook.css')}</style>{content}"
