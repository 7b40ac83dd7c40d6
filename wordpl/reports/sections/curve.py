"""The curves of the share of games won within each budget, or within each number of guesses."""

from collections.abc import Iterator, Mapping, Sequence
from math import floor, inf, log10

import numpy as np

from wordpl.core.intervals import ROUNDING
from wordpl.reports import elements
from wordpl.reports.elements import LARGEST_DRAWN
from wordpl.reports.results import RunResults, WinCurve, leads
from wordpl.reports.standings import Board

N_BUDGETS = 10
ROOM = 1.05
"""How much longer than its last step a curve is at least, so that the step can be seen."""
CREDITED = (
    "What the clues promise, without luck, as P(win) of the board; the bands are 95% intervals at each place by itself."
)
COUNTED = "The counted share, with 95% intervals at each place by itself."
PASSING = "The lead passes to another entry where the band of that entry lies above the leader's."


def parts(results: RunResults) -> Iterator[elements.Part]:
    """Yield the curves of each game whose games cost a budget, or a limited number of guesses."""
    for board in results.boards:
        if curves := results.curves(board):
            yield _curve(results, board, curves)


def _curve(results: RunResults, board: Board, curves: Mapping[str, WinCurve]) -> elements.Curve:
    entries, which = results.first(board)
    lines = [line(entries[name], curve) for name, curve in curves.items()]
    has_epsilon, bins = board.game.has_epsilon, board.game.bins
    end = axis_end(lines) if has_epsilon else bins + 0.5
    what = "a budget" if has_epsilon else "a number of guesses"
    title = f"{board.rules}: games won within {what}{which}"
    changes = [one for one in leads(curves) if one[0] <= end] if has_epsilon else []
    ends = [start for start, _ in changes[1:]] + [end]
    led = [elements.Lead(start, stop, entries[name], float(curves[name].at(start)[0]))
           for (start, name), stop in zip(changes, ends, strict=False)]  # fmt: skip
    is_credited = board.luck is not None and not board.exact
    told = [CREDITED if is_credited else COUNTED, PASSING if has_epsilon and len(lines) > 1 else ""]
    told += [f"Shown are {which[2:-1]}." if which else ""]
    return elements.Curve(
        title, "budget (sum of epsilons)" if has_epsilon else "guesses", "games won within it", end, lines,
        _table(title, lines, end, whole=not has_epsilon), " ".join(filter(None, told)), board.rules, led,
        "Budget" if has_epsilon else "Guesses", first_read(board, lines, end), not has_epsilon,
    )  # fmt: skip


def line(entry: elements.Entry, curve: WinCurve) -> elements.Line:
    """Return the curve of an entry as a line of a chart."""
    return elements.Line(entry, *(part.tolist() for part in (curve.costs, curve.shares, curve.low, curve.high)))


def first_read(board: Board, lines: Sequence[elements.Line], end: float) -> float:
    """Return where a reader looks first: the budget with which the leader wins half of its games, or most of them.

    In games without budgets it is four guesses, or as many as there are.
    """
    if not board.game.has_epsilon:
        return float(min(4, int(end)))
    for row in board.rows:
        known = [one.value for name, one in row.standings.items() if name in ("p50", "p05") and one.value < inf]
        if known and max(known) <= end:
            return max(known)
    return next((one.x[-1] for one in lines if one.x and one.x[-1] <= end), end / 2)


def axis_end(lines: Sequence[elements.Line]) -> float:
    """Return the end of the x axis, at which each line has reached at least 95 % of its height."""
    reached = [next((x for x, y in zip(line.x, line.y, strict=True) if y >= 0.95 * line.y[-1]), 0.0)
               for line in lines]  # fmt: skip
    return round_up(ROOM * min(LARGEST_DRAWN, max(reached, default=1.0)))


def round_up(value: float) -> float:
    """Return a round number that is at least `value`.

    >>> round_up(36.7), round_up(405.0), round_up(0.0)
    (40.0, 500.0, 1.0)
    """
    if not value > 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return float(
        next(step * unit for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * unit >= value * (1 - ROUNDING))
    )


def _table(title: str, lines: Sequence[elements.Line], end: float, *, whole: bool) -> elements.Table:
    """Return the table of a chart: the share of games won within some budgets, with intervals."""
    places = [float(place) for place in range(1, int(end) + 1)] if whole else _budgets(lines, end)
    columns = [
        elements.Column("strategy", "name"),
        *(elements.Column(f"{place:g}" if whole else elements.number(place), best="high", scale=(0, 1))
          for place in places),
    ]  # fmt: skip
    rows = [(line.entry, *(_value_at(line, place) for place in places)) for line in lines]
    return elements.Table(title, columns, rows)


def _budgets(lines: Sequence[elements.Line], end: float) -> list[float]:
    """Return budgets for the table: all at which a curve rises, or if there are too many, a selection.

    Between two selected budgets, the total rise of all curves is about the same.
    """
    steps = sorted({x for line in lines for x in line.x if x <= end})
    if 0 < len(steps) <= N_BUDGETS:
        return steps
    rises = [(x, y - before) for line in lines
             for x, y, before in zip(line.x, line.y, [0.0, *line.y], strict=False) if x <= end]  # fmt: skip
    if not rises:
        return [end]
    budgets, rise = np.array(sorted(rises)).T
    targets = np.arange(1, N_BUDGETS) / N_BUDGETS * rise.sum()
    selected = budgets[np.minimum(np.searchsorted(np.cumsum(rise), targets * (1 - ROUNDING)), len(budgets) - 1)]
    return sorted({*(float(budget) for budget in selected), end})


def _value_at(line: elements.Line, budget: float) -> elements.EstimateCell:
    index = int(np.searchsorted(np.asarray(line.x) * (1 - ROUNDING), budget, side="right")) - 1
    if index < 0:
        return elements.EstimateCell(0.0, 0.0, 0.0, percent=True)
    return elements.EstimateCell(line.y[index], line.low[index], line.high[index], percent=True)


SECTION = elements.RunSection(title="Games won within a cost", parts=parts, place=50, level=elements.Detail.DETAILS)
