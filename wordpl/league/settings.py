"""What a leaderboard can be asked for, within limits that hold wherever the settings come from."""

from dataclasses import dataclass, fields
from math import isfinite

from wordpl.core.errors import UserError
from wordpl.stats import rankings
from wordpl.stats.rankings import Ranking

DEFAULT_CUTOFF, MIN_CUTOFF, MAX_CUTOFF = 3, 1, 10_000
MIN_K, MAX_K = 0.1, 30.0


@dataclass(frozen=True)
class LeaderboardSettings:
    """A leaderboard's settings; None leaves one as the method has it.

    method: a ranking's name. elo_k, day_adjustment and bayes_adjustment mean something to some methods only, and the
    others are not changed by them. day_adjustment: fit players and days side by side, so that hard days do not count
    against those who played them; bayes_adjustment: draw those with few games towards the mean of all. season: a month,
    a quarter or a year, None for all.

    Raises:
        UserError: A setting lies outside its limits.
    """

    method: str = "mean"
    game_cutoff: int = DEFAULT_CUTOFF
    x_is_seven: bool = False
    elo_k: float | None = None
    day_adjustment: bool | None = True
    bayes_adjustment: bool | None = True
    season: str | None = None

    def __post_init__(self) -> None:
        if not MIN_CUTOFF <= self.game_cutoff <= MAX_CUTOFF:
            limits = f"{MIN_CUTOFF} to {MAX_CUTOFF:,}"
            raise UserError(f"game_cutoff is a number of games from {limits}; got {self.game_cutoff}.")
        if self.elo_k is not None and not (isfinite(self.elo_k) and MIN_K <= self.elo_k <= MAX_K):
            raise UserError(f"elo_k is a number from {MIN_K:g} to {MAX_K:g}; got {self.elo_k:g}.")

    def ranking(self) -> Ranking:
        """Return the ranking that these settings describe."""
        found = rankings.find(self.method)
        wanted = {
            "game_cutoff": self.game_cutoff,
            "x_is_seven": self.x_is_seven,
            "k": self.elo_k,
            "day_adjustment": _either(self.day_adjustment, "ridge", "none"),
            "shrinkage": _either(self.bayes_adjustment, "pooled", "none"),
        }
        known = {field.name for field in fields(found)}
        return found.with_settings(**{name: to for name, to in wanted.items() if name in known and to is not None})


def _either(switch: bool | None, on: str, off: str) -> str | None:
    return None if switch is None else on if switch else off
