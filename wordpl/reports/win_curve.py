"""A table and a plot of the win probability of entries against their budget."""

from bisect import bisect
from collections.abc import Hashable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from wordpl.core import current_folder
from wordpl.core.messages import UserError
from wordpl.core.moves import budget_text
from wordpl.reports.elements import LARGEST_DRAWN, Curve, Table, text_table
from wordpl.reports.results import MAX_FRONT
from wordpl.run.folder import explain
from wordpl.stats.estimates import WinRate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND = (
    "counted: the share of games won. by answer: the mean posterior probability of the proposed words. without luck: "
    "the same, minus the luck of the clues."
)
HALF_WIDTH = 1.96
QUANTILES = (0.05, 0.5, 0.95)
N_COLOURS = 10
"""The number of colours of matplotlib; further lines are dashed."""


def table(estimates: Mapping[str, WinRate]) -> pd.DataFrame:
    """Return a row for each entry with its budget, and each estimate with its standard error."""
    rows = []
    for name, estimate in estimates.items():
        row = {"entry": name, "games": estimate.n_games, "budget": estimate.budget}
        for head in ("counted", "by answer", "without luck"):
            mean = getattr(estimate, head.replace(" ", "_"))
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
    return f"{value:,}" if isinstance(value, int) else value if isinstance(value, str) else budget_text(value)


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
    figure = _new_figure()
    axes = figure.subplots()
    for name, points in families.items():
        drawn = sorted(point for point in points if point[0] < LARGEST_DRAWN)
        label = name if drawn else f"{name}: at {budget_text(min(points)[0])}"
        budgets, chances, errors = zip(*drawn, strict=True) if drawn else ((), (), ())
        axes.errorbar(
            budgets, chances, [HALF_WIDTH * error for error in errors], fmt="o-", ms=3, capsize=2, label=label
        )
    axes.set(xlabel="budget (sum of epsilons)", ylabel="P(win)")
    _finish(axes)
    save(figure, path)


def draw(curves: Sequence[Curve]) -> "Figure":
    """Return a figure of the share of games won within each budget, with one panel for each game.

    Of many entries, those that lead something have a colour and a name; the others are grey.

    Args:
        curves: The curves of a report, as steps with 95% bands.
    """
    figure = _new_figure(len(curves))
    for axes, curve in zip(figure.subplots(len(curves), squeeze=False)[:, 0], curves, strict=True):
        end = min(curve.x_max, LARGEST_DRAWN)
        lines = sorted((line for line in curve.lines if line.x), key=lambda line: not line.entry.is_aside)
        n_aside = sum(line.entry.is_aside for line in lines)
        for at, line in enumerate(lines):
            n_drawn = bisect(line.x, LARGEST_DRAWN)
            steps, heights = [0, *line.x[:n_drawn]], [0, *line.y[:n_drawn]]
            steps, heights = [*steps, max(end, steps[-1])], [*heights, heights[-1]]
            if line.entry.is_aside:
                label = f"{n_aside} others" if at == 0 else None
                axes.step(steps, heights, where="post", linewidth=0.6, color="0.7", label=label)
                continue
            dash = "-" if line.entry.number % MAX_FRONT < N_COLOURS else "--"
            style = axes.step(steps, heights, dash, where="post", linewidth=1.4, label=line.entry.short)
            band = [[*bound, *bound[-1:]] for bound in (line.low[:n_drawn], line.high[:n_drawn])]
            axes.fill_between(
                steps[1 : len(band[0]) + 1], *band, step="post", color=style[0].get_color(), alpha=0.15, linewidth=0
            )
        axes.set(xlabel=curve.x_label, ylabel=curve.y_label, xlim=(0, end), ylim=(0, 1))
        axes.set_title(curve.title, loc="left", fontsize=10)
        _finish(axes)
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def save(figure: "Figure", path: Path) -> None:
    """Write a figure into a file, whose suffix selects the format; an SVG file gets no date."""
    with explain(path):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _new_figure(n_panels: int = 1) -> "Figure":
    try:
        with current_folder.no_settings("matplotlibrc"):
            from matplotlib.figure import Figure  # slow to import, and rarely needed
    except ImportError:
        raise UserError('plots need matplotlib: pip install "wordpl[plots]"') from None
    figure = Figure(figsize=(9, 4 * n_panels), layout="constrained")
    setattr(figure, "_repr_png_", lambda: _png(figure))  # noqa: B010 - a notebook shows figures of pyplot only
    return figure


def _png(figure: "Figure") -> bytes:
    picture = BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def _finish(axes: "Axes") -> None:
    """Add dotted lines at the quantiles in sight, and the legend."""
    low, high = axes.get_ylim()
    for quantile in QUANTILES:
        if low < quantile < high:
            axes.axhline(quantile, color="grey", linestyle=":", linewidth=1)
    axes.legend(frameon=False, fontsize=8)
