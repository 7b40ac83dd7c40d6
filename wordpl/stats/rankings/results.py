"""What a ranking reads: who played which day, and in how many guesses."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wordpl.core.errors import UserError

X = 7
"""The number of guesses that stands for a day that was played and not solved."""
COLUMNS = ("player", "day", "guesses")


@dataclass(frozen=True, eq=False)
class Sheet:
    """Results as a sheet of paper would hold them, a row a day and a column a player.

    players: by name, str[k]
    days: ascending, int[n]
    guesses: 1 to 7, float[n, k]; NaN where a player has no result
    """

    players: np.ndarray
    days: np.ndarray
    guesses: np.ndarray

    @classmethod
    def of(cls, results: pd.DataFrame, x_is_seven: bool = True) -> "Sheet":
        """Return the sheet of these results, in any order of the rows.

        results: columns player, day (a whole number that grows with time) and guesses (1 to 6, 7 for X); others, such
            as source, are not looked at
        x_is_seven: count X as 7 guesses; else such results are left out
        """
        _check(results)
        kept = results if x_is_seven else results[results["guesses"] < X]
        players, column = np.unique(kept["player"].astype(str).to_numpy(object), return_inverse=True)
        days, row = np.unique(kept["day"].to_numpy(np.int64), return_inverse=True)
        guesses = np.full((len(days), len(players)), np.nan)
        guesses[row, column] = kept["guesses"]
        return cls(players, days, guesses)

    @property
    def played(self) -> np.ndarray:
        """1 where there is a result, else 0, float[n, k]."""
        return np.asarray(~np.isnan(self.guesses), float)

    @property
    def n_games(self) -> np.ndarray:
        """How many results each player has, int[k]."""
        return np.asarray((~np.isnan(self.guesses)).sum(axis=0))

    def until(self, n_days: int) -> "Sheet":
        """Return the first days of the sheet; its players are the same."""
        return replace(self, days=self.days[:n_days], guesses=self.guesses[:n_days])


def _check(results: pd.DataFrame) -> None:
    if missing := [name for name in COLUMNS if name not in results]:
        raise UserError(f"results have columns {', '.join(COLUMNS)}; there is no {' and no '.join(missing)}.")
    guesses = results["guesses"]
    wrong = ~guesses.isin(range(1, X + 1))
    if wrong.any():
        raise UserError(f"guesses are 1 to 6, or {X} for X; got {guesses[wrong].iloc[0]}.")
    twice = results.duplicated(["player", "day"])
    if twice.any():
        player, day = results.loc[twice, ["player", "day"]].iloc[0]
        raise UserError(f"{player!r} has two results for day {day}; a ranking takes one result for a player and a day.")


def results_of(run: pd.DataFrame) -> pd.DataFrame:
    """Return a contest's run, rows of `run_records.load_run`, as results: entries are players, and games are days.

    A game that was not won is X. Where games cost a budget, the sixth of all won games that cost least counts as one
    guess, the next sixth as two: rankings compare players day by day, for which six grades say nearly as much.
    """
    if run["rules"].nunique() > 1:
        raise UserError(f"a ranking compares players of one game; the run has {', '.join(run['rules'].unique())}.")
    costs = run["cost"].to_numpy(float)
    won = np.isfinite(costs)
    if (run["measure"] == "budget").any():
        bounds = np.quantile(costs[won], np.arange(1, X - 1) / (X - 1)) if won.any() else []
        costs = np.where(won, 1 + np.searchsorted(bounds, costs), costs)
    guesses = np.where(won, costs, X).astype(int)
    return pd.DataFrame({"player": run["entry"], "day": run["game"], "guesses": guesses, "source": "contest"})
