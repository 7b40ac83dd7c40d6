"""The settings of a league's leaderboard, which become options of `wordpl league leaderboard` and of the bot."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated

from wordpl.core.settings import Setting, settings

if TYPE_CHECKING:
    from wordpl.stats.rankings import Ranking


@dataclass(frozen=True)
class LeaderboardSettings:
    """Settings of a leaderboard. None keeps the ranking method's default; methods ignore settings they do not have.

    Attributes:
        x_is_seven: Count an unsolved puzzle as 7 guesses: the league's choice.
        missed: How many guesses a missed day counts as in totals; 0 for none: the league's choice.
        open_day: The newest puzzle, which nobody has missed yet.

    Raises:
        UserError: A setting is out of range.
    """

    method: Annotated[str, Setting("--method", "Ranking method; `wordpl league compare` lists all of them.")] = "mean"
    game_cutoff: Annotated[
        int, Setting("--game-cutoff", "Show only players with at least this many games.", low=1, high=10_000)
    ] = 3
    elo_k: Annotated[
        float | None, Setting("--elo-k", "K-factor of the Elo rating.  [default: 2]", low=0.1, high=30.0)
    ] = None
    day_adjustment: Annotated[
        bool | None,
        Setting("--day-adjustment/--no-day-adjustment", "Method mean: adjust for the difficulty of each day."),
    ] = True
    bayes_adjustment: Annotated[
        bool | None,
        Setting(
            "--bayes-adjustment/--no-bayes-adjustment",
            "Method mean: shrink players with few games towards the mean of all.",
        ),
    ] = True
    season: Annotated[
        str | None,
        Setting("--season", 'Count only one season: 2026-W47, 2026-11, 2026-Q4, 2026, "last week" or "last month".'),
    ] = None
    x_is_seven: bool = True
    missed: int = 0
    open_day: int | None = None

    def __post_init__(self) -> None:
        for name, setting in settings(LeaderboardSettings).items():
            setting.check(name, getattr(self, name))

    def ranking(self) -> "Ranking":
        """Return the ranking that these settings describe."""
        from wordpl.stats import rankings  # imported here so that --help stays fast

        ranking = rankings.find(self.method)
        chosen = {
            "game_cutoff": self.game_cutoff,
            "x_is_seven": self.x_is_seven,
            "k": self.elo_k,
            "missed": self.missed,
            "open_day": self.open_day,
            "day_adjustment": None if self.day_adjustment is None else ("none", "ridge")[self.day_adjustment],
            "shrinkage": None if self.bayes_adjustment is None else ("none", "pooled")[self.bayes_adjustment],
        }
        names = {field.name for field in fields(ranking)}
        return ranking.with_settings(**{name: to for name, to in chosen.items() if name in names and to is not None})
