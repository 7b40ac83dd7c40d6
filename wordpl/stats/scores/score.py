"""What a scoring rule is: the number that each game gives, and what a sample of these numbers tells."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

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


def totals(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the sum of each entry's numbers over each resample, float[k, draws]; arguments as for `Score.resampled`.

    This is values @ counts, without the threads of that, which wait for each other where processors are busy.
    """
    return np.einsum("kn,nd->kd", values, counts)


@dataclass(frozen=True, kw_only=True)
class Score(ABC):
    """A scoring rule.

    The work is in two steps, so that one sample can be looked at in many ways: `per_game` takes from the records the
    one number of each game, and the other two methods know nothing but these numbers.

    name: its column in scores.csv
    head: what stands above its column in a table
    measure: the games it suits, "budget", "guesses" or "tries"; None for all
    lower_is_better: None where neither is better, so that there is no best entry
    main: it decides the order of a table; one for each measure
    percent: shown as percents
    digits: decimals shown
    shown: where; "if any" is a column only where some entry's value is not zero
    """

    name: str
    head: str
    measure: Literal["budget", "guesses", "tries"] | None = None
    lower_is_better: bool | None = None
    main: bool = False
    percent: bool = False
    digits: int = 1
    shown: Literal["always", "if any", "csv"] = "always"

    @abstractmethod
    def per_game(self, games: "pd.DataFrame") -> np.ndarray:
        """Return the number of each game, float[n], from rows of `run_records.load_run` that belong to one entry."""

    @abstractmethod
    def __call__(self, values: np.ndarray) -> Estimate:
        """Return the score of these games, float[n] with n > 0, with its interval."""

    @abstractmethod
    def resampled(self, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the score of each entry, float[k, draws], in each of many resamples of the games.

        values: float[k, n], the numbers of k entries' games
        counts: float[n, draws], how often each game stands in each resample; every column adds up to n.
        """
