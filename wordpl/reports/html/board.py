"""The top of the page of a run: the verdict on each score, who leads at which budget, and rankings as forest plots.

A forest plot is a table, so that it needs no script: a script turns the tables of several scores into tabs, and opens
the details of an entry below its row.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor, isfinite, log10

from wordpl.reports.cells import Cell, Entry, Estimate, whole_percent
from wordpl.reports.html.markup import Content, Markup, element
from wordpl.reports.html.tables import SHAPES, colour, coordinate, entry_name, glyph
from wordpl.reports.section import Column, Curve, Ranking, Table, Verdict, Verdicts

MAX_NAMED = 3
"""The maximum number of entries that a sentence lists."""
MARGIN = 7.0
"""The room on each side of an axis, in percent of its width."""
TURN = 62.0
"""From this place of the axis on, in percent, a value is written on the left of its dot."""
N_TICKS = 6
CERTAINTIES = {
    "sure": "Every other entry is shown to be worse, with 95% confidence for all comparisons of the board together.",
    "likely": "It is the best with at least 90% probability, but the comparisons do not rule out the others named.",
    "open": "The probability that it is the best is below 90%.",
}


def verdict_cards(verdicts: Verdicts) -> Markup:
    """Return a card for each score: the best entry, its value, how sure that is, and who comes next."""
    return element("ul", map(_card, verdicts.rows), class_="cards") if verdicts.rows else Markup("")


def _card(verdict: Verdict) -> Markup:
    head = element("h3", _capital(verdict.meaning.removeprefix("the ")))
    if verdict.nobody:
        parts: Content = [element("p", element("span", "–", class_="value"), class_="top"),
                          element("p", verdict.nobody, class_="why")]  # fmt: skip
        return element("li", head, parts, class_="card", data_score=verdict.score)
    parts = [
        element("p", element("span", verdict.value.text, class_="value"), _pill(verdict), class_="top"),
        element("p", entry_name(verdict.leader), class_="leader"),
        element("p", _explained(verdict), class_="why"),
    ]
    return element("li", head, parts, class_=f"card {colour(verdict.leader)}", data_score=verdict.score)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:].replace(" %", "%")


def _pill(verdict: Verdict) -> Markup:
    chance = "" if verdict.sure != verdict.sure else whole_percent(verdict.sure)
    if verdict.certainty == "sure":
        return element("span", f"{chance} sure".strip(), class_="pill sure", title=CERTAINTIES["sure"])
    text = ", ".join(filter(None, [verdict.certainty, chance]))
    return element("span", text, class_="pill open", title=CERTAINTIES[verdict.certainty])


def _explained(verdict: Verdict) -> list[Content]:
    """Return who may be as good as the leader, or who comes next and how far behind."""
    if verdict.value.undecided and not verdict.undecided:
        return [verdict.value.undecided]
    if verdict.undecided:
        named: list[Content] = []
        for entry, value in verdict.undecided[:MAX_NAMED]:
            chance = f", {whole_percent(value.ranks.p_best)}" if value.ranks else ""
            named += [", " if named else None, element("b", entry.short), f" ({value.text}{chance})"]
        more = len(verdict.undecided) - MAX_NAMED
        return ["not ruled out: ", named, f" and {more} more" if more > 0 else None]
    if verdict.runner_up is None:
        return ["no other entry"]
    entry, value = verdict.runner_up
    gap = value.value - verdict.value.value
    behind = ""
    if isfinite(gap) and gap:
        size = abs(gap)
        behind = f", {100 * size:.1f} points less" if value.percent else f", {size:.{value.digits}f} more"
    return ["next: ", element("b", entry.short), f" ({value.text}){behind}"]


def lead_strip(curve: Curve) -> Markup:
    """Return who is best at which budget, as a line of entries with the budgets at which they take the lead."""
    if not curve.leads:
        return Markup("")
    items = [
        element("li", element("span", f"from {lead.start:,.1f}", class_="from"), " ", entry_name(lead.entry),
                element("span", f" {100 * lead.value:.0f}%", class_="share"))
        for lead in curve.leads
    ]  # fmt: skip
    return element("div", element("h3", "Best at this budget"), element("ol", items), class_="leads")


def forest_plots(rankings: Sequence[Ranking], main: str, details: Mapping[str, Content], name: str) -> Markup:
    """Return the rankings of a board by each score, one of which a script shows at a time.

    Args:
        rankings: The rankings.
        main: The name of the score that is shown first.
        details: What a row opens to, by the name of its entry.
        name: The name of the board in ids.
    """
    panels = [
        element(
            "div",
            _forest(ranking),
            class_="panel",
            id=f"{name}-{ranking.name}",
            data_tab=ranking.head,
            data_main=ranking.name == main,
        )
        for ranking in rankings
    ]
    templates = [
        element("template", element("div", content, class_="more"), data_entry=entry)
        for entry, content in details.items()
    ]
    return element("div", panels, templates, class_="tabs", data_label="Scores")


def _forest(ranking: Ranking) -> Markup:
    index, column = next((i, one) for i, one in enumerate(ranking.columns) if one.scale and one.head == ranking.head)
    wins = next((i for i, one in enumerate(ranking.columns) if one.scale and i != index), None)
    is_percent = any(isinstance(value, Estimate) and value.percent for value in (row[index] for row in ranking.cells))
    axis = Axis(column.scale or (0, 1), percent=is_percent)
    head = [
        element("th", "rank", scope="col", class_="n rank"),
        element("th", "strategy", scope="col"),
        element("th", axis.ticks_svg(), element("span", ranking.head, class_="hidden"), scope="col", class_="plot"),
        element("th", ranking.columns[wins].head, scope="col", class_="wins") if wins is not None else None,
    ]
    rows = [_row(ranking, row, number, index, wins, axis) for number, row in enumerate(ranking.cells)]
    return element("table", element("caption", ranking.title), element("thead", element("tr", head)),
                   element("tbody", rows), class_="forest")  # fmt: skip


def _row(ranking: Ranking, row: Sequence[Cell], number: int, index: int, wins: int | None, axis: "Axis") -> Markup:
    value, entry = row[index], next(cell for cell in row if isinstance(cell, Entry))
    if not isinstance(value, Estimate):
        raise TypeError("the score of a ranking is an estimate")
    is_reached = isfinite(value.value)
    classes = ["tied" if 1 < ranking.n_tied > number else "", "best" if value.marked else "",
               "" if is_reached else "never"]  # fmt: skip
    return element(
        "tr",
        element("td", row[0].text, class_="n rank"),
        element("th", entry_name(entry), scope="row"),
        element("td", axis.dot_svg(entry, value) if is_reached else _never(ranking, value), class_="plot"),
        element("td", _bar(entry, row[wins]), class_="wins") if wins is not None else None,
        class_=" ".join(filter(None, classes)) or None,
        data_entry=entry.name,
    )


def _never(ranking: Ranking, value: Estimate) -> Content:
    return element("span", value.undecided or ranking.unreached, class_="unreached")


def _bar(entry: Entry, value: Cell) -> Content:
    if not isinstance(value, Estimate) or not isfinite(value.value):
        return value.text
    width = coordinate(100 * min(1.0, max(0.0, value.value)))
    bar = element("svg", element("rect", class_="track", width="100%", height="100%", rx=3),
                  element("rect", class_=colour(entry), width=f"{width}%", height="100%", rx=3),
                  class_="bar", aria_hidden="true")  # fmt: skip
    return [bar, element("span", value.text, title=value.interval or None)]


class Axis:
    """A shared axis of estimates, whose places are percent of the width of its column."""

    def __init__(self, scale: tuple[float, float], *, percent: bool = False):
        """Choose round ticks.

        Args:
            scale: The smallest and the largest value.
            percent: Whether the values are shares.
        """
        low, high = scale
        reach = (high - low) or abs(high) or 1.0
        rough = reach / N_TICKS
        unit = 10.0 ** floor(log10(rough))
        self.step = next(factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough)
        first, last = ceil(low / self.step - 1e-9), floor(high / self.step + 1e-9)
        self.ticks = [number * self.step for number in range(first, last + 1)]
        self.low, self.high, self.percent = low, low + reach, percent

    def place(self, value: float) -> float:
        """Return the place of a value; values outside of the axis lie at its ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return MARGIN + (100 - 2 * MARGIN) * share

    def tick_text(self, value: float) -> str:
        """Return the text of a tick."""
        return f"{round(100 * value, 6):g}%" if self.percent else f"{round(value, 9):,g}"

    def ticks_svg(self) -> Markup:
        """Return the texts of the ticks."""
        texts = [element("text", self.tick_text(tick), x=f"{coordinate(self.place(tick))}%", y="70%", class_="middle")
                 for tick in self.ticks]  # fmt: skip
        return element("svg", texts, class_="ticks", aria_hidden="true")

    def dot_svg(self, entry: Entry, value: Estimate) -> Markup:
        """Return the dot and the interval of an estimate with its value as text; a hollow dot is undecided."""
        at, low, high = self.place(value.value), value.low, value.high
        drawn: list[Content] = [
            element("line", x1=f"{coordinate(self.place(tick))}%", x2=f"{coordinate(self.place(tick))}%", y1=0,
                    y2="100%", class_="grid")
            for tick in self.ticks
        ]  # fmt: skip
        start = end = at
        if not value.is_point and not value.exact and low == low:
            start, end = self.place(low), self.place(high) + (MARGIN / 2 if high > self.high else 0)
            drawn.append(element("line", x1=f"{coordinate(start)}%", x2=f"{coordinate(end)}%", y1="50%", y2="50%",
                                 class_="interval"))  # fmt: skip
            if high > self.high:
                drawn.append(_at(end, element("path", d="M2 0L-5-4.5V4.5Z"), "dot"))
        is_left = at > TURN
        beside = start if is_left else end if end <= TURN else at
        more = f" {value.undecided}" if value.undecided else f" ({value.interval})" if value.interval else ""
        texts = [value.text, element("tspan", more, class_="finer") if more else None]
        drawn.append(element("text", texts, x=f"{coordinate(beside)}%", y="50%", dx=-12 if is_left else 12, dy=".35em",
                             class_="end" if is_left else None))  # fmt: skip
        shape = element("path", d=SHAPES[entry.number % len(SHAPES)], transform="scale(1.15)",
                        class_="hollow" if value.undecided else None)  # fmt: skip
        drawn.append(_at(at, shape, "dot"))
        return element("svg", drawn, class_=f"dots {colour(entry)}")


def _at(place: float, drawing: Markup, name: str) -> Markup:
    """Return a drawing at a place of an axis, which keeps its shape at any width of the axis."""
    return element("svg", drawing, x=f"{coordinate(place)}%", y="50%", overflow="visible", class_=name)


def entry_details(board: Table, worst: Mapping[str, Content]) -> dict[str, Content]:
    """Return what a row opens to: all values of an entry, and its worst games.

    Args:
        board: The table of all values of the board.
        worst: The worst games of each entry, by its name.
    """
    found: dict[str, Content] = {}
    for row in board.cells:
        entry = next(cell for cell in row if isinstance(cell, Entry))
        facts = [
            element("div", element("dt", _fact_head(column)), element("dd", cell.text, map(_small, _details(cell))))
            for column, cell in zip(board.columns, row, strict=True)
            if cell is not entry and cell is not row[0]
        ]  # fmt: skip
        found[entry.name] = [element("p", glyph(entry), element("b", entry.text)), element("dl", facts),
                             worst.get(entry.name)]  # fmt: skip
    return found


def _details(cell: Cell) -> Sequence[str]:
    """Return what belongs to a value; ranks are said in words."""
    if not isinstance(cell, Estimate):
        return [line for line in cell.details if line]
    ranks = cell.ranks
    rank = [f"rank {ranks.text}, best {whole_percent(ranks.p_best)}"] if ranks else []
    return [line for line in (cell.interval, *rank) if line]


def _small(line: str) -> Markup:
    return element("small", line)


def _fact_head(column: Column) -> str:
    return "guesses" if column.head.startswith(" ") else column.head
