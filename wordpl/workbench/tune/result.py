"""The result of a search for parameters, and its output as text."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from wordpl.core.intervals import CONFIDENCE
from wordpl.core.messages import amount
from wordpl.reports.section import Table, text_table
from wordpl.workbench.tune.objective import HALF_WIDTH, Objective, ScoreEstimate

BISECTION, HALVING = "bisection", "successive halving"


@dataclass(frozen=True)
class TuneResult:
    """The result of a search.

    Attributes:
        make: Expression of the entry that was found.
        own: Expression of the author's own entry.
        method: "bisection" or "successive halving".
        score: Score of the found entry on fresh games.
        own_score: Score of the author's own entry on the same games.
        win_share: Probability of winning of the found entry on the fresh games, with its standard error.
        n_trials: Number of sets of parameters that were tried.
        n_games: Number of games that they played.
        cpu_s: CPU time of the search.
        p_value: The probability of fresh games that speak so much for the found entry, if it is not better.
        difference: The found entry's score minus the author's own, paired game by game; None for quantiles.
    """

    make: str
    own: str
    objective: Objective
    method: str
    score: ScoreEstimate
    own_score: ScoreEstimate
    win_share: tuple[float, float]
    n_trials: int
    n_games: int
    n_fresh: int
    cpu_s: float
    p_value: float = 1.0
    difference: ScoreEstimate | None = None

    @property
    def is_better(self) -> bool:
        """Whether the fresh games show that the found entry is better; it is worse in at most 5% of such runs."""
        return self.is_new and self.p_value < 1 - CONFIDENCE

    @property
    def is_settled(self) -> bool | None:
        """Whether the fresh games show that the entry wins the share; None for entries with varying costs."""
        if self.objective.q is None or self.method != BISECTION:
            return None
        share, error = self.win_share
        return share - HALF_WIDTH * error >= self.objective.q

    @property
    def is_new(self) -> bool:
        """Whether the found entry differs from the author's own."""
        return self.make != self.own

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON, where infinite numbers are null."""

        def plain(score: ScoreEstimate) -> dict[str, float | None]:
            return {name: value if isfinite(value) else None for name, value in vars(score).items()}

        return {
            "entry": self.make, "own_entry": self.own, "goal": self.objective.name, "method": self.method,
            "score": plain(self.score), "own_score": plain(self.own_score), "win_share": list(self.win_share),
            "is_settled": self.is_settled, "is_better": self.is_better, "p_value": self.p_value,
            "difference": None if self.difference is None else plain(self.difference),
            "n_trials": self.n_trials, "n_games": self.n_games,
            "cpu_s": round(self.cpu_s, 3),
        }  # fmt: skip


def table(result: TuneResult, n_games: int) -> Table:
    """Return a table of the scores on fresh games."""
    rows = [
        [entry, result.objective.shown(score.value), _interval(result, score)]
        for entry, score in ((result.make, result.score), (result.own, result.own_score))
    ][: 1 + result.is_new]
    title = f"{result.objective.in_words()}; {n_games:,} fresh games, not used in the search"
    return text_table(title, ["entry", "score", "95% interval"], rows, frozenset({"entry"}))


def sentences(result: TuneResult) -> list[str]:
    """Return the sentences below the table, with a line to paste into the file."""
    lines = []
    if result.objective.q is not None:
        lines.append(_wins(result, result.objective.q))
    lines.append(
        f"Found by {result.method}: {result.n_trials} sets, {amount(result.n_games, 'game')}, "
        f"{result.cpu_s:.0f} s of CPU time."
    )
    if not result.is_new:
        return [*lines, "No better parameters than your own were found."]
    chance = "below 0.001" if result.p_value < 0.001 else f"{result.p_value:.3f}"
    if result.difference is not None:
        gap, show = result.difference, result.objective.shown
        lines.append(f"Its score minus yours, game by game: {show(gap.value)} ({show(gap.low)} to {show(gap.high)}).")
    if not result.is_better:
        return [
            *lines,
            f"It is not shown to be better than your own (p-value {chance}): keep yours, or play more games.",
        ]
    lines.append(f"It is better than your own on the fresh games (p-value {chance}). Paste this into your file:")
    return [*lines, f"    ENTRIES = [{result.make}]"]


def _wins(result: TuneResult, q: float) -> str:
    """Return a sentence on the share of fresh games won, and whether the required share is shown."""
    share, error = (100 * value for value in result.win_share)
    low, high = share - HALF_WIDTH * error, share + HALF_WIDTH * error
    text = f"It wins {share:.2f} % of the {result.n_fresh:,} fresh games (95 %: {low:.2f} to {high:.2f})"
    if result.is_settled is None:
        return f"{text}."
    if result.is_settled:
        return f"{text}, so at least {100 * q:g} %."
    return f"{text}, which does not show that it wins {100 * q:g} %. Increase --time and --validate."


def _interval(result: TuneResult, score: ScoreEstimate) -> str:
    if score.low == score.high:
        return "–"
    return f"{result.objective.shown(score.low)} to {result.objective.shown(score.high)}"
