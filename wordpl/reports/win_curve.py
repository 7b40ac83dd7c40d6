"""A table and a plot of the win probability of entries against their budget."""

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from wordpl.core.errors import UserError
from wordpl.reports.section import Table, text_table
from wordpl.stats.win_rates import WinRate

LEGEND = (
    "counted: the share of games won. by answer: the mean posterior probability of the proposed words. without luck: "
    "the same, minus the luck of the clues."
)
HALF_WIDTH = 1.96
QUANTILES = (0.05, 0.5, 0.95)


def table(estimates: Mapping[str, WinRate]) -> pd.DataFrame:
    """Return a row for each entry with its budget, and each estimate with its standard error."""
    rows = []
    for name, estimate in estimates.items():
        row = {"entry": name, "games": estimate.n_games, "budget": estimate.budget}
        for head, mean in (
            ("counted", estimate.counted),
            ("by answer", estimate.by_answer),
            ("without luck", estimate.without_luck),
        ):
            row[head], row[f"±{head}"] = mean.value, mean.error
        rows.append(row)
    return pd.DataFrame(rows)


def as_table(rows: pd.DataFrame) -> Table:
    """Return the table as text, with standard errors after ±."""
    heads = [str(head) for head in rows.columns if not str(head).startswith("±")]
    values = [[_value(row, head) for head in heads] for row in rows.to_dict("records")]
    return text_table("P(win) within the budget, ± standard error", heads, values, frozenset({"entry"}), LEGEND)


def _value(row: dict[Hashable, Any], head: str) -> str:
    value = row[head]
    if f"±{head}" in row:
        return "" if pd.isna(value) else f"{value:.4f} ± {row[f'±{head}']:.4f}"
    return f"{value:,}" if isinstance(value, int) else value if isinstance(value, str) else f"{value:.6g}"


def for_programs(rows: pd.DataFrame) -> list[dict[str, object]]:
    """Return the rows of the table for JSON, with names such as `by_answer` and `by_answer_error`."""
    names = {head: head.replace(" ", "_").lower() for head in rows.columns}
    names = {head: f"{name[1:]}_error" if name.startswith("±") else name for head, name in names.items()}
    return [{str(head): value for head, value in row.items()} for row in rows.rename(columns=names).to_dict("records")]


def families(estimates: Mapping[str, WinRate]) -> dict[str, list[tuple[float, float, float]]]:
    """Return the points of a plot, (budget, probability, standard error), by entry without its budget."""
    points_of: dict[str, list[tuple[float, float, float]]] = {}
    for name, estimate in estimates.items():
        family = name.partition(", budget")[0].rstrip(")") + ")"
        best = estimate.without_luck
        points_of.setdefault(family, []).append((estimate.budget, best.value, best.error))
    return points_of


def plot(families: Mapping[str, Sequence[tuple[float, float, float]]], path: Path) -> None:
    """Plot P(win) against the budget into a file, with a line for each family and dotted lines at the quantiles.

    Args:
        families: Points (budget, probability, standard error) by family; error bars are 95% intervals.
        path: The file, whose suffix selects the format.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError('plots need matplotlib: pip install "wordpl[plots]"') from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, points in families.items():
        budgets, chances, errors = zip(*sorted(points), strict=True)
        axes.errorbar(budgets, chances, [HALF_WIDTH * error for error in errors], fmt="o-", ms=3, capsize=2, label=name)
    low, high = axes.get_ylim()
    for quantile in QUANTILES:
        if low < quantile < high:
            axes.axhline(quantile, color="grey", linestyle=":", linewidth=1)
    axes.set(xlabel="budget (sum of epsilons)", ylabel="P(win)")
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
