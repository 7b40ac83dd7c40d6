"""What a scoring rule is: the number that each game gives, and what a sample of these numbers says."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""The confidence of every interval."""


@dataclass(frozen=True)
class Estimate:
    """A number computed from a sample of games, and the interval that holds the true one with 95% confidence.

    value is NaN where the games tell nothing; low and high are NaN where they allow no interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Score(ABC):
    """A scoring rule.

    The work is in two steps, so that one sample can be looked at in many ways: `per_game` takes from the records the
    one number of each game, and the other methods know nothing but these numbers.

    Attributes:
        name: Its column in scores.csv.
        head: The heading of its column in a table.
        measure: The games it suits, "budget", "guesses" or "tries"; None for all.
        lower_is_better: None where neither is better, so that there is no best entry.
        main: It decides the order of a table; one for each measure.
        percent: Shown as percents.
        digits: Decimals shown.
        shown: Where. "wide" is for wide tables only, "if any" is a column of these where any value is not zero.
    """

    name: str
    head: str
    measure: Literal["budget", "guesses", "tries"] | None = None
    lower_is_better: bool | None = None
    main: bool = False
    percent: bool = False
    digits: int = 1
    shown: Literal["always", "wide", "if any", "csv"] = "always"

    @abstractmethod
    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the number of each game, float[n], from rows of `run_records.load_run` that belong to one entry."""

    @abstractmethod
    def __call__(self, values: Floats) -> Estimate:
        """Return the score of these games, float[n] with n > 0, with its interval."""

    @abstractmethod
    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the score of each entry in each of many resamples of the games, float[k, draws].

        Args:
            values: The numbers of k entries' games, float[k, n].
            weights: How much each game counts in each resample, float[n, draws]; every column adds up to n.
        """

    @abstractmethod
    def p_values(self, values: Floats) -> Floats:
        """Return the p-value of "entry i is better than entry j" for each pair, float[k, k].

        No random number is drawn, so that no order depends on one.

        Args:
            values: The numbers of k entries' games, float[k, n].
        """
