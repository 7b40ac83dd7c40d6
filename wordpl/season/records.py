"""Records of a season: rounds only nominate; a confirmation on a fixed number of fresh games announces a record.

Each of at most K confirmations is a test at the level alpha / K of "the share of games won within the budget is at most
q", with the budget declared before. So the probability that any announced record of the season is false is at most
alpha, however many versions were sent and however a version was chosen.
"""

from dataclasses import dataclass

import numpy as np

from wordpl.season.credits import Credits
from wordpl.season.scores import SeasonScore
from wordpl.season.versions import Version
from wordpl.stats import dirichlet_means
from wordpl.stats.scores.score import CONFIDENCE

ROUNDING = 1e-9


@dataclass(frozen=True)
class Record:
    """A record that was announced.

    Attributes:
        score: The name of the score.
        version: The version that holds it.
        value: What was declared before the confirmation: a budget, or the value of a mean.
        since: The day on which it was announced.
        run: The folder of the confirmation.
        beacon: Its beacon; "" if it had none, so that it trusts its host.
        before: The record before it; None if there was none.
        wins_prize: Whether it improves the record before by the share that the prize asks for.
    """

    score: str
    version: Version
    value: float
    since: str
    run: str
    beacon: str
    before: float | None = None
    wins_prize: bool = False


def level_of(n_confirmations: int) -> float:
    """Return the level of each confirmation."""
    return (1 - CONFIDENCE) / n_confirmations


def required(before: float | None, improvement: float, score: SeasonScore) -> float | None:
    """Return the value that improves a record by this share, or None if there is no record before."""
    if before is None:
        return None
    return before * (1 - improvement if score.lower_is_better else 1 + improvement)


def reaches(value: float, needed: float | None, score: SeasonScore) -> bool:
    """Return whether a value is at least as good as what is needed; None: nothing is."""
    if needed is None:
        return True
    return value <= needed * (1 + ROUNDING) if score.lower_is_better else value >= needed * (1 - ROUNDING)


def is_shown(games: Credits, score: SeasonScore, value: float, level: float) -> bool:
    """Return whether these games show that the score is at least as good as the declared value.

    Args:
        games: A number of games that was fixed in advance.
        score: The score.
        value: The declared value.
        level: The probability of a false record.
    """
    if score.q is not None:
        values, needed = np.where(games.spent <= value * (1 + ROUNDING), games.credit, 0.0), score.q
    else:
        values, needed = score.values(games), value if score.name == "p_win" else 1 - value / score.highest
    return dirichlet_means.lower_bound(values, 0.0, level) > needed
