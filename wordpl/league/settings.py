"""What a leaderboard can be asked for."""

from dataclasses import dataclass, fields

from wordpl.stats import rankings
from wordpl.stats.rankings import Ranking

FEWEST_GAMES = 3
SMALLEST_K, LARGEST_K = 0.1, 30.0


@dataclass(frozen=True)
class LeaderboardSettings:
    """A leaderboard's settings; None leaves one as the method has it.

    method: a ranking's name. elo_k, day_adjustment and bayes_adjustment mean something to some methods only, and the
    others are not changed by them. day_adjustment: fit players and days side by side, so that hard days do not count
    against those who played them; bayes_adjustment: draw those with few games towards the mean of all.
    """

    method: str = "mean"
    game_cutoff: int = FEWEST_GAMES
    x_is_seven: bool = False
    elo_k: float | None = None
    day_adjustment: bool | None = True
    bayes_adjustment: bool | None = True

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
