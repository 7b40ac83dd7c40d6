"""What every ranking is: a way to rate players, and the table that follows from it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from tqdm import tqdm

from wordpl.core.errors import UserError
from wordpl.stats.rankings.rank_intervals import intervals, place_intervals, tiers
from wordpl.stats.rankings.results import Sheet

SEED = 0
PATIENCE_S = 2


@dataclass(frozen=True, kw_only=True)
class Ranking(ABC):
    """A ranking with its settings; its first sentence says what it does.

    name: what it is called
    x_is_seven: count X as 7 guesses; else days not solved are left out, which rewards giving up
    game_cutoff: players with fewer games are rated, as they tell something of the others, but not shown
    draws: resamples of the days behind the intervals; 0 for none, which is fast
    """

    higher_is_better: ClassVar[bool] = True

    name: str
    x_is_seven: bool = True
    game_cutoff: int = 1
    draws: int = 200

    @abstractmethod
    def rate(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the rating of each player, float[k].

        counts: how often each day counts, int[n]; days that count twice come one right after the other
        """

    def resampled(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings in each resample of the days, float[draws, k].

        counts: how often each resample has each day, int[draws, n]
        """
        return np.array([self.rate(sheet, row) for row in self.waiting(counts)])

    def waiting(self, counts: np.ndarray) -> Iterable[np.ndarray]:
        """Return the resamples one after the other, behind a progress bar where somebody waits for long."""
        resamples: Iterable[np.ndarray] = tqdm(
            counts, desc=self.name, unit="resample", delay=PATIENCE_S, disable=None, leave=False
        )
        return resamples

    def curve(self, sheet: Sheet, at: np.ndarray) -> np.ndarray:
        """Return the ratings after each of these days, float[len(at), k]; `at` counts days of the sheet from 0."""
        return np.array([self.rate(sheet.until(day + 1), np.ones(day + 1, int)) for day in at])

    def __call__(self, results: pd.DataFrame, rng: np.random.Generator | None = None, **settings: Any) -> pd.DataFrame:
        """Return the players in order, a row each.

        results: as `Sheet.of` takes them
        rng: draws the resamples; without one they are the same each time
        settings: fields of this ranking that shall differ

        Columns: player, rating; low, high: its 95% interval, NaN for players with too few games for one; n_games;
        place: 1 + the number of players rated better; place_low, place_high: its 95% interval; tier: players who are
        not told apart share one (see `evidence.tiers`).
        """
        chosen = self.with_settings(**settings)
        return chosen.table(Sheet.of(results, chosen.x_is_seven), rng or np.random.default_rng(SEED))

    def with_settings(self, **settings: Any) -> "Ranking":
        """Return this ranking with other settings."""
        known = {field.name for field in fields(self)}
        if unknown := sorted(set(settings) - known):
            raise UserError(f"{self.name} has no setting {unknown[0]!r}. It has {', '.join(sorted(known - {'name'}))}.")
        return replace(self, **settings)

    def table(self, sheet: Sheet, rng: np.random.Generator) -> pd.DataFrame:
        """Return the table of `__call__` for a sheet."""
        n_days = len(sheet.days)
        ratings = self.rate(sheet, np.ones(n_days, int)) if n_days else np.empty(0)
        shown = np.flatnonzero(sheet.n_games >= self.game_cutoff)
        n_games = sheet.n_games[shown]
        found = self.bootstrap(sheet, rng)[:, shown]
        sign = 1 if self.higher_is_better else -1
        worth = sign * ratings[shown]
        low, high = intervals(ratings[shown], found, n_games)
        place_low, place_high = place_intervals(sign * found, n_games)
        table = pd.DataFrame(
            {
                "player": pd.Series(sheet.players[shown], dtype=str),
                "rating": ratings[shown],
                "low": low,
                "high": high,
                "n_games": n_games,
                "place": rankdata(-worth, method="min").astype(int),
                "place_low": place_low,
                "place_high": place_high,
                "tier": tiers(worth, sign * found, n_games),
            }
        )
        return table.sort_values(["place", "player"], ignore_index=True)

    def bootstrap(self, sheet: Sheet, rng: np.random.Generator) -> np.ndarray:
        """Return the ratings in resamples of whole days, float[draws, k]; NaN for players that a resample lacks.

        All results of a day stand or fall together, since an easy word is easy for everybody.
        """
        n_days = len(sheet.days)
        if not n_days or not self.draws:
            return np.empty((0, len(sheet.players)))
        counts = rng.multinomial(n_days, np.full(n_days, 1 / n_days), size=self.draws)
        return np.where(counts @ sheet.played > 0, self.resampled(sheet, counts), np.nan)
