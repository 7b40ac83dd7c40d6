"""The result of a search for parameters."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from wordpl.workbench.tune.objective import HALF_WIDTH, Objective, ScoreEstimate

BISECTION, HALVING = "bisection", "successive halving"


@dataclass(frozen=True)
class TuneResult:
    """The result of a search.

    Attributes:
        make: Expression of the entry that was found.
        own: Expression of the author's own entry.
        objective: The objective of the search.
        method: "bisection" or "successive halving".
        score: Score of the found entry on fresh games.
        own_score: Score of the author's own entry on the same games.
        win_share: Probability of winning of the found entry on the fresh games, with its standard error.
        n_trials: Number of sets of parameters that were tried.
        n_games: Number of games that they played.
        n_fresh: Number of fresh games.
        cpu_s: CPU time of the search.
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
            "is_settled": self.is_settled, "n_trials": self.n_trials, "n_games": self.n_games,
            "cpu_s": round(self.cpu_s, 3),
        }  # fmt: skip
