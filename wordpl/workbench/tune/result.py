"""What a search for parameters has found."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from wordpl.workbench.tune.objective import HALF_WIDTH, Objective, Score

BISECTION, HALVING = "bisection", "successive halving"


@dataclass(frozen=True)
class TuneResult:
    """What a search has found.

    Attributes:
        make: The expression of the entry that was found.
        own: That of the author's own entry.
        objective: What was looked for.
        method: "bisection" or "successive halving".
        score: The score of the found entry on fresh games.
        own_score: That of the author's own entry on the same games.
        win_share: The chance to win of the found entry on the fresh games, with its standard error.
        n_fresh: These games.
        n_trials: The sets of parameters that were tried.
        n_games: The games that they played.
        cpu_s: The CPU time of the search.
    """

    make: str
    own: str
    objective: Objective
    method: str
    score: Score
    own_score: Score
    win_share: tuple[float, float]
    n_trials: int
    n_games: int
    n_fresh: int
    cpu_s: float

    @property
    def is_settled(self) -> bool | None:
        """Whether the fresh games show that an entry that always spends the same wins the share; None for others."""
        if self.objective.q is None or self.method != BISECTION:
            return None
        share, error = self.win_share
        return share - HALF_WIDTH * error >= self.objective.q

    @property
    def is_new(self) -> bool:
        """Whether the found entry is another one than the author's own."""
        return self.make != self.own

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON has it; infinite numbers are null."""

        def plain(score: Score) -> dict[str, float | None]:
            return {name: value if isfinite(value) else None for name, value in vars(score).items()}

        return {
            "entry": self.make, "own_entry": self.own, "goal": self.objective.name, "method": self.method,
            "score": plain(self.score), "own_score": plain(self.own_score), "win_share": list(self.win_share),
            "is_settled": self.is_settled, "n_trials": self.n_trials, "n_games": self.n_games,
            "cpu_s": round(self.cpu_s, 3),
        }  # fmt: skip
