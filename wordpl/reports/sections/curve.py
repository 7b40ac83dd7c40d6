"""The curves of the share of games won within each budget."""

from collections.abc import Iterator, Sequence
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from wordpl.core.intervals import ROUNDING, proportion_interval
from wordpl.reports import elements
from wordpl.reports.results import RunResults
from wordpl.run.frame import rows_by
from wordpl.stats.scores.score import CONFIDENCE

MAX_STEPS = 120
N_BUDGETS = 10
MIN_LEAD = 0.01
"""The share of games that the first leader must have won."""
LEGEND = (
    "The counted share of games won within each budget, with pointwise 95% Clopper-Pearson bands. The lead passes to "
    "another entry where the band of that entry lies above the leader's."
)


def parts(results: RunResults) -> Iterator[elements.Part]:
    """Yield the curves of each game with budgets."""
    for board in results.boards:
        if not board.game.has_epsilon:
            continue
        grouped = rows_by(results.rows_of(board), "entry")
        entries, which = results.first(board)
        lines = [line(entry, grouped[name]["cost"].to_numpy(float)) for name, entry in entries.items()]
        title = f"{board.rules}: games won within a budget{which}"
        end = axis_end(lines)
        yield elements.Curve(
            title, "budget (sum of epsilons)", "games won within it", end, lines, _table(title, lines, end),
            LEGEND + (which and f" Shown are {which[2:-1]}."), board.rules, leads(lines, end),
        )  # fmt: skip


def line(entry: elements.Entry, costs: NDArray[np.float64]) -> elements.Line:
    """Return the curve of an entry from the costs of its games, at most MAX_STEPS steps."""
    steps, n_at = np.unique(costs[np.isfinite(costs)], return_counts=True)
    won = np.cumsum(n_at)
    if len(steps) > MAX_STEPS:
        selection = np.unique(np.linspace(0, len(steps) - 1, MAX_STEPS).round().astype(int))
        steps, won = steps[selection], won[selection]
    low, high = proportion_interval(won, len(costs), CONFIDENCE)
    return elements.Line(entry, steps.tolist(), (won / max(1, len(costs))).tolist(), low.tolist(), high.tolist())


def leads(lines: Sequence[elements.Line], end: float) -> list[elements.Lead]:
    """Return which entry leads at which budgets.

    The lead changes where the band of another entry lies above that of the leader, to the entry with the highest value.
    So a lead that is within the errors of the curves does not change hands.
    """
    found: list[tuple[float, elements.Line, float]] = []
    for budget in sorted({x for line in lines for x in line.x if x <= end}):
        values = [_value_at(line, budget) for line in lines]
        best = max(range(len(lines)), key=lambda index: (values[index].value, values[index].low))
        leader = next((index for index, line in enumerate(lines) if found and line is found[-1][1]), None)
        if values[best].value >= MIN_LEAD and (leader is None or values[best].low > values[leader].high):
            found.append((budget, lines[best], values[best].value))
    ends = [start for start, _, _ in found[1:]] + [end]
    return [
        elements.Lead(start, stop, line.entry, value) for (start, line, value), stop in zip(found, ends, strict=False)
    ]


def axis_end(lines: Sequence[elements.Line]) -> float:
    """Return the end of the x axis, at which each line has reached at least 95 % of its height."""
    reached = [next((x for x, y in zip(line.x, line.y, strict=True) if y >= 0.95 * line.y[-1]), 0.0)
               for line in lines]  # fmt: skip
    return round_up(max(reached, default=1.0))


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


def _table(title: str, lines: Sequence[elements.Line], end: float) -> elements.Table:
    """Return the table of a chart: the share of games won within some budgets, with intervals."""
    budgets = _budgets(lines, end)
    columns = [
        elements.Column("strategy", "name"),
        *(elements.Column(elements.number(budget), best="high", scale=(0, 1)) for budget in budgets),
    ]
    return elements.Table(
        title, columns, [(line.entry, *(_value_at(line, budget) for budget in budgets)) for line in lines]
    )


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
    selected = budgets[np.searchsorted(np.cumsum(rise), targets * (1 - ROUNDING))]
    return sorted({*(float(budget) for budget in selected), end})


def _value_at(line: elements.Line, budget: float) -> elements.EstimateCell:
    index = int(np.searchsorted(line.x, budget * (1 + ROUNDING), side="right")) - 1
    if index < 0:
        return elements.EstimateCell(0.0, 0.0, 0.0, percent=True)
    return elements.EstimateCell(line.y[index], line.low[index], line.high[index], percent=True)


SECTION = elements.RunSection(title="Games won within a budget", parts=parts, place=50, level=elements.Detail.DETAILS)
