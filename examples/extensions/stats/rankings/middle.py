"""The share of puzzles that a player solves in four guesses."""

from dataclasses import dataclass

import numpy as np

from wordpl.stats.rankings.ranking import Ranking


@dataclass(frozen=True, kw_only=True)
class InFour(Ranking):
    """The share of puzzles solved in at most four guesses, with two more puzzles of which one was."""

    def rate(self, sheet, counts):
        """Return the share of each player."""
        played = counts @ sheet.played
        in_four = counts @ (np.nan_to_num(sheet.guesses, nan=9.0) <= 4)
        return (in_four + 1) / (played + 2)


RANKINGS = [InFour(name="in-four")]
