"""Settings of a leaderboard, validated alike for the command line and the bot."""

from dataclasses import dataclass, fields
from math import isfinite

from wordpl.core.errors import UserError
from wordpl.stats import rankings
from wordpl.stats.rankings import Ranking

DEFAULT_CUTOFF, MIN_CUTOFF, MAX_CUTOFF = 3, 1, 10_000
MIN_K, MAX_K = 0.1, 30.0


@dataclass(frozen=True)
class LeaderboardSettings:
    """Settings of a leaderboard. None keeps the ranking method's default; methods ignore settings they do not have.

    Attributes:
        method: The name of the ranking method.
        game_cutoff: The number of games that a player needs to be listed.
        x_is_seven: Count an unsolved puzzle as 7 guesses: the league's choice.
        elo_k: Points at stake in a match, for the method elo.
        day_adjustment: Estimate the difficulty of days along with the players' means, so that hard days do not count
            against those who played them.
        bayes_adjustment: Shrink players with few games towards the overall mean.
        season: A month, a quarter or a year; None for all results.

    Raises:
        UserError: A setting is out of range.
    """

    method: str = "mean"
    game_cutoff: int = DEFAULT_CUTOFF
    x_is_seven: bool = True
    elo_k: float | None = None
    day_adjustment: bool | None = True
    bayes_adjustment: bool | None = True
    season: str | None = None

    def __post_init__(self) -> None:
        if not MIN_CUTOFF <= self.game_cutoff <= MAX_CUTOFF:
            limits = f"{MIN_CUTOFF} to {MAX_CUTOFF:,}"
            raise UserError(f"game_cutoff must be a number of games from {limits}; got {self.game_cutoff}.")
        if self.elo_k is not None and not (isfinite(self.elo_k) and MIN_K <= self.elo_k <= MAX_K):
            raise UserError(f"elo_k must be a number from {MIN_K:g} to {MAX_K:g}; got {self.elo_k:g}.")

    def ranking(self) -> Ranking:
        """Return the ranking that these settings describe."""
        ranking = rankings.find(self.method)
        settings = {
            "game_cutoff": self.game_cutoff,
            "x_is_seven": self.x_is_seven,
            "k": self.elo_k,
            "day_adjustment": _choose(self.day_adjustment, "ridge", "none"),
            "shrinkage": _choose(self.bayes_adjustment, "pooled", "none"),
        }
        field_names = {field.name for field in fields(ranking)}
        return ranking.with_settings(
            **{name: to for name, to in settings.items() if name in field_names and to is not None}
        )


def _choose(switch: bool | None, on: str, off: str) -> str | None:
    return None if switch is None else on if switch else off
