"""Rating curves: ratings over time."""

import numpy as np
import pandas as pd

from wordpl.stats.rankings.ranking import Ranking
from wordpl.stats.rankings.results import Sheet

N_POINTS = 60


def curves(results: pd.DataFrame, ranking: Ranking, n_points: int = N_POINTS) -> pd.DataFrame:
    """Return ratings over time, one row per player and day: columns player, day, rating, n_games (so far).

    A player's curve starts with the first result.

    Args:
        results: Results as for `Sheet.of`.
        ranking: The ranking.
        n_points: The number of evenly spaced days, including the last one.
    """
    sheet = Sheet.of(results, ranking.x_is_seven)
    n_days = len(sheet.days)
    at = np.unique(np.linspace(0, n_days - 1, min(n_points, n_days)).round().astype(int))
    ratings = ranking.curve(sheet, at)
    n_games = sheet.played.cumsum(axis=0)[at].astype(int)
    shown = (n_games > 0) & (sheet.n_games >= ranking.game_cutoff)
    day, player = np.nonzero(shown)
    return pd.DataFrame(
        {
            "player": sheet.players[player],
            "day": sheet.days[at][day],
            "rating": ratings[day, player],
            "n_games": n_games[day, player],
        }
    ).sort_values(["player", "day"], ignore_index=True)
