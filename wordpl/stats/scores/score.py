"""The base class of scoring rules, which assign a value to each game and summarize the values of a sample."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wordpl.core.moves import GameFacts

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.stats.estimates import LuckCorrected
from wordpl.kernels.compiled import compiler

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
"""The confidence level of all intervals."""
LOSS_COST = 100.0
"""The default cost of a lost game in means of games that leave it to the host."""


def costs_budget(game: GameFacts) -> bool:
    """Return whether moves of the game have epsilons, whose sum is its cost."""
    return game.has_epsilon


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
        applies: Returns whether it applies to a game with these facts; by default it applies to all.
        lower_is_better: The direction of the score; None if it has none, so that no entry is the best.
        main: Whether boards are ordered by it unless the host chooses another score; each game has exactly one.
        percent: Whether it is shown as a percentage.
        digits: The number of decimals shown.
        shown: Where it is shown: "always"; "wide", only in wide tables; "if any", in wide tables if any value is not
            zero; "csv", only in scores.csv.
    """

    name: str
    head: str
    applies: Callable[[GameFacts], bool] = lambda game: True
    lower_is_better: bool | None = None
    main: bool = False
    percent: bool = False
    digits: int = 1
    shown: Literal["always", "wide", "if any", "csv"] = "always"

    @property
    def uses_luck(self) -> bool:
        """Whether games without most of the luck take the place of counted ones where they are known."""
        return True

    @property
    def ranks_boards(self) -> bool:
        """Whether boards show its ranks and can be ordered by it."""
        return self.lower_is_better is not None and self.shown == "always"

    def with_loss(self, loss_cost: float) -> "Score":
        """Return the score for games whose loss costs this much in means; most scores do not depend on it."""
        return self

    @abstractmethod
    def per_game(self, games: "pd.DataFrame") -> Floats:
        """Return the value of each game, float[n], given rows of `load_run` of one entry."""

    def without_luck(self, games: "LuckCorrected") -> Floats | None:
        """Return values of the games with the same mean but less luck, float[n]; None if the score has none."""
        return None

    def lost(self, games: "LuckCorrected") -> Floats | None:
        """Return what each game without luck would be worth if it had been lost, float[n]; None: none is."""
        return None

    @abstractmethod
    def __call__(self, values: Floats, lost: Floats | None = None, *, confidence: float = CONFIDENCE) -> Estimate:
        """Return the score with its interval, given the values of games, float[n] with n > 0.

        Args:
            values: The value of each game.
            lost: For values without luck: what each game would be worth if it had been lost.
            confidence: The confidence level of the interval.
        """

    @abstractmethod
    def resampled(self, values: Floats, weights: Floats) -> Floats:
        """Return the score of each entry in each resample of the games, float[k, draws].

        Args:
            values: The value of each game, float[k, n].
            weights: The weight of each game in each resample, float[n, draws]; every column has the sum n.
        """

    @abstractmethod
    def p_values(self, values: Floats, lost: Floats | None = None) -> Floats:
        """Return the p-value of "entry i is better than entry j" for each pair, float[k, k].

        The tests are deterministic, so that the order of entries does not depend on random numbers.

        Args:
            values: The value of each game, float[k, n].
            lost: For values without luck: what each game would be worth if it had been lost, float[k, n].
        """


GAMES_PER_BLOCK = 1024
"""The number of games per block, so that the data of all entries and resamples fits into the processor's cache."""


def totals(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted sum of each entry's values in each resample, float[k, draws].

    This is `values @ weights` in a single thread: the threads of the latter are slow on busy machines. Equal rows of
    values give identical sums to the bit.

    Args:
        values: The value of each game, float[k, n].
        weights: The weight of each game in each resample, float[n, draws].
    """
    sums = np.zeros((values.shape[0], weights.shape[1]))
    _add_products(np.ascontiguousarray(values, float), np.ascontiguousarray(weights.T, float), sums)
    return sums


@compiler(cache=True, fastmath={"reassoc", "nsz", "contract"})
def _add_products(values: NDArray[np.float64], weights: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """Add the product of values, [k, n], and transposed weights, [draws, n], to sums, [k, draws]; tested with `@`."""
    n = values.shape[1]
    for first in range(0, n, GAMES_PER_BLOCK):
        last = min(n, first + GAMES_PER_BLOCK)
        for entry in range(values.shape[0]):
            for draw in range(weights.shape[0]):
                total = 0.0
                for game in range(first, last):
                    total += values[entry, game] * weights[draw, game]
                sums[entry, draw] += total
