"""Charts of step functions as SVG, which need no script.

The style sheet defines the colours for the light and the dark colour scheme; entries also differ by their shapes.
"""

from bisect import bisect_right
from collections.abc import Sequence

from wordpl.reports.cells import Entry
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.tables import SHAPES, colour, coordinate, entry_name, html_table
from wordpl.reports.section import Curve, Lead, Line

WIDTH, HEIGHT = 1080, 430
LEFT, RIGHT, TOP, BOTTOM = 46, 245, 12, 62
RIBBON = 12
"""The height of the ribbon of leaders along the x axis."""
LABEL_HEIGHT = 16
MAX_LABEL = 26
SHARES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
MINOR = (0, 0.05, 0.95)
"""The shares whose names a small picture leaves out."""


def html_curve(curve: Curve) -> Content:
    """Return a chart with direct labels, a slider and a list of its lines that a script reads, and its table."""
    reader = element("label", "Budget ", element("input", type="range", min=0, max=1000, value=0, class_="reader"),
                     " ", element("output", "", class_="at"), class_="script")  # fmt: skip
    figure = element("figure", step_chart(curve), reader, _legend(curve.lines), data_curves=curve.game)
    numbers = element("details", element("summary", "The numbers of this chart"), html_table(curve.table))
    return [element("h3", curve.game), figure, element("p", curve.legend, class_="note"), numbers]


def step_chart(curve: Curve) -> Markup:
    """Return a chart of step functions from 0 to 1 with confidence bands, and who leads along its x axis."""
    scale = (WIDTH - LEFT - RIGHT) / curve.x_max
    parts = [*_axes(curve)]
    ends = []
    for index, line in enumerate(curve.lines):
        n = bisect_right(line.x, curve.x_max)
        xs = [LEFT + x * scale for x in (*line.x[:n], curve.x_max)]
        bottom, top, middle = (_steps(xs, [*ys[:n], *(ys[:n] or [0.0])[-1:]]) for ys in (line.low, line.high, line.y))
        band = Markup(" ".join([*top, *reversed(bottom)]))
        end = line.y[n - 1] if n else 0.0
        ends.append(end)
        shape = placed_shape(line.entry.number, WIDTH - RIGHT, _y(end))
        group = [element("polygon", points=band, class_="band"),
                 element("polyline", points=Markup(" ".join(middle))), shape]  # fmt: skip
        parts.append(element("g", group, class_=f"line {colour(line.entry)}", data_line=index))
    parts += _labels(curve.lines, ends)
    parts += _ribbon(curve.leads, scale)
    parts.append(element("line", x1=LEFT, y1=TOP, x2=LEFT, y2=HEIGHT - BOTTOM, class_="reader", visibility="hidden"))
    picture = element(
        "svg", parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="chart", role="img", preserveAspectRatio="none",
        aria_label=f"{curve.y_label} against {curve.x_label}; see the table below for the numbers",
        data_left=LEFT, data_right=WIDTH - RIGHT, data_max=repr(curve.x_max),
    )  # fmt: skip
    return element(
        "div", picture, class_="scroll wide", tabindex=0, role="group", aria_label=f"Chart of {curve.y_label}"
    )


def placed_shape(number: int, x: float, y: float, title: Content = None) -> Markup:
    """Return the shape with this number at a place of a drawing, which a style may scale."""
    path = element("path", d=SHAPES[number % len(SHAPES)])
    return element("g", title, path, transform=f"translate({coordinate(x)} {coordinate(y)})")


def _labels(lines: Sequence[Line], ends: Sequence[float]) -> list[Markup]:
    """Return the names at the ends of the lines, moved apart where they would overlap."""
    order = sorted(range(len(lines)), key=lambda index: -ends[index])
    places = [_y(ends[index]) for index in order]
    for at in range(1, len(places)):
        places[at] = max(places[at], places[at - 1] + LABEL_HEIGHT)
    overhang = max(0.0, places[-1] - (HEIGHT - BOTTOM)) if places else 0.0
    for at in range(len(places) - 1, -1, -1):
        most = HEIGHT - BOTTOM - LABEL_HEIGHT * (len(places) - 1 - at) if overhang else places[at]
        places[at] = max(TOP, min(places[at], most))
    x = WIDTH - RIGHT
    parts = []
    for index, place in zip(order, places, strict=True):
        entry, y = lines[index].entry, _y(ends[index])
        leader = element("polyline", points=f"{x + 8},{coordinate(y)} {x + 16},{coordinate(place)}", class_="leader")
        label = element("text", _cut(entry), element("tspan", f" {100 * ends[index]:.0f}%", class_="finer value"),
                        x=x + 20, y=coordinate(place + 4))  # fmt: skip
        parts.append(element("g", leader, label, class_=f"label {colour(entry)}", data_line=index))
    return parts


def _cut(entry: Entry) -> str:
    return entry.short if len(entry.short) <= MAX_LABEL else f"{entry.short[: MAX_LABEL - 1]}…"


def _ribbon(leads: Sequence[Lead], scale: float) -> list[Markup]:
    """Return who leads along the x axis: a bar in the colour of each leader, with its shape and its first budget."""
    y = HEIGHT - BOTTOM + 26
    parts = []
    before = -100.0
    for lead in leads:
        x, width = LEFT + lead.start * scale, (lead.end - lead.start) * scale
        bar = element("rect", x=coordinate(x), y=y, width=coordinate(max(1.0, width - 1)), height=RIBBON)
        title = element("title", f"{lead.entry.text} leads from {lead.start:g} to {lead.end:g}")
        text = element("text", f"{lead.start:g}", x=coordinate(x), y=y + RIBBON + 14, class_="tick")
        knob = element("path", d=SHAPES[lead.entry.number % len(SHAPES)], class_="knob", transform="scale(.8)")
        shape = element("g", knob, transform=f"translate({coordinate(x + 9)} {y + RIBBON / 2:g})")
        content = [title, bar, shape if width > 18 else None, text if x - before > 34 else None]
        before = x if x - before > 34 else before
        parts.append(element("g", content, class_=f"lead {colour(lead.entry)}"))
    if leads:
        parts.append(element("text", "best at this budget", x=WIDTH - RIGHT + 20, y=y + 10, class_="tick"))
    return parts


def _legend(lines: Sequence[Line]) -> Markup:
    items = [element("li", entry_name(line.entry), data_line=index) for index, line in enumerate(lines)]
    return element("ul", items, class_="legend")


def _axes(curve: Curve) -> list[Markup]:
    parts = []
    for share in SHARES:
        y = _y(share)
        parts.append(element("line", x1=LEFT, y1=coordinate(y), x2=WIDTH - RIGHT, y2=coordinate(y), class_="grid"))
        name = "tick end minor" if share in MINOR else "tick end"
        parts.append(element("text", f"{100 * share:.0f}%", x=LEFT - 8, y=coordinate(y + 4), class_=name))
    for tick in range(6):
        x, value = LEFT + (WIDTH - LEFT - RIGHT) * tick / 5, curve.x_max / 5 * tick
        parts.append(element("text", f"{value:g}", x=coordinate(x), y=HEIGHT - BOTTOM + 18, class_="tick middle"))
    parts.append(element("text", curve.x_label, x=WIDTH - RIGHT + 20, y=HEIGHT - BOTTOM + 18, class_="tick"))
    return parts


def _steps(xs: Sequence[float], ys: Sequence[float]) -> list[str]:
    points, before = [f"{LEFT},{coordinate(_y(0))}"], 0.0
    for x, y in zip(xs, ys, strict=True):
        points += [f"{coordinate(x)},{coordinate(_y(before))}", f"{coordinate(x)},{coordinate(_y(y))}"]
        before = y
    return points


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)
