"""Tables and plots of the analysis of an entry."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure
from wordpl.core.messages import amount
from wordpl.reports.columns import interval, number
from wordpl.reports.plain_table import PlainTable
from wordpl.stats.calibration import CalibrationGroup
from wordpl.stats.losses import GameGroup
from wordpl.workbench.analyse import Analysis, Rivalry

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_ROUNDS = 10
PERCENT_SCORES = ("P(win)", "in 4")


def tables(found: Analysis) -> list[PlainTable]:
    """Return the tables of an analysis."""
    made = [_scores(found), _hardest(found.hardest)]
    made.append(_groups("Games by letters of the secret", [*found.letters, *found.neighbours],
                        "Neighbours are answers that differ from the secret in one letter."))  # fmt: skip
    if found.rounds:
        made += [_rounds(found), _wasteful(found)]
    if found.calibration:
        made.append(_calibration(found.calibration))
    if found.rivalry is not None:
        made += [_rivalry(found.rivalry), *_worst(found.rivalry)]
    return made


def _scores(found: Analysis) -> PlainTable:
    rows = [
        [head, number(value, 3, "%" in head or head in PERCENT_SCORES),
         interval(low, high, 3, "%" in head or head in PERCENT_SCORES)]
        for head, (value, low, high) in found.scores.items()
    ]  # fmt: skip
    title = f"{found.entry.name}: {amount(found.n_games, 'game')}, {found.n_lost:,} lost"
    return PlainTable(title, ["score", "value", "95% interval"], rows, frozenset({"score"}))


def _hardest(hardest: pd.DataFrame) -> PlainTable:
    rows = [
        [row["secret"], f"{row['n_games']:,}", f"{row['n_lost']:,}", number(row["mean_cost"])]
        for row in hardest.to_dict("records")
    ]
    heads = ["secret", "games", "lost", "mean cost of wins"]
    return PlainTable("Hardest secrets", heads, rows, frozenset({"secret"}))


def _groups(title: str, groups: Sequence[GameGroup], legend: str) -> PlainTable:
    rows = [
        [one.group, f"{one.n_games:,}", number(one.n_lost / one.n_games, percent=True), number(one.mean_cost)]
        for one in groups
    ]
    return PlainTable(
        title, ["secrets with", "games", "lost", "mean cost of wins"], rows, frozenset({"secrets with"}), legend
    )


def _rounds(found: Analysis) -> PlainTable:
    is_noisy = found.entry.measure == Measure.BUDGET
    heads = [
        "round",
        "games",
        *(["epsilon"] if is_noisy else []),
        "bits left",
        "expected",
        "available",
        "used",
        "gained",
    ]
    rows = [
        [f"{one.round_}", f"{one.n_games}", *([number(one.epsilon, 2)] if is_noisy else []), f"{one.bits_left:.2f}",
         f"{one.expected:.2f}", f"{one.available:.2f}", f"{100 * one.share:.0f}%", f"{one.gained:+.2f}"]
        for one in found.rounds[:MAX_ROUNDS]
    ]  # fmt: skip
    legend = (
        "bits left: uncertainty before the guess; expected: expected information of its clue; available: the same for "
        "the best guess at that epsilon; gained: information of the actual clue. A guess that may be the secret can be "
        "better than one with more information."
    )
    title = f"Information of the guesses in {amount(found.n_valued, 'game')}"
    return PlainTable(title, heads, rows, frozenset(), legend)


def _wasteful(found: Analysis) -> PlainTable:
    rows = [
        [f"{one.game}", f"{one.round_}", one.guess, f"{one.expected:.2f}", one.best, f"{one.available:.2f}"]
        for one in found.wasteful
        if one.wasted > 0.005
    ]
    heads = ["game", "round", "guess", "bits", "best guess", "its bits"]
    return PlainTable("Most wasteful guesses", heads, rows, frozenset({"guess", "best guess"}))


def _calibration(groups: Sequence[CalibrationGroup]) -> PlainTable:
    rows = [
        [f"{100 * one.low:.0f}–{100 * one.high:.0f}%", f"{one.n_games:,}", number(one.said, percent=True),
         number(one.n_right / one.n_games, percent=True), interval(one.right_low, one.right_high, percent=True),
         "" if one.agrees else "no"]
        for one in groups
    ]  # fmt: skip
    heads = ["posterior", "games", "mean posterior", "right", "95% interval", "agrees"]
    legend = "How often the last answer was right, by its posterior probability."
    return PlainTable("Calibration of the last answer", heads, rows, frozenset({"posterior", "agrees"}), legend)


def _rivalry(found: Rivalry) -> PlainTable:
    none = found.n_games - found.n_both - found.n_only_entry - found.n_only_rival
    rows = [["both", f"{found.n_both:,}"], ["only this entry", f"{found.n_only_entry:,}"],
            ["only the other", f"{found.n_only_rival:,}"], ["neither", f"{none:,}"]]  # fmt: skip
    title = f"Comparison with {found.rival} on the same {amount(found.n_games, 'game')}"
    return PlainTable(title, ["won by", "games"], rows, frozenset({"won by"}))


def _worst(found: Rivalry) -> list[PlainTable]:
    rows = [
        [f"{one.game}", one.secret, number(one.cost), number(one.rival_cost), number(one.chance, percent=True)]
        for one in found.worst
    ]
    heads = ["game", "secret", "cost", "cost of the other", "P(answer)"]
    legend = f"To replay the first:\n{found.worst[0].replay}" if found.worst and found.worst[0].replay else ""
    title = "Games with the largest advantage of the other entry"
    return [PlainTable(title, heads, rows, frozenset({"secret"}), legend)] if rows else []


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


def _draw_rounds(found: Analysis, axes: "Axes") -> None:
    numbers = [one.round_ for one in found.rounds]
    for name, style in (("available", "o:"), ("expected", "o-"), ("gained", "x--")):
        axes.plot(numbers, [getattr(one, name) for one in found.rounds], style, label=name)
    axes.set(xlabel="round", ylabel="bits", title="Information of the guesses", xticks=numbers)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.legend(frameon=False)


def _draw_groups(found: Analysis, axes: "Axes") -> None:
    groups = [*found.letters, *found.neighbours]
    shares = [100 * one.n_lost / one.n_games for one in groups]
    axes.barh([one.group for one in groups][::-1], shares[::-1], color="tab:red", alpha=0.7)
    axes.set(xlabel="lost, %", title="Losses by letters of the secret")


def _draw_calibration(found: Analysis, axes: "Axes") -> None:
    said = [one.said for one in found.calibration]
    right = [one.n_right / one.n_games for one in found.calibration]
    below = [value - one.right_low for value, one in zip(right, found.calibration, strict=True)]
    above = [one.right_high - value for value, one in zip(right, found.calibration, strict=True)]
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    axes.errorbar(said, right, [below, above], fmt="o", ms=4, capsize=2)
    axes.set(xlabel="posterior of the answer", ylabel="share right", title="Calibration of the last answer")
