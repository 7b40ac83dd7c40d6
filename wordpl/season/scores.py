"""The scores of a season, each with its own standings."""

import re
from dataclasses import dataclass

import numpy as np

from wordpl.core.errors import UserError
from wordpl.core.game_facts import GameFacts
from wordpl.season.credits import Credits
from wordpl.stats.scores.score import Floats

DEFAULT_LOSS_COST = 100.0


@dataclass(frozen=True)
class SeasonScore:
    """A score: a quantile, the budget within which a share of all games is won, or the mean of something bounded.

    Attributes:
        name: p05, p50, p95 or another share; p_win; mean.
        q: The share of a quantile; None for a mean.
        highest: For the mean cost: the cost of a lost game, and the maximum cost; for p_win 1.
    """

    name: str
    q: float | None
    highest: float = 1.0

    @classmethod
    def of(cls, name: str, facts: GameFacts) -> "SeasonScore":
        """Return the score with this name for a game.

        Raises:
            UserError: There is no such score.
        """
        if re.fullmatch(r"p\d\d", name) and int(name[1:]):
            return cls(name, int(name[1:]) / 100)
        if name == "p_win":
            return cls(name, None)
        if name == "mean":
            return cls(name, None, facts.loss_cost or DEFAULT_LOSS_COST)
        raise UserError(f"no score called {name!r}: choose p05, p50, p95 or another share, p_win, or mean.")

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower value is better."""
        return self.name != "p_win"

    def values(self, games: Credits) -> Floats:
        """Return the value of each game for a mean, from 0 to 1, higher is better, float[n]."""
        if self.name == "p_win":
            return games.credit
        return games.credit * np.maximum(self.highest - games.spent, 0) / self.highest

    def shown(self, mean: Floats) -> Floats:
        """Return the mean of `values` in the unit of the score."""
        return mean if self.name == "p_win" else self.highest * (1 - mean)
