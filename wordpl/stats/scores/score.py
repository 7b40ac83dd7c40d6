"""The base class of scoring rules, which assign a value to each game and summarize the values of a sample."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""The confidence level of all intervals."""


@dataclass(frozen=True)
class Estimate:
    """An estimate from a sample of games, with a 95% confidence interval.

    Attributes:
        value: The estimate; NaN if there is no data.
        low, high: The bounds of the interval; NaN if there is none.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Score(ABC):
    """A scoring rule.

    `per_game` extracts the value of each game from the records; all other methods use only these values, so that they
    can also be applied to resamples.

    Attributes:
        name: The name of its column in scores.csv.
        head: The heading of its column in tables.
        measure: The measure of the games that it applies to: "budget", "guesses" or "tries"; None: all.
        lower_is_better: The direction of the score; None if it has none, so that no entry is the best.
        main: Whether tables are sorted by it; there is one main score per measure.
        percent: Whether it is shown as a percentage.
        digits: The number of decimals shown.
        shown: Where it is shown: "always"; "wide", only in wide tables; "if any", in wide tables if any value is not
            zero; "csv", only in scores.csv.
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
        """Return the value of each game, float[n], given rows of `load_run` of one entry."""

    @abstractmethod
    def __call__(self, values: Floats) -> Estimate:
        """Return the score with its interval, given the values of games, float[n] with n > 0."""

    @abstractmethod
    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the score of each entry in each resample of the games, float[k, draws].

        Args:
            values: The value of each game, float[k, n].
            weights: The weight of each game in each resample, float[n, draws]; every column has the sum n.
        """

    @abstractmethod
    def p_values(self, values: Floats) -> Floats:
        """Return the p-value of "entry i is better than entry j" for each pair, float[k, k].

        The tests are deterministic, so that the order of entries does not depend on random numbers.

        Args:
            values: The value of each game, float[k, n].
        """
