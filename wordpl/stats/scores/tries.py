"""The mean number of guesses in games without a practical limit."""

from typing import TYPE_CHECKING

import numpy as np

from wordpl.stats.scores.means import MeanScore
from wordpl.stats.scores.score import Floats

if TYPE_CHECKING:
    import pandas as pd

MAX_GUESSES = 100
"""The number of guesses after which such a game ends."""


class MeanTries(MeanScore):
    """The mean number of guesses; a lost game, for whatever reason, counts as 101, one more than the limit."""

    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the number of guesses of each game."""
        guesses = games["cost"].to_numpy(float)
        return np.where(np.isfinite(guesses), guesses, MAX_GUESSES + 1)


SCORES = [
    MeanTries(name="mean_tries", head="mean (lost = 101)", measure="tries", lower_is_better=True, main=True, digits=3)
]
