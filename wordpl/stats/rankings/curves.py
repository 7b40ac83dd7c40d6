"""How ratings moved: the ratings after one day after another."""

import numpy as np
import pandas as pd

from wordpl.stats.rankings.ranking import Ranking
from wordpl.stats.rankings.results import Sheet

N_POINTS = 60


def curves(results: pd.DataFrame, ranking: Ranking, n_points: int = N_POINTS) -> pd.DataFrame:
    """Return the ratings over time: columns player, day, rating, n_games (so far), a row a player and a day.

    n_points: days looked at, spread evenly, the last among them. A player's curve begins with the first result.
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
