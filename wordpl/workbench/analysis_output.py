"""Tables and plots of the analysis of an entry."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.reports.cells import interval, number
from wordpl.reports.section import Table, text_table
from wordpl.stats.calibration import CalibrationGroup
from wordpl.stats.losses import GameGroup
from wordpl.workbench.analyse import Analysis, Rivalry

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_ROUNDS = 10
PERCENT_SCORES = ("P(win)", "in 4")


def tables(found: Analysis) -> list[Table]:
    """Return the tables of an analysis."""
    all_tables = [_scores(found), _hardest(found.hardest)]
    all_tables.append(_groups("Games by letters of the secret", [*found.letters, *found.neighbours],
                              "Neighbours are answers that differ from the secret in one letter."))  # fmt: skip
    if found.rounds:
        all_tables += [_rounds(found), _wasteful(found)]
    if found.calibration:
        all_tables.append(_calibration(found.calibration))
    if found.rivalry is not None:
        all_tables += [_rivalry(found.rivalry), *_worst(found.rivalry)]
    return all_tables


def _scores(analysis: Analysis) -> Table:
    rows = [
        [head, number(value, 3, "%" in head or head in PERCENT_SCORES),
         interval(low, high, 3, "%" in head or head in PERCENT_SCORES)]
        for head, (value, low, high) in analysis.scores.items()
    ]  # fmt: skip
    title = f"{analysis.entry.name}: {amount(analysis.n_games, 'game')}, {analysis.n_lost:,} lost"
    return text_table(title, ["score", "value", "95% interval"], rows, frozenset({"score"}))


def _hardest(hardest: pd.DataFrame) -> Table:
    rows = [
        [row["secret"], f"{row['n_games']:,}", f"{row['n_lost']:,}", number(row["mean_cost"])]
        for row in hardest.to_dict("records")
    ]
    heads = ["secret", "games", "lost", "mean cost of wins"]
    return text_table("Hardest secrets", heads, rows, frozenset({"secret"}))


def _groups(title: str, groups: Sequence[GameGroup], legend: str) -> Table:
    rows = [
        [group.group, f"{group.n_games:,}", number(group.n_lost / group.n_games, percent=True), number(group.mean_cost)]
        for group in groups
    ]
    return text_table(
        title, ["secrets with", "games", "lost", "mean cost of wins"], rows, frozenset({"secrets with"}), legend
    )


def _rounds(analysis: Analysis) -> Table:
    has_epsilon = analysis.entry.game.has_epsilon
    heads = [
        "round",
        "games",
        *(["epsilon"] if has_epsilon else []),
        "bits left",
        "expected",
        "available",
        "used",
        "gained",
    ]
    rows = [
        [f"{mean.round_}", f"{mean.n_games}", *([number(mean.epsilon, 2)] if has_epsilon else []),
         f"{mean.bits_left:.2f}", f"{mean.expected:.2f}", f"{mean.available:.2f}", f"{100 * mean.share:.0f}%",
         f"{mean.gained:+.2f}"]
        for mean in analysis.rounds[:MAX_ROUNDS]
    ]  # fmt: skip
    legend = (
        "bits left: uncertainty before the guess; expected: expected information of its clue; available: the same for "
        "the best guess at that epsilon; gained: information of the actual clue. A guess that may be the secret can be "
        "better than one with more information."
    )
    title = f"Information of the guesses in {amount(analysis.n_valued, 'game')}"
    return text_table(title, heads, rows, frozenset(), legend)


def _wasteful(analysis: Analysis) -> Table:
    rows = [
        [f"{move.game}", f"{move.round_}", move.guess, f"{move.expected:.2f}", move.best, f"{move.available:.2f}"]
        for move in analysis.wasteful
        if move.wasted > 0.005
    ]
    heads = ["game", "round", "guess", "bits", "best guess", "its bits"]
    return text_table("Most wasteful guesses", heads, rows, frozenset({"guess", "best guess"}))


def _calibration(groups: Sequence[CalibrationGroup]) -> Table:
    rows = [
        [f"{100 * band.low:.0f}–{100 * band.high:.0f}%", f"{band.n_games:,}", number(band.said, percent=True),
         number(band.n_right / band.n_games, percent=True), interval(band.right_low, band.right_high, percent=True),
         "yes" if band.agrees else "no"]
        for band in groups
    ]  # fmt: skip
    heads = ["posterior", "games", "mean posterior", "right", "95% interval", "agrees"]
    legend = "How often the last answer was right, by its posterior probability."
    return text_table("Calibration of the last answer", heads, rows, frozenset({"posterior", "agrees"}), legend)


def _rivalry(rivalry: Rivalry) -> Table:
    none = rivalry.n_games - rivalry.n_both - rivalry.n_only_entry - rivalry.n_only_rival
    rows = [["both", f"{rivalry.n_both:,}"], ["only this entry", f"{rivalry.n_only_entry:,}"],
            ["only the other", f"{rivalry.n_only_rival:,}"], ["neither", f"{none:,}"]]  # fmt: skip
    title = f"Comparison with {rivalry.rival} on the same {amount(rivalry.n_games, 'game')}"
    return text_table(title, ["won by", "games"], rows, frozenset({"won by"}))


def _worst(rivalry: Rivalry) -> list[Table]:
    rows = [
        [f"{game.game}", game.secret, number(game.cost), number(game.rival_cost), number(game.chance, percent=True)]
        for game in rivalry.worst
    ]
    heads = ["game", "secret", "cost", "cost of the other", "P(answer)"]
    legend = f"To replay the first:\n{rivalry.worst[0].replay}" if rivalry.worst and rivalry.worst[0].replay else ""
    title = "Games with the largest advantage of the other entry"
    return [text_table(title, heads, rows, frozenset({"secret"}), legend)] if rows else []


def plot(found: Analysis, path: Path) -> None:
    """Plot the information of each round, the losses by letters of the secret, and the calibration.

    Args:
        path: Image file. Its suffix determines the format.

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError('plots need matplotlib: pip install "wordpl[plots]"') from None
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    panels = [_draw_rounds, _draw_groups, *([_draw_calibration] if found.calibration else [])]
    for axes, draw in zip(figure.subplots(1, len(panels)), panels, strict=True):
        draw(found, axes)
    try:
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot write {path}: {error}") from None


def _draw_rounds(analysis: Analysis, axes: "Axes") -> None:
    numbers = [mean.round_ for mean in analysis.rounds]
    for name, style in (("available", "o:"), ("expected", "o-"), ("gained", "x--")):
        axes.plot(numbers, [getattr(mean, name) for mean in analysis.rounds], style, label=name)
    axes.set(xlabel="round", ylabel="bits", title="Information of the guesses", xticks=numbers)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.legend(frameon=False)


def _draw_groups(analysis: Analysis, axes: "Axes") -> None:
    groups = [*analysis.letters, *analysis.neighbours]
    shares = [100 * group.n_lost / group.n_games for group in groups]
    axes.barh([group.group for group in groups][::-1], shares[::-1], color="tab:red", alpha=0.7)
    axes.set(xlabel="lost, %", title="Losses by letters of the secret")


def _draw_calibration(analysis: Analysis, axes: "Axes") -> None:
    posteriors = [band.said for band in analysis.calibration]
    right = [band.n_right / band.n_games for band in analysis.calibration]
    below = [value - band.right_low for value, band in zip(right, analysis.calibration, strict=True)]
    above = [band.right_high - value for value, band in zip(right, analysis.calibration, strict=True)]
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    axes.errorbar(posteriors, right, [below, above], fmt="o", ms=4, capsize=2)
    axes.set(xlabel="posterior of the answer", ylabel="share right", title="Calibration of the last answer")
