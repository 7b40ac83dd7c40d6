"""Charts as SVG, which need no script and can be printed.

The style sheet defines the colours for the light and the dark colour scheme; lines also differ by their dashes.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from wordpl.reports.html.markup import Markup, element

N_COLOURS = 6
"""The number of colours, from the colour-blind safe palette of Okabe and Ito."""
N_DASHES = 3
BAR = (64, 8)
WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34


@dataclass(frozen=True)
class Line:
    """A line of a chart with its confidence band: the values and their bounds at each x."""

    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def rank_bar(first: int, last: int, n: int) -> Markup:
    """Return a rank interval as a bar, whose full width stands for all n ranks."""
    width, height = BAR
    start, end = (first - 1) / n * width, last / n * width
    return element(
        "svg",
        element("rect", x=0, y=0, width=width, height=height, class_="track"),
        element("rect", x=_n(start), y=0, width=_n(end - start), height=height, class_="bar"),
        viewBox=f"0 0 {width} {height}", class_="rank", aria_hidden="true",
    )  # fmt: skip


def colour(at: int) -> str:
    """Return the CSS classes of line number `at`."""
    return f"c{at % N_COLOURS} d{at // N_COLOURS % N_DASHES}"


def step_chart(lines: Mapping[str, Line], x_label: str, y_label: str) -> Markup:
    """Return a chart of step functions from 0 to 1 with confidence bands, and its legend."""
    x_max = end_of(lines)
    scale = (WIDTH - LEFT - RIGHT) / x_max
    parts = [*_axes(x_max, x_label, y_label)]
    for at, line in enumerate(lines.values()):
        n = bisect_right(line.x, x_max)
        xs = [LEFT + x * scale for x in (*line.x[:n], x_max)]
        bottom, top, curve = (_steps(xs, [*ys[:n], *(ys[:n] or [0.0])[-1:]]) for ys in (line.low, line.high, line.y))
        band = " ".join([*top, *reversed(bottom)])
        group = [element("polygon", points=band, class_="band"), element("polyline", points=" ".join(curve))]
        parts.append(element("g", group, class_=f"line {colour(at)}", data_line=at))
    parts.append(element("line", x1=LEFT, y1=TOP, x2=LEFT, y2=HEIGHT - BOTTOM, class_="reader", visibility="hidden"))
    picture = element(
        "svg", parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="chart", role="img",
        aria_label=f"{y_label} against {x_label}; see the table below for the numbers",
        data_left=LEFT, data_scale=_n(scale), data_max=_n(x_max),
    )  # fmt: skip
    box = element("div", picture, class_="scroll", tabindex=0, role="group", aria_label=f"Chart of {y_label}")
    return Markup(box + legend(list(lines)))


def legend(names: Sequence[str]) -> Markup:
    """Return the legend of a chart."""
    items = [
        element("li", element("svg", element("line", x1=0, y1=5, x2=28, y2=5), viewBox="0 0 28 10",
                              class_=f"key line {colour(at)}", aria_hidden="true"), " ", name, data_line=at)
        for at, name in enumerate(names)
    ]  # fmt: skip
    return element("ul", items, class_="legend")


def end_of(lines: Mapping[str, Line]) -> float:
    """Return the end of the x axis, at which each line has reached at least 95 % of its height."""
    reached = [next((x for x, y in zip(line.x, line.y, strict=True) if y >= 0.95 * line.y[-1]), 0.0)
               for line in lines.values()]  # fmt: skip
    return nice_end(max(reached, default=1.0))


def nice_end(value: float) -> float:
    """Return a round number that is at least `value`.

    >>> nice_end(36.7), nice_end(405.0), nice_end(0.0)
    (40.0, 500.0, 1.0)
    """
    if not value > 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return float(next(step * unit for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * unit >= value * (1 - 1e-9)))


def _axes(x_max: float, x_label: str, y_label: str) -> list[Markup]:
    made = []
    for share in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1):
        y = _y(share)
        made.append(element("line", x1=LEFT, y1=_n(y), x2=WIDTH - RIGHT, y2=_n(y), class_="grid"))
        made.append(element("text", f"{100 * share:.0f}%", x=LEFT - 6, y=_n(y + 4), class_="tick end"))
    step = x_max / 5
    for at in range(6):
        x = LEFT + (WIDTH - LEFT - RIGHT) * at / 5
        made.append(element("text", f"{at * step:g}", x=_n(x), y=HEIGHT - BOTTOM + 15, class_="tick middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    made.append(element("text", x_label, x=_n(middle), y=HEIGHT - 4, class_="tick middle"))
    return made


def _steps(xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    points, before = [f"{LEFT},{_n(_y(0))}"], 0.0
    for x, y in zip(xs, ys, strict=True):
        points += [f"{_n(x)},{_n(_y(before))}", f"{_n(x)},{_n(_y(y))}"]
        before = y
    return points


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def _n(value: float) -> str:
    """Return a coordinate with one decimal."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def histogram(shares: Sequence[float]) -> Markup:
    """Return a histogram with these heights, scaled to the largest one."""
    top = max(shares, default=0) or 1
    width, height = 12, 36
    bars = [
        element("rect", x=at * width + 1, y=_n(height * (1 - share / top)), width=width - 2,
                height=_n(max(height * share / top, 1 if share else 0)), class_="bar")
        for at, share in enumerate(shares)
    ]  # fmt: skip
    return element("svg", bars, viewBox=f"0 0 {width * len(shares)} {height}", class_="hist", aria_hidden="true",
                   width=ceil(width * len(shares)), height=height)  # fmt: skip
