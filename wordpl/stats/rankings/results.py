"""The results that rankings use: the number of guesses of each player on each day."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError
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
