"""The base class of rankings, which turns ratings of players into a table, and rating curves."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from tqdm import tqdm

from wordpl.core.errors import UserError
from wordpl.stats.rankings.rank_intervals import has_interval, intervals, place_intervals, shown_better, tiers
from wordpl.stats.rankings.results import Sheet

SEED = 0
PROGRESS_DELAY_S = 2
N_POINTS = 60


@dataclass(frozen=True, kw_only=True)
class Ranking(ABC):
    """A ranking with its settings.

    Attributes:
        name: The name of the ranking.
        x_is_seven: Whether X counts as 7 guesses; otherwise unsolved days are left out, which rewards giving up.
        game_cutoff: The minimum number of games of players in the table; all players are rated, because they affect the
            ratings of others.
        draws: The number of resamples for the intervals; 0: no intervals, which is fast.
    """

    higher_is_better: ClassVar[bool] = True

    name: str
    x_is_seven: bool = True
    game_cutoff: int = 1
    draws: int = 200

    @abstractmethod
    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the rating of each player, float[k].

        Args:
            sheet: The results.
            counts: How often each day counts, int[n]; the repetitions of a day follow each other immediately.
        """

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings in each resample of the days, float[draws, k].

        Args:
            sheet: The results.
            counts: How often each resample has each day, int[draws, n].
        """
        return np.array([self.rate(sheet, row) for row in self.with_progress(counts)])

    def with_progress(self, counts: np.ndarray) -> Iterable[np.ndarray]:
        """Return an iterator over resamples that shows a progress bar on a terminal if it takes long."""
        resamples: Iterable[np.ndarray] = tqdm(
            counts, desc=self.name, unit="resample", delay=PROGRESS_DELAY_S, disable=None, leave=False
        )
        return resamples

    def curve(self, sheet: Sheet, at: np.ndarray) -> np.ndarray:
        """Return the ratings after each of these days, float[len(at), k].

        Args:
            sheet: The results.
            at: Indices of days in the sheet, from 0.
        """
        return np.array([self.rate(sheet.until(day + 1), np.ones(day + 1, int)) for day in at])

    def __call__(self, results: pd.DataFrame, rng: np.random.Generator | None = None, **settings: Any) -> pd.DataFrame:
        """Return a table with one row per player, the best first.

        Args:
            results: Results as for `Sheet.of`.
            rng: Draws the resamples; None: a generator with a fixed seed.
            settings: Settings of this ranking to override.

        Returns:
            A table with the columns player; rating; low and high, its 95% interval, NaN for players with too few games;
            n_games; place, 1 + the number of players with a better rating; place_low and place_high, its interval; all
            of these hold at once with a probability of 95%; tier, which players who cannot be distinguished share (see
            `rank_intervals.tiers`).
        """
        ranking = self.with_settings(**settings)
        return ranking.table(Sheet.of(results, ranking.x_is_seven), rng or np.random.default_rng(SEED))

    def with_settings(self, **settings: Any) -> "Ranking":
        """Return a copy of this ranking with other settings.

        Raises:
            UserError: There is no such setting.
        """
        setting_names = {field.name for field in fields(self)}
        if unknown := sorted(set(settings) - setting_names):
            names = ", ".join(sorted(setting_names - {"name"}))
            raise UserError(f"{self.name} has no setting {unknown[0]!r}; its settings are {names}.")
        return replace(self, **settings)

    def table(self, sheet: Sheet, rng: np.random.Generator) -> pd.DataFrame:
        """Return the table of `__call__` for a sheet of results."""
        n_days = len(sheet.days)
        ratings = self.rate(sheet, np.ones(n_days, int)) if n_days else np.empty(0)
        listed = np.flatnonzero(sheet.n_games >= self.game_cutoff)
        n_games = sheet.n_games[listed]
        redrawn = self.bootstrap(sheet, rng)[:, listed]
        sign = 1 if self.higher_is_better else -1
        worth = sign * ratings[listed]
        low, high = intervals(ratings[listed], redrawn, n_games)
        better, has_bounds = shown_better(worth, sign * redrawn, n_games), has_interval(n_games, len(redrawn))
        place_low, place_high = place_intervals(better, has_bounds)
        table = pd.DataFrame(
            {
                "player": pd.Series(sheet.players[listed], dtype=str),
                "rating": ratings[listed],
                "low": low,
                "high": high,
                "n_games": n_games,
                "place": pd.Series(-worth).rank(method="min").astype(int),
                "place_low": place_low,
                "place_high": place_high,
                "tier": tiers(worth, better, has_bounds),
            }
        )
        return table.sort_values(["place", "player"], ignore_index=True)

    def bootstrap(self, sheet: Sheet, rng: np.random.Generator) -> np.ndarray:
        """Return the ratings in resamples of whole days, float[draws, k]; NaN for players missing from a resample.

        Days are resampled as a whole (a block bootstrap), because an easy word is easy for everybody.
        """
        n_days = len(sheet.days)
        if not n_days or not self.draws:
            return np.empty((0, len(sheet.players)))
        counts = rng.multinomial(n_days, np.full(n_days, 1 / n_days), size=self.draws)
        return np.where(counts @ sheet.played > 0, self.resampled(sheet, counts), np.nan)


def curves(results: pd.DataFrame, ranking: Ranking, n_points: int = N_POINTS) -> pd.DataFrame:
    """Return ratings over time, one row per player and day: columns player, day, rating, n_games (so far).

    A player's curve starts with the first result.

    Args:
        results: Results as for `Sheet.of`.
        n_points: The number of evenly spaced days, including the last one.
    """
    sheet = Sheet.of(results, ranking.x_is_seven)
    n_days = len(sheet.days)
    days = np.unique(np.linspace(0, n_days - 1, min(n_points, n_days)).round().astype(int))
    ratings = ranking.curve(sheet, days)
    n_games = sheet.played.cumsum(axis=0)[days].astype(int)
    is_listed = (n_games > 0) & (sheet.n_games >= ranking.game_cutoff)
    day, player = np.nonzero(is_listed)
    return pd.DataFrame(
        {
            "player": sheet.players[player],
            "day": sheet.days[days][day],
            "rating": ratings[day, player],
            "n_games": n_games[day, player],
        }
    ).sort_values(["player", "day"], ignore_index=True)


def library(module: str, ranking: str) -> ModuleType:
    """Return an optional library.

    Raises:
        UserError: It is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError:
        raise UserError(f'{ranking} needs the library {module}: pip install "wordpl[rankings]"') from None
