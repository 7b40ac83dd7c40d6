"""Plots the analysis of an entry."""

from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core.errors import UserError
from wordpl.workbench.analyse.analysis import Analysis

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(found: Analysis, path: Path) -> None:
    """Plot the information of each round, the losses by letters of the secret, and the calibration.

    Args:
        found: The analysis.
        path: Image file. Its suffix determines the format.

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError('plots need matplotlib: pip install "wordpl[plots]"') from None
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    panels = [_rounds, _groups, *([_calibration] if found.calibration else [])]
    for axes, draw in zip(figure.subplots(1, len(panels)), panels, strict=True):
        draw(found, axes)
    try:
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot write {path}: {error}") from None


def _rounds(found: Analysis, axes: "Axes") -> None:
    numbers = [one.round_ for one in found.rounds]
    for name, style in (("available", "o:"), ("expected", "o-"), ("gained", "x--")):
        axes.plot(numbers, [getattr(one, name) for one in found.rounds], style, label=name)
    axes.set(xlabel="round", ylabel="bits", title="Information of the guesses", xticks=numbers)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.legend(frameon=False)


def _groups(found: Analysis, axes: "Axes") -> None:
    groups = [*found.letters, *found.neighbours]
    shares = [100 * one.n_lost / one.n_games for one in groups]
    axes.barh([one.group for one in groups][::-1], shares[::-1], color="tab:red", alpha=0.7)
    axes.set(xlabel="lost, %", title="Losses by letters of the secret")


def _calibration(found: Analysis, axes: "Axes") -> None:
    said = [one.said for one in found.calibration]
    right = [one.n_right / one.n_games for one in found.calibration]
    below = [value - one.right_low for value, one in zip(right, found.calibration, strict=True)]
    above = [one.right_high - value for value, one in zip(right, found.calibration, strict=True)]
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    axes.errorbar(said, right, [below, above], fmt="o", ms=4, capsize=2)
    axes.set(xlabel="posterior of the answer", ylabel="share right", title="Calibration of the last answer")
