"""P(win) within each budget, for a chart and for the table behind it."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl.core.intervals import proportion_interval
from wordpl.reports.columns import interval, number
from wordpl.reports.html.charts import Line, end_of
from wordpl.reports.html.markup import Markup
from wordpl.reports.html.tables import HtmlColumn, HtmlValue, Row, html_table
from wordpl.reports.names import shown
from wordpl.stats.scores.score import CONFIDENCE

MAX_STEPS = 120
N_BUDGETS = 10


def win_curves(rows: pd.DataFrame, names: Sequence[str]) -> dict[str, Line]:
    """Return the curve of each entry, by its name as shown.

    Args:
        rows: Rows of `records.load_run` of one noisy game.
        names: The entries in the order of the legend.
    """
    costs = {str(name): part["cost"].to_numpy(float) for name, part in rows.groupby("entry", sort=False)}
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
    """Return the table behind a chart: P(win) within some budgets, and its interval."""
    end = end_of(lines)
    budgets = [end * (at + 1) / N_BUDGETS for at in range(N_BUDGETS)]
    heads = [HtmlColumn("strategy", True), *(HtmlColumn(f"{budget:g}") for budget in budgets)]
    rows: list[Row] = [[name, *(_at(line, budget) for budget in budgets)] for name, line in lines.items()]
    return html_table(f"{rules}: P(win) within a budget", heads, rows)


def _at(line: Line, budget: float) -> HtmlValue:
    at = int(np.searchsorted(line.x, budget * (1 + 1e-9), side="right")) - 1
    if at < 0:
        return HtmlValue("0", 0.0)
    text = f"{number(line.y[at], percent=True)} ({interval(line.low[at], line.high[at], percent=True)})"
    return HtmlValue(text, line.y[at])
