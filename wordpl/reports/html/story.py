"""The parts of pages about a standing over time: cards, rows with their intervals and histories, charts, what is new.

Pages of seasons, their entries, results and grades are made of these; a value over time is drawn here alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite

from wordpl.reports import elements
from wordpl.reports.html.document import (
    Content,
    Markup,
    colour,
    coordinate,
    element,
    entry_name,
    joined,
    placed_shape,
    sort_key,
    text,
)
from wordpl.reports.html.run_page import Axis
from wordpl.reports.sections.rankings import axis as axis_of

CHART, MARGINS = (420, 200), (46, 14, 14, 30)
"""The size of a chart of a value over time, and its margins: left, right, top, bottom."""
SPARK, SPARK_MARGIN = (104, 26), 4
"""The size of the small curve of a row, and the room around it for its last dot."""


@dataclass(frozen=True)
class Movement:
    """What has changed for a row since the last time.

    Attributes:
        text: What, in a few words.
        sign: 1 if it is good for the entry, -1 if it is bad, otherwise 0.
    """

    text: str
    sign: int = 0

    def html(self) -> Content:
        """Return the words after an arrow."""
        if not self.sign:
            return element("span", self.text, class_="change")
        arrow, name = ("▲", "up") if self.sign > 0 else ("▼", "down")
        return element("span", f"{arrow} {self.text}", class_=f"change {name}")


@dataclass(frozen=True)
class TimedValue:
    """A value at a time.

    Attributes:
        x: The time, in any unit.
        value: The value.
        entry: The entry that has it.
        shown: The value as it is written.
        time: The time in words.
    """

    x: float
    value: float
    entry: elements.Entry
    shown: str
    time: str

    @property
    def text(self) -> str:
        """The point in words."""
        return f"{self.time}: {self.entry.text} at {self.shown}"


@dataclass(frozen=True)
class StoryRow:
    """A row of a standing.

    Attributes:
        rank: The ranks that the games allow.
        entry: The entry.
        link: The page of the entry.
        about: What is said below its name.
        change: What has changed for it; None if nothing is said.
        value: Its value with the interval; None without games.
        unreached: What is said in place of a value that is infinite or missing.
        facts: The texts of the further columns.
        history: Its values over time.
        is_tied: Whether it is not told apart from the leader.
    """

    rank: str
    entry: elements.Entry
    link: str = ""
    about: str = ""
    change: Movement | None = None
    value: elements.EstimateCell | None = None
    unreached: str = ""
    facts: Sequence[str] = ()
    history: Sequence[TimedValue] = ()
    is_tied: bool = False

    @property
    def is_reached(self) -> bool:
        """Whether there is a value to draw."""
        return self.value is not None and isfinite(self.value.value)


@dataclass(frozen=True)
class ScoreTable:
    """The rows of a score.

    Attributes:
        title: What the rows show, as the caption of their table.
        name: The heading of the names.
        head: The heading of the values.
        rows: The rows, the best one first.
        changes: The heading of the changes; "" if there are none.
        facts: The headings of the further columns.
        times: The heading of the histories; "" if there are none.
        first: The heading of the ranks.
        lower_is_better: Whether a lower value is better.
    """

    title: str
    name: str
    head: str
    rows: Sequence[StoryRow]
    changes: str = ""
    facts: Sequence[str] = ()
    times: str = ""
    first: str = "rank"
    lower_is_better: bool = True

    def html(self) -> Markup:
        """Return the rows as a table: the interval of each on one axis, and its history as a small curve."""
        values = [row.value for row in self.rows if row.value is not None and row.is_reached]
        is_percent = any(value.percent for value in values)
        axis = Axis(axis_of(values), percent=is_percent) if values else None
        reach = [point.value for row in self.rows for point in row.history if isfinite(point.value)]
        ends = [point.x for row in self.rows for point in row.history]
        heads = [
            element("th", self.first, scope="col", class_="n rank"),
            element("th", self.name, scope="col"),
            element("th", self.changes, scope="col", class_="since") if self.changes else None,
            element("th", self.head, scope="col", class_="n figure"),
            element("th", axis.ticks_svg() if axis else None, element("span", "95% interval", class_="hidden"),
                    scope="col", class_="plot"),
            [element("th", head, scope="col", class_="n fact") for head in self.facts],
            element("th", self.times, scope="col", class_="course") if self.times else None,
        ]  # fmt: skip
        body = []
        for place, row in enumerate(self.rows):
            name = element("a", entry_name(row.entry), href=row.link) if row.link else entry_name(row.entry)
            figure: Content = None
            drawing: Content = element("span", row.unreached, class_="unreached")
            if axis and row.value is not None and row.is_reached:
                figure = [element("b", row.value.text), element("small", row.value.interval)]
                drawing = axis.dot_svg(row.entry, row.value, with_text=False)
            change = row.change.html() if row.change else None
            key = sort_key(row.value.sort if row.value is not None else None)
            classes = ["tied" if row.is_tied else "", "" if row.is_reached else "never"]
            body.append(element(
                "tr",
                element("td", row.rank, class_="n rank", data_s=place),
                element("th", name, element("small", row.about) if row.about else None,
                        element("small", change, class_="narrow") if change else None, scope="row"),
                element("td", change, class_="since") if self.changes else None,
                element("td", figure, class_="n figure", data_s=key),
                element("td", drawing, class_="plot", data_s=key),
                [element("td", fact, class_="n fact", data_s=fact.replace(",", "")) for fact in row.facts],
                element("td", self._curve(row, reach, ends), class_="course") if self.times else None,
                class_=" ".join(filter(None, classes)) or None, data_entry=row.entry.name,
            ))  # fmt: skip
        return element("table", element("caption", self.title), element("thead", element("tr", heads)),
                       element("tbody", body), class_="forest story")  # fmt: skip

    def _curve(self, row: StoryRow, reach: Sequence[float], ends: Sequence[float]) -> Content:
        """Return the history of a row as a small curve, in which up is better."""
        points = [point for point in row.history if isfinite(point.value)]
        if not points:
            return None
        (width, height), room = SPARK, SPARK_MARGIN
        low, high, first, last = min(reach), max(reach), min(ends), max(ends)

        def place(point: TimedValue) -> tuple[float, float]:
            share = (point.value - low) / ((high - low) or 1.0)
            up = 1 - share if self.lower_is_better else share
            along = (point.x - first) / (last - first) if last > first else 1.0
            return room + along * (width - 2 * room), room + (1 - up) * (height - 2 * room)

        places = [place(point) for point in points]
        line = " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in places)
        words = "; ".join(f"{point.time}: {point.shown}" for point in points)
        return element(
            "svg", element("title", words), element("polyline", points=Markup(line)),
            element("circle", cx=coordinate(places[-1][0]), cy=coordinate(places[-1][1]), r=3),
            viewBox=f"0 0 {width} {height}", width=width, height=height, class_=f"spark {colour(row.entry)}",
            role="img", aria_label=words,
        )  # fmt: skip


def card(
    head: str, value: str, who: Content, pill: str, why: Content, *, is_sure: bool = False, colour_of: str = "",
    meaning: str = "",
) -> Markup:  # fmt: skip
    """Return a card: a value, whose it is, how sure that is, and what follows from it.

    Args:
        head: What the value is.
        value: The value.
        who: The entry.
        pill: How sure it is, in two or three words.
        why: Who comes next, or what else is open.
        is_sure: Whether nothing is open.
        colour_of: The CSS class of the entry's colour.
        meaning: What the pill means, for a tooltip.
    """
    sign = element("span", pill, class_=f"pill {'sure' if is_sure else 'open'}", title=meaning or None)
    parts = [element("p", element("span", value, class_="value"), sign if pill else None, class_="top"),
             element("p", who or "", class_="leader"), element("p", why, class_="why") if why else None]  # fmt: skip
    return element("li", element("h3", head), parts, class_=f"card {colour_of}".strip())


def cards(found: Sequence[Markup]) -> Markup:
    """Return cards side by side."""
    return joined([element("h2", "At a glance", class_="hidden"), element("ul", found, class_="cards")])


def news(head: str, sentences: Sequence[Content], more: Content = None, *, n_first: int = 3) -> Markup:
    """Return what is new: the first sentences, and the others with more content on request."""
    first = [element("li", sentence) for sentence in sentences[:n_first]]
    rest = [element("li", sentence) for sentence in sentences[n_first:]]
    folded = element("details", element("summary", "All that changed"), element("ul", rest) if rest else None, more)
    return element("div", element("h2", head), element("ul", first), folded if rest or more else None, class_="news")


def next_steps(head: str, steps: Sequence[tuple[str, Sequence[str]]]) -> Markup:
    """Return what a reader can do next: sentences, each with its commands."""
    parts = [[element("p", sentence), element("pre", Markup("\n".join(map(text, commands))), tabindex=0)]
             for sentence, commands in steps]  # fmt: skip
    return element("div", element("h2", head), parts, class_="next")


def front(top: Content, beside: Sequence[Content], rows: Content, below: Content = None) -> Markup:
    """Return the first screen of a page: cards, then what is new and what to do next beside the rows.

    A narrow screen shows `beside` above the rows, and `below`, such as a chart, after them.
    """
    parts = [element("div", beside, class_="beside"), element("div", rows, class_="rows"),
             element("div", below, class_="below") if below else None]  # fmt: skip
    return joined([top, element("div", parts, class_="front")])


def time_chart(
    label: str,
    held: Sequence[TimedValue],
    ticks: Sequence[tuple[float, str]],
    *,
    is_step: bool = False,
    proposed: TimedValue | None = None,
    percent: bool = False,
) -> Markup:
    """Return a chart of a value over time, with a mark in the colour of the entry at each point.

    Args:
        label: What is drawn, for those who do not see it.
        held: The points, in the order of time.
        ticks: The times that are named, the first and the last of which end the axis.
        is_step: Whether a value holds until the next point, and to the end of the axis.
        proposed: A value that does not count yet, dashed at the end.
        percent: Whether the values are shares.
    """
    (width, height), (left, right, top, bottom) = CHART, MARGINS
    drawn = [point for point in held if isfinite(point.value)]
    values = [min(point.value, elements.LARGEST_DRAWN) for point in (*drawn, *([proposed] if proposed else ()))]
    room = (max(values) - min(values)) or abs(values[0]) or 1.0
    axis = Axis((min(values) - room / 8, max(values) + room / 8), percent=percent)
    (first, _), (last, _) = ticks[0], ticks[-1]

    def x(time: float) -> float:
        return left + (time - first) / ((last - first) or 1.0) * (width - left - right)

    def y(value: float) -> float:
        return top + (axis.high - min(value, elements.LARGEST_DRAWN)) / (axis.high - axis.low) * (height - top - bottom)

    corners = [(x(drawn[0].x), y(drawn[0].value))]
    for before, point in pairwise(drawn):
        corners += [(x(point.x), y(before.value))] if is_step else []
        corners.append((x(point.x), y(point.value)))
    end = x(proposed.x if proposed else last) if is_step else corners[-1][0]
    corners.append((end, corners[-1][1]))
    parts: list[Content] = []
    for tick in axis.ticks:
        level, shown = coordinate(y(tick)), f"{round(100 * tick, 6):g}%" if percent else f"{round(tick, 9):,g}"
        parts += [element("line", x1=left, x2=width - right, y1=level, y2=level, class_="grid"),
                  element("text", shown, x=left - 8, y=level, dy=".35em", class_="tick end")]  # fmt: skip
    for place, (time, name) in enumerate(ticks):
        side = "tick" if place == 0 else "tick end" if place == len(ticks) - 1 else "tick middle"
        parts.append(element("text", name, x=coordinate(x(time)), y=height - 8, class_=side))
    parts.append(_polyline(corners, "held"))
    if proposed:
        path = [(end, corners[-1][1]), (end, y(proposed.value)), (x(last), y(proposed.value))]
        parts.append(element("g", element("title", proposed.text), _polyline(path, "proposed"),
                             class_=colour(proposed.entry)))  # fmt: skip
    marks = drawn if is_step else drawn[-1:]
    parts += [element("g", placed_shape(point.entry.number, x(point.x), y(point.value), element("title", point.text)),
                      class_=f"mark {colour(point.entry)}") for point in marks]  # fmt: skip
    newest = drawn[-1]
    at, is_right = x(newest.x), x(newest.x) > width / 2
    parts.append(element("text", f"{newest.entry.short} {newest.shown}", x=coordinate(at + (-9 if is_right else 9)),
                         y=coordinate(max(y(newest.value) - 9, top)),
                         class_="name end" if is_right else "name"))  # fmt: skip
    picture = element("svg", parts, viewBox=f"0 0 {width} {height}", class_=f"chart time {colour(newest.entry)}",
                      role="img", aria_label=label)  # fmt: skip
    return element("figure", picture)


def _polyline(corners: Sequence[tuple[float, float]], name: str) -> Markup:
    points = " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in corners)
    return element("polyline", points=Markup(points), class_=name)
