"""Statistics of one player: distribution of guesses, streaks, months, best and worst days, head-to-head results."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t

from wordpl.core.intervals import proportion_interval
from wordpl.league.posts import UNSOLVED
from wordpl.league.puzzles import day_of

CONFIDENCE = 0.95
N_LISTED_DAYS = 5


@dataclass(frozen=True)
class Streaks:
    """Lengths of runs of consecutive puzzles.

    Attributes:
        solved: The longest run of solved puzzles.
        solved_now: The run of solved puzzles up to the league's newest puzzle, 0 if that was not solved.
        played: The longest run of played puzzles.
        played_now: The run of played puzzles up to the league's newest puzzle.
    """

    solved: int
    solved_now: int
    played: int
    played_now: int


@dataclass(frozen=True)
class PlayerStats:
    """Statistics of a player; low and high are ends of 95% confidence intervals.

    Attributes:
        player: The player.
        n_games: Number of games.
        mean: Mean number of guesses.
        low: Lower end of its interval (Student's t).
        high: Upper end of its interval.
        distribution: Number of games by guesses, 1 to 6 and X.
        streaks: Runs of consecutive puzzles.
        months: One row per month, with columns month, mean, low, high and n_games.
        best: The days on which the player beat the mean of the others most clearly, with columns day, guesses, others
            (their mean) and n_others.
        worst: The opposite days, with the same columns.
        head_to_head: One row per opponent, with columns opponent, won, tied, lost, n_games, share (of points; a tie
            counts half), low and high.
        n_unfinished: Games that were started and never reported.
        x_is_seven: Whether X counts as 7 guesses in means and comparisons; otherwise it is left out of them.
    """

    player: str
    n_games: int
    mean: float
    low: float
    high: float
    distribution: dict[str, int]
    streaks: Streaks
    months: pd.DataFrame
    best: pd.DataFrame
    worst: pd.DataFrame
    head_to_head: pd.DataFrame
    n_unfinished: int = 0
    x_is_seven: bool = True


def player_stats(
    results: pd.DataFrame,
    player: str,
    n_days: int = N_LISTED_DAYS,
    unfinished: pd.DataFrame | None = None,
    x_is_seven: bool = True,
) -> PlayerStats:
    """Return the statistics of a player, who must have at least one result.

    Args:
        results: As in `ResolvedLeague`.
        player: The player.
        n_days: How many best and how many worst days to return.
        unfinished: As in `ResolvedLeague`.
        x_is_seven: Whether X counts as 7 guesses in means and comparisons; otherwise it is left out of them.
    """
    all_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    newest = int(results["day"].max())
    results = results if x_is_seven else results[results["guesses"] < UNSOLVED]
    own_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    others = results[(results["player"] != player) & results["day"].isin(own_guesses.index)]
    counts = all_guesses.value_counts()
    days = _days(own_guesses, others)
    return PlayerStats(
        player,
        len(all_guesses),
        *_mean(own_guesses.to_numpy()),
        distribution={"X" if n == UNSOLVED else str(n): int(counts.get(n, 0)) for n in range(1, UNSOLVED + 1)},
        streaks=_streaks(all_guesses, newest),
        months=_months(own_guesses),
        best=days.head(n_days).reset_index(drop=True),
        worst=days.iloc[::-1].head(n_days).reset_index(drop=True),
        head_to_head=_head_to_head(own_guesses, others),
        n_unfinished=0 if unfinished is None else int((unfinished["player"] == player).sum()),
        x_is_seven=x_is_seven,
    )


def streaks(results: pd.DataFrame, player: str) -> Streaks:
    """Return a player's streaks up to the newest puzzle of the results."""
    own_guesses = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    return _streaks(own_guesses, int(results["day"].max()))


def _mean(guesses: np.ndarray) -> tuple[float, float, float]:
    """Return the mean with its 95% interval (Student's t), which is NaN for a single result."""
    n, mean = len(guesses), float(np.mean(guesses)) if len(guesses) else np.nan
    if n < 2:
        return mean, np.nan, np.nan
    half_width = float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * np.std(guesses, ddof=1) / np.sqrt(n))
    return mean, max(1.0, mean - half_width), min(float(UNSOLVED), mean + half_width)


def _streaks(own_guesses: pd.Series, newest: int) -> Streaks:
    solved_days, played_days = own_guesses.index[own_guesses < UNSOLVED].to_numpy(), own_guesses.index.to_numpy()
    return Streaks(*_streak(solved_days, newest), *_streak(played_days, newest))


def _streak(days: np.ndarray, newest: int) -> tuple[int, int]:
    """Return the length of the longest run of consecutive days and of the run that ends at `newest`."""
    if not len(days):
        return 0, 0
    lengths = np.diff(np.flatnonzero(np.append(np.insert(np.diff(days) != 1, 0, True), True)))
    return int(lengths.max()), int(lengths[-1]) if days[-1] == newest else 0


def _months(own_guesses: pd.Series) -> pd.DataFrame:
    months = np.array([f"{day_of(int(number)):%Y-%m}" for number in own_guesses.index], object)
    parts = ((month, own_guesses[months == month]) for month in sorted(set(months)))
    rows = [(month, *_mean(part.to_numpy()), len(part)) for month, part in parts]
    return pd.DataFrame(rows, columns=["month", "mean", "low", "high", "n_games"])


def _days(own_guesses: pd.Series, others: pd.DataFrame) -> pd.DataFrame:
    """Return the days sorted by the difference to the others' mean, best first.

    On days when nobody else played, `others` is NaN and the player's own mean takes its place in the order.
    """
    others_by_day = others.groupby("day")["guesses"].agg(["mean", "size"]).reindex(own_guesses.index)
    table = pd.DataFrame(
        {
            "day": own_guesses.index,
            "guesses": own_guesses.to_numpy(),
            "others": others_by_day["mean"],
            "n_others": others_by_day["size"].fillna(0),
        }
    ).astype({"n_others": int})
    table = table.reset_index(drop=True)
    better = (table["guesses"] - table["others"].fillna(own_guesses.mean())).rename("better")
    return table.assign(better=better).sort_values(["better", "guesses", "day"]).drop(columns="better")


def _head_to_head(own_guesses: pd.Series, others: pd.DataFrame) -> pd.DataFrame:
    """Return the days won, tied and lost against each opponent.

    The share of points counts a tie as half. Its Clopper-Pearson interval rounds the points down for the lower and up
    for the upper end, which makes it conservative when there are ties.
    """
    sign = np.sign(others["guesses"] - others["day"].map(own_guesses))
    counts = pd.DataFrame({"won": sign > 0, "tied": sign == 0, "lost": sign < 0}).groupby(others["player"]).sum()
    counts["n_games"] = counts.sum(axis=1)
    points = counts["won"] + counts["tied"] / 2
    counts["share"] = points / counts["n_games"]
    intervals = [_interval(p, n) for p, n in zip(points, counts["n_games"], strict=True)]
    counts["low"], counts["high"] = ([interval[side] for interval in intervals] for side in (0, 1))
    table = counts.rename_axis("opponent").reset_index()
    return table.sort_values(["n_games", "opponent"], ascending=[False, True], ignore_index=True)


def _interval(points: float, n: int) -> tuple[float, float]:
    low, _ = proportion_interval(np.floor(points), n, CONFIDENCE)
    _, high = proportion_interval(np.ceil(points), n, CONFIDENCE)
    return float(low), float(high)
