"""The curves of P(win) within each budget: a chart as SVG, which needs no script, and the table of its values.

The style sheet defines the colours for the light and the dark colour scheme; lines also differ by their dashes.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.intervals import proportion_interval
from wordpl.reports.columns import interval, number
from wordpl.reports.html.markup import Markup, element
from wordpl.reports.html.tables import HtmlColumn, HtmlValue, Row, coordinate, html_table
from wordpl.reports.names import shown
from wordpl.stats.scores.score import CONFIDENCE

MAX_STEPS = 120
N_BUDGETS = 10
TOLERANCE = 1e-9
N_COLOURS = 6
"""The number of colours, from the colour-blind safe palette of Okabe and Ito."""
N_DASHES = 3
WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34


@dataclass(frozen=True)
class Line:
    """A line of a chart with its confidence band: the values and their bounds at each x."""

    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


def line_classes(at: int) -> str:
    """Return the CSS classes of line number `at`."""
    return f"c{at % N_COLOURS} d{at // N_COLOURS % N_DASHES}"


def step_chart(lines: Mapping[str, Line], x_label: str, y_label: str) -> Markup:
    """Return a chart of step functions from 0 to 1 with confidence bands, and its legend."""
    x_max = axis_end(lines)
    scale = (WIDTH - LEFT - RIGHT) / x_max
    parts = [*_axes(x_max, x_label, y_label)]
    for index, line in enumerate(lines.values()):
        n = bisect_right(line.x, x_max)
        xs = [LEFT + x * scale for x in (*line.x[:n], x_max)]
        bottom, top, curve = (_steps(xs, [*ys[:n], *(ys[:n] or [0.0])[-1:]]) for ys in (line.low, line.high, line.y))
        band = " ".join([*top, *reversed(bottom)])
        group = [element("polygon", points=band, class_="band"), element("polyline", points=" ".join(curve))]
        parts.append(element("g", group, class_=f"line {line_classes(index)}", data_line=index))
    parts.append(element("line", x1=LEFT, y1=TOP, x2=LEFT, y2=HEIGHT - BOTTOM, class_="reader", visibility="hidden"))
    picture = element(
        "svg", parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="chart", role="img",
        aria_label=f"{y_label} against {x_label}; see the table below for the numbers",
        data_left=LEFT, data_scale=coordinate(scale), data_max=coordinate(x_max),
    )  # fmt: skip
    box = element("div", picture, class_="scroll", tabindex=0, role="group", aria_label=f"Chart of {y_label}")
    return Markup(box + legend(list(lines)))


def legend(names: Sequence[str]) -> Markup:
    """Return the legend of a chart."""
    items = [
        element("li", element("svg", element("line", x1=0, y1=5, x2=28, y2=5), viewBox="0 0 28 10",
                              class_=f"key line {line_classes(index)}", aria_hidden="true"), " ", name, data_line=index)
        for index, name in enumerate(names)
    ]  # fmt: skip
    return element("ul", items, class_="legend")


def axis_end(lines: Mapping[str, Line]) -> float:
    """Return the end of the x axis, at which each line has reached at least 95 % of its height."""
    reached = [next((x for x, y in zip(line.x, line.y, strict=True) if y >= 0.95 * line.y[-1]), 0.0)
               for line in lines.values()]  # fmt: skip
    return round_up(max(reached, default=1.0))


def round_up(value: float) -> float:
    """Return a round number that is at least `value`.

    >>> round_up(36.7), round_up(405.0), round_up(0.0)
    (40.0, 500.0, 1.0)
    """
    if not value > 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return float(next(step * unit for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * unit >= value * (1 - 1e-9)))


def _axes(x_max: float, x_label: str, y_label: str) -> list[Markup]:
    parts = []
    for share in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1):
        y = _y(share)
        parts.append(element("line", x1=LEFT, y1=coordinate(y), x2=WIDTH - RIGHT, y2=coordinate(y), class_="grid"))
        parts.append(element("text", f"{100 * share:.0f}%", x=LEFT - 6, y=coordinate(y + 4), class_="tick end"))
    step = x_max / 5
    for tick in range(6):
        x = LEFT + (WIDTH - LEFT - RIGHT) * tick / 5
        parts.append(element("text", f"{tick * step:g}", x=coordinate(x), y=HEIGHT - BOTTOM + 15, class_="tick middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(element("text", x_label, x=coordinate(middle), y=HEIGHT - 4, class_="tick middle"))
    return parts


def _steps(xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    points, before = [f"{LEFT},{coordinate(_y(0))}"], 0.0
    for x, y in zip(xs, ys, strict=True):
        points += [f"{coordinate(x)},{coordinate(_y(before))}", f"{coordinate(x)},{coordinate(_y(y))}"]
        before = y
    return points


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def win_curves(rows: pd.DataFrame, names: Sequence[str]) -> dict[str, Line]:
    """Return the curve of each entry, by its displayed name.

    Args:
        rows: Rows of `run_records.load_run` of one noisy game.
        names: The entries in the order of the legend.
    """
    parts = rows.groupby("entry", sort=False, observed=True)
    costs = {str(name): part["cost"].to_numpy(float) for name, part in parts}
    return {shown(name): _curve(costs[name]) for name in names}


def _curve(costs: NDArray[np.float64]) -> Line:
    steps, n_at = np.unique(costs[np.isfinite(costs)], return_counts=True)
    won = np.cumsum(n_at)
    if len(steps) > MAX_STEPS:
        selection = np.unique(np.linspace(0, len(steps) - 1, MAX_STEPS).round().astype(int))
        steps, won = steps[selection], won[selection]
    low, high = proportion_interval(won, len(costs), CONFIDENCE)
    return Line(steps.tolist(), (won / max(1, len(costs))).tolist(), low.tolist(), high.tolist())


def curve_table(rules: str, lines: Mapping[str, Line]) -> Markup:
    """Return the table of a chart: P(win) within some budgets, with intervals."""
    budgets = _budgets(lines)
    heads = [HtmlColumn("strategy", True), *(HtmlColumn(number(budget)) for budget in budgets)]
    rows: list[Row] = [[name, *(_value_at(line, budget) for budget in budgets)] for name, line in lines.items()]
    return html_table(f"{rules}: P(win) within a budget", heads, rows)


def _budgets(lines: Mapping[str, Line]) -> list[float]:
    """Return budgets for the table: all at which a curve rises, or if there are too many, a selection.

    Between two selected budgets, the total rise of all curves is about the same.
    """
    end = axis_end(lines)
    steps = sorted({x for line in lines.values() for x in line.x if x <= end})
    if 0 < len(steps) <= N_BUDGETS:
        return steps
    rises = [(x, y - before) for line in lines.values()
             for x, y, before in zip(line.x, line.y, [0.0, *line.y], strict=False) if x <= end]  # fmt: skip
    if not rises:
        return [end]
    budgets, rise = np.array(sorted(rises)).T
    targets = np.arange(1, N_BUDGETS) / N_BUDGETS * rise.sum()
    selected = budgets[np.searchsorted(np.cumsum(rise), targets * (1 - TOLERANCE))]
    return sorted({*(float(budget) for budget in selected), end})


def _value_at(line: Line, budget: float) -> HtmlValue:
    index = int(np.searchsorted(line.x, budget * (1 + TOLERANCE), side="right")) - 1
    if index < 0:
        return HtmlValue("0", 0.0)
    ends = element("small", interval(line.low[index], line.high[index], percent=True))
    return HtmlValue([number(line.y[index], percent=True), ends], line.y[index])
