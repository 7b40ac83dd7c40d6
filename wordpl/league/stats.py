"""What one player's results say: distribution, streaks, months, days, and each opponent."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t

from wordpl.core.intervals import proportion_interval
from wordpl.league.posts import UNSOLVED
from wordpl.league.puzzles import day_of

CONFIDENCE = 0.95
N_DAYS = 5


@dataclass(frozen=True)
class Streaks:
    """Puzzles in a row: solved, and played; the longest, and the one that reaches the newest puzzle of the league."""

    solved: int
    solved_now: int
    played: int
    played_now: int


@dataclass(frozen=True)
class Personal:
    """A player's results.

    distribution: n_games by guesses, 1 to 6 and X. mean, low, high: with its 95% interval, X counted as 7.
    months: month, mean, low, high, n_games. best, worst: day, guesses, others (the mean of the others that day),
    n_others. head_to_head: opponent, won, tied, lost, n_games, share (ties counted half), low, high. n_unfinished:
    games that were begun and never reported.
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


def personal(
    results: pd.DataFrame, player: str, n_days: int = N_DAYS, unfinished: pd.DataFrame | None = None
) -> Personal:
    """Return what the results say of a player, who has at least one.

    results, unfinished: as in `ResolvedLeague`.
    n_days: how many best and worst days, by the difference to the others' mean.
    """
    mine = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    others = results[(results["player"] != player) & results["day"].isin(mine.index)]
    counts = mine.value_counts()
    days = _days(mine, others)
    return Personal(
        player,
        len(mine),
        *_mean(mine.to_numpy()),
        distribution={"X" if n == UNSOLVED else str(n): int(counts.get(n, 0)) for n in range(1, UNSOLVED + 1)},
        streaks=_streaks(mine, int(results["day"].max())),
        months=_months(mine),
        best=days.head(n_days).reset_index(drop=True),
        worst=days.iloc[::-1].head(n_days).reset_index(drop=True),
        head_to_head=_head_to_head(mine, others),
        n_unfinished=0 if unfinished is None else int((unfinished["player"] == player).sum()),
    )


def streaks(results: pd.DataFrame, player: str) -> Streaks:
    """Return a player's streaks up to the newest puzzle of the results."""
    mine = results[results["player"] == player].set_index("day")["guesses"].sort_index()
    return _streaks(mine, int(results["day"].max()))


def _mean(guesses: np.ndarray) -> tuple[float, float, float]:
    """Return the mean with its 95% interval by Student's t; NaN where one result gives none."""
    n, mean = len(guesses), float(np.mean(guesses))
    if n < 2:
        return mean, np.nan, np.nan
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * np.std(guesses, ddof=1) / np.sqrt(n))
    return mean, max(1.0, mean - half), min(float(UNSOLVED), mean + half)


def _streaks(mine: pd.Series, newest: int) -> Streaks:
    solved, played = mine.index[mine < UNSOLVED].to_numpy(), mine.index.to_numpy()
    return Streaks(*_streak(solved, newest), *_streak(played, newest))


def _streak(days: np.ndarray, newest: int) -> tuple[int, int]:
    """Return the longest run of days in a row, and the length of the one that reaches `newest`."""
    if not len(days):
        return 0, 0
    lengths = np.diff(np.flatnonzero(np.append(np.insert(np.diff(days) != 1, 0, True), True)))
    return int(lengths.max()), int(lengths[-1]) if days[-1] == newest else 0


def _months(mine: pd.Series) -> pd.DataFrame:
    months = [f"{day_of(int(number)):%Y-%m}" for number in mine.index]
    rows = [(month, *_mean(part.to_numpy()), len(part)) for month, part in mine.groupby(months)]
    return pd.DataFrame(rows, columns=["month", "mean", "low", "high", "n_games"])


def _days(mine: pd.Series, others: pd.DataFrame) -> pd.DataFrame:
    """Return the days by how much better than the others' mean they went, best first; the others' is NaN when alone."""
    theirs = others.groupby("day")["guesses"].agg(["mean", "size"]).reindex(mine.index)
    table = pd.DataFrame(
        {"day": mine.index, "guesses": mine.to_numpy(), "others": theirs["mean"], "n_others": theirs["size"].fillna(0)}
    ).astype({"n_others": int})
    table = table.reset_index(drop=True)
    better = (table["guesses"] - table["others"].fillna(mine.mean())).rename("better")
    return table.assign(better=better).sort_values(["better", "guesses", "day"]).drop(columns="better")


def _head_to_head(mine: pd.Series, others: pd.DataFrame) -> pd.DataFrame:
    """Return how often the player needed fewer, as many and more guesses than each opponent, on days of both.

    share: of points, a tie being half; low, high: the 95% interval of a share of as many days (Clopper and Pearson),
    which ties make wider than need be.
    """
    lead = np.sign(others["guesses"] - others["day"].map(mine))
    counts = pd.DataFrame({"won": lead > 0, "tied": lead == 0, "lost": lead < 0}).groupby(others["player"]).sum()
    counts["n_games"] = counts.sum(axis=1)
    points = counts["won"] + counts["tied"] / 2
    counts["share"] = points / counts["n_games"]
    intervals = [_interval(p, n) for p, n in zip(points, counts["n_games"], strict=True)]
    counts["low"], counts["high"] = ([one[side] for one in intervals] for side in (0, 1))
    table = counts.rename_axis("opponent").reset_index()
    return table.sort_values(["n_games", "opponent"], ascending=[False, True], ignore_index=True)


def _interval(points: float, n: int) -> tuple[float, float]:
    low, _ = proportion_interval(np.floor(points), n, CONFIDENCE)
    _, high = proportion_interval(np.ceil(points), n, CONFIDENCE)
    return float(low), float(high)
