"""The curves of P(win) within each budget, and the table of their values."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.intervals import proportion_interval
from wordpl.reports.columns import interval, number
from wordpl.reports.html.charts import Line, end_of
from wordpl.reports.html.markup import Markup, element
from wordpl.reports.html.tables import HtmlColumn, HtmlValue, Row, html_table
from wordpl.reports.names import shown
from wordpl.stats.scores.score import CONFIDENCE

MAX_STEPS = 120
N_BUDGETS = 10
EQUAL = 1e-9


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
        kept = np.unique(np.linspace(0, len(steps) - 1, MAX_STEPS).round().astype(int))
        steps, won = steps[kept], won[kept]
    low, high = proportion_interval(won, len(costs), CONFIDENCE)
    return Line(steps.tolist(), (won / max(1, len(costs))).tolist(), low.tolist(), high.tolist())


def curve_table(rules: str, lines: Mapping[str, Line]) -> Markup:
    """Return the table of a chart: P(win) within some budgets, with intervals."""
    budgets = _budgets(lines)
    heads = [HtmlColumn("strategy", True), *(HtmlColumn(number(budget)) for budget in budgets)]
    rows: list[Row] = [[name, *(_at(line, budget) for budget in budgets)] for name, line in lines.items()]
    return html_table(f"{rules}: P(win) within a budget", heads, rows)


def _budgets(lines: Mapping[str, Line]) -> list[float]:
    """Return budgets for the table: all at which a curve rises, or if there are too many, a selection.

    Between two selected budgets, the total rise of all curves is about the same.
    """
    end = end_of(lines)
    steps = sorted({x for line in lines.values() for x in line.x if x <= end})
    if 0 < len(steps) <= N_BUDGETS:
        return steps
    rises = [(x, y - before) for line in lines.values()
             for x, y, before in zip(line.x, line.y, [0.0, *line.y], strict=False) if x <= end]  # fmt: skip
    if not rises:
        return [end]
    at, rise = np.array(sorted(rises)).T
    targets = np.arange(1, N_BUDGETS) / N_BUDGETS * rise.sum()
    found = at[np.searchsorted(np.cumsum(rise), targets * (1 - EQUAL))]
    return sorted({*(float(budget) for budget in found), end})


def _at(line: Line, budget: float) -> HtmlValue:
    at = int(np.searchsorted(line.x, budget * (1 + EQUAL), side="right")) - 1
    if at < 0:
        return HtmlValue("0", 0.0)
    ends = element("small", interval(line.low[at], line.high[at], percent=True))
    return HtmlValue([number(line.y[at], percent=True), ends], line.y[at])
