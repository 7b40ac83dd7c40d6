"""The base class of rankings, which make tables of ratings with intervals, places and tiers from results."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from tqdm import tqdm

from wordpl.core.messages import UserError
from wordpl.stats.scores import facts_of

X = 7
"""The number of guesses that represents an unsolved day."""
COLUMNS = ("player", "day", "guesses")


@dataclass(frozen=True, eq=False)
class Sheet:
    """A matrix of results with one row per day and one column per player.

    Attributes:
        players: The names of the players in ascending order, str[k].
        days: The days in ascending order, int[n].
        guesses: The guesses, 1 to 7, float[n, k]; NaN if a player has no result.
    """

    players: np.ndarray
    days: np.ndarray
    guesses: np.ndarray

    @classmethod
    def of(cls, results: pd.DataFrame, x_is_seven: bool = True) -> "Sheet":
        """Return the sheet of these results.

        Args:
            results: A table with the columns player, day (an integer that increases with time) and guesses (1 to 6, or
                7 for X), in any order of rows. Other columns are ignored.
            x_is_seven: Whether X counts as 7 guesses; otherwise such results are left out.

        Raises:
            UserError: A column is missing, a number of guesses is invalid, or a player has two results for a day.
        """
        _check(results)
        used = results if x_is_seven else results[results["guesses"] < X]
        column, names = pd.factorize(used["player"])
        order = np.argsort(players := np.array([str(name) for name in names], object))
        column, players = np.argsort(order)[column], players[order]
        row, days = pd.factorize(used["day"].to_numpy(np.int64), sort=True)
        guesses = np.full((len(days), len(players)), np.nan)
        guesses[row, column] = used["guesses"]
        return cls(players, days, guesses)

    @property
    def played(self) -> np.ndarray:
        """1 if there is a result, else 0, float[n, k]."""
        return np.asarray(~np.isnan(self.guesses), float)

    @property
    def n_games(self) -> np.ndarray:
        """The number of results of each player, int[k]."""
        return np.asarray((~np.isnan(self.guesses)).sum(axis=0))

    def until(self, n_days: int) -> "Sheet":
        """Return the first days of the sheet, with the same players."""
        return replace(self, days=self.days[:n_days], guesses=self.guesses[:n_days])


def _check(results: pd.DataFrame) -> None:
    if missing := [name for name in COLUMNS if name not in results]:
        raise UserError(f"results need the columns {', '.join(COLUMNS)}; there is no {' and no '.join(missing)}.")
    guesses = results["guesses"]
    wrong = ~guesses.isin(range(1, X + 1))
    if wrong.any():
        raise UserError(f"guesses must be 1 to 6, or {X} for X; got {guesses[wrong].iloc[0]}.")
    players, days = pd.factorize(results["player"])[0], results["day"].to_numpy(np.int64)
    twice = pd.Series(days * (players.max(initial=0) + 1) + players).duplicated().to_numpy()
    if twice.any():
        player, day = results.loc[twice, ["player", "day"]].iloc[0]
        raise UserError(f"{player!r} has two results for day {day}; a ranking needs one result per player and day.")


def results_of(run: pd.DataFrame) -> pd.DataFrame:
    """Return the results of a contest's run, with entries as players and games as days.

    A game that was not won counts as X. Costs are converted to guesses unless the game has at most six of them: the
    cheapest sixth of all won games counts as one guess, the next sixth as two, and so on. As rankings compare players
    day by day, this loses little information.

    Args:
        run: Rows of `load_run`.

    Raises:
        UserError: The run has several games.
    """
    if run["rules"].nunique() > 1:
        raise UserError(f"a ranking needs results of a single game; the run has {', '.join(run['rules'].unique())}.")
    costs = run["cost"].to_numpy(float)
    won = np.isfinite(costs)
    limit = facts_of(run).limit if len(run) else None
    if limit is None or limit >= X:
        bounds = np.quantile(costs[won], np.arange(1, X - 1) / (X - 1)) if won.any() else []
        costs = np.where(won, 1 + np.searchsorted(bounds, costs), costs)
    guesses = np.where(won, costs, X).astype(int)
    return pd.DataFrame({"player": run["entry"], "day": run["game"], "guesses": guesses, "source": "contest"})


def largest_difference(x_is_seven: bool) -> int:
    """Return the largest possible difference of guesses R between two players on one day.

    The score of a match of a player with a guesses against one with b is S = 0.5 + (b - a) / (2 R): 0.5 for a tie, and
    1 for a difference of R, which is 6 if X counts as 7 guesses, and 5 if X is left out.

    >>> largest_difference(True), largest_difference(False)
    (6, 5)
    """
    return X - 1 if x_is_seven else X - 2


CONFIDENCE = 0.95
MIN_GAMES = 5
"""The minimum number of games for an interval: four days have only 35 different resamples."""
BLOCK = 100
"""The number of players that are compared with all others at once, which bounds the memory."""


def has_interval(n_games: np.ndarray, draws: int) -> np.ndarray:
    """Return which players have enough games and resamples for an interval, bool[k]."""
    return (n_games >= MIN_GAMES) & (draws > 1)


def intervals(ratings: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of each rating's interval, float[k] each; NaN for players with too few games.

    Args:
        ratings: The ratings, float[k].
        found: The ratings in resamples, float[draws, k].
        n_games: The number of games of each player, int[k].
    """
    margin = np.full(len(ratings), np.nan)
    has_bounds = has_interval(n_games, len(found))
    n = n_games[has_bounds]
    error = np.nanstd(found[:, has_bounds], axis=0, ddof=1) * np.sqrt(n / (n - 1))
    margin[has_bounds] = stdtrit(n - 1, (1 + CONFIDENCE) / 2) * error
    return ratings - margin, ratings + margin


def shown_better(worth: np.ndarray, found: np.ndarray, n_games: np.ndarray) -> np.ndarray:
    """Return which players are shown to be better than which others, bool[k, k]: [i, j] if i is better than j.

    These are all pairs whose paired difference has an interval above 0. The confidence level allows for all pairs, so
    that no claim about k players is false with a probability of 95%: each difference has the level
    1 - 0.05 / (k (k - 1) / 2) (Bonferroni). Nothing is shown about players with too few games.

    Args:
        worth: The ratings, where higher is better, float[k].
        found: The same in resamples, float[draws, k]; NaN for players missing from a resample.
        n_games: The number of games of each player, int[k].
    """
    better = np.zeros((len(worth), len(worth)), bool)
    players = np.flatnonzero(has_interval(n_games, len(found)))
    k, n = len(players), n_games[players]
    if k < 2:
        return better
    scale = stdtrit(n - 1, 1 - (1 - CONFIDENCE) / (k * (k - 1))) * np.sqrt(n / (n - 1))
    gaps = found[:, players] - np.nanmean(found[:, players], axis=0)
    for first in range(0, k, BLOCK):
        rows = slice(first, first + BLOCK)
        margin = np.maximum(scale[rows, None], scale) * _errors_of_differences(gaps, rows)
        lead = worth[players][rows, None] - worth[players]
        better[np.ix_(players[rows], players)] = lead > margin
    return better


def _errors_of_differences(gaps: np.ndarray, rows: slice) -> np.ndarray:
    """Return the standard deviations of the differences between these players and all, [len(rows), k].

    Args:
        gaps: The ratings in resamples minus their means, float[draws, k]; NaN if a player is missing.
        rows: The players.
    """
    has, gaps = (~np.isnan(gaps)).astype(float), np.nan_to_num(gaps)
    n_both = has[:, rows].T @ has
    sums = gaps[:, rows].T @ has - has[:, rows].T @ gaps
    squares = (gaps[:, rows] ** 2).T @ has + has[:, rows].T @ gaps**2 - 2 * gaps[:, rows].T @ gaps
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (squares - sums**2 / n_both) / (n_both - 1)
    return np.sqrt(np.where(n_both > 1, np.maximum(variance, 0.0), np.inf))


def place_intervals(better: np.ndarray, has_bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of each place's interval, float[k] each; NaN for players without.

    All intervals hold at once with a probability of 95%: a place is at least 1 + the number of players who are shown to
    be better, and at most k - the number of those who are shown to be worse.

    Args:
        better: Which players are shown to be better than which others, bool[k, k].
        has_bounds: Which players have enough games for an interval, bool[k].
    """
    low, high = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return np.where(has_bounds, low, np.nan), np.where(has_bounds, high, np.nan)


def tiers(worth: np.ndarray, better: np.ndarray, has_bounds: np.ndarray) -> np.ndarray:
    """Return the tier of each player, int[k]; 1 is the best.

    The best player with an interval heads the first tier. It includes all players to whom the head is not shown to be
    better. The best of the remaining players heads the next tier, and so on. So a player is in the first tier whose
    head is not shown to be better. Players with too few games are not shown to be worse than anybody.

    Args:
        worth: The ratings, where higher is better, float[k].
        better: Which players are shown to be better than which others, bool[k, k].
        has_bounds: Which players have enough games for an interval, bool[k].
    """
    tier, unplaced, number = np.ones(len(worth), int), has_bounds.copy(), 0
    while unplaced.any():
        number += 1
        tier[unplaced] = number
        head = np.flatnonzero(unplaced)[np.argmax(worth[unplaced])]
        unplaced &= better[head]
    return tier


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

    def before_shrinkage(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray | None:
        """Return what `resampled` does, before ratings are shrunk towards the middle; None: they are not."""
        return None

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
            `tiers`).
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
        once = np.ones(n_days, int)
        ratings = self.rate(sheet, once) if n_days else np.empty(0)
        listed = np.flatnonzero(sheet.n_games >= self.game_cutoff)
        n_games = sheet.n_games[listed]
        counts = self.days_drawn(sheet, rng)
        redrawn = self.bootstrap(sheet, counts)[:, listed]
        sign = 1 if self.higher_is_better else -1
        worth = sign * ratings[listed]
        low, high = intervals(ratings[listed], redrawn, n_games)
        own = self.before_shrinkage(sheet, np.vstack([once, counts])) if len(counts) else None
        if own is not None:
            # A shrunk rating is too bad for the best players and too good for the worst, which no resample shows. One
            # that is not shrunk is too good for who leads the table by luck. Both intervals together hold for both.
            ends = intervals(own[0, listed], own[1:, listed], n_games)
            low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
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

    def days_drawn(self, sheet: Sheet, rng: np.random.Generator) -> np.ndarray:
        """Return how often each resample has each day, int[draws, n].

        Days are resampled as a whole (a block bootstrap), because an easy word is easy for everybody.
        """
        n_days = len(sheet.days)
        if not n_days or not self.draws:
            return np.empty((0, n_days), int)
        return rng.multinomial(n_days, np.full(n_days, 1 / n_days), size=self.draws)

    def bootstrap(self, sheet: Sheet, counts: np.ndarray) -> np.ndarray:
        """Return the ratings in resamples of days, float[draws, k]; NaN for players missing from a resample."""
        if not len(counts):
            return np.empty((0, len(sheet.players)))
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
