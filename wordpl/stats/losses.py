"""Where entries lose: the hardest words, the letters of the secret, the number of rounds, and what each clue said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class GroupOfGames:
    """Games of an entry that have something in common.

    Attributes:
        entry: The entry's name.
        group: What they have in common.
        order: Where the group comes among the others.
        n_games: How many they are.
        n_lost: How many of them were lost.
        mean_cost: What the won ones cost, NaN where none was won.
    """

    entry: str
    group: str
    order: int
    n_games: int
    n_lost: int
    mean_cost: float


def hardest_words(run: pd.DataFrame, n_words: int = 20) -> pd.DataFrame:
    """Return the words whose games went worst, over all entries: columns secret, n_games, n_lost, mean_cost.

    Args:
        run: Rows of `records.load_run` of one rules name.
        n_words: How many; words of equal games are in alphabetical order.
    """
    drawn = run[run["secret"] != ""]
    won = np.isfinite(drawn["cost"].to_numpy(float))
    rows = pd.DataFrame({"secret": drawn["secret"], "lost": ~won, "cost": drawn["cost"].where(won)})
    grouped = rows.groupby("secret", observed=True)
    table = pd.DataFrame(
        {
            "n_games": grouped.size(),
            "n_lost": grouped["lost"].sum().astype(int),
            "mean_cost": grouped["cost"].mean(),
        }
    ).reset_index()
    table = table.astype({"secret": str})  # categories sort in an order of their own
    # Shrunk towards the mean of all words by two games, so that one lost game is not the hardest word of all.
    usual = float(rows["lost"].mean()) if len(rows) else 0.0
    table["lost_share"] = (table["n_lost"] + 2 * usual) / (table["n_games"] + 2)
    order = table.sort_values(["lost_share", "mean_cost", "secret"], ascending=[False, False, True], ignore_index=True)
    return order.head(n_words)


def by_letter_pattern(run: pd.DataFrame) -> list[GroupOfGames]:
    """Return each entry's games by how many letters of the secret repeat."""
    drawn = run[run["secret"] != ""]
    if drawn.empty:
        return []
    n_repeated = {word: len(word) - len(set(word)) for word in drawn["secret"].unique()}
    repeats = drawn["secret"].map(n_repeated).astype(np.int64)
    return _groups(drawn, repeats.clip(upper=2), ("all letters differ", "one letter repeats", "more letters repeat"))


def by_rounds(run: pd.DataFrame, n_groups: int = 8) -> list[GroupOfGames]:
    """Return each entry's games by the number of moves, those of very many moves together."""
    names = ["no move", "1 move", *(f"{n} moves" for n in range(2, n_groups)), f"{n_groups} or more moves"]
    return _groups(run, run["n_moves"].clip(upper=n_groups), names)


def _groups(run: pd.DataFrame, numbers: pd.Series, names: Sequence[str]) -> list[GroupOfGames]:
    """Return each entry's games by their group's number, the position of its name in `names`."""
    won = np.isfinite(run["cost"].to_numpy(float))
    games = pd.DataFrame({"entry": run["entry"], "group": numbers, "won": won, "cost": run["cost"].where(won)})
    grouped = games.groupby(["entry", "group"], sort=False, observed=True)
    table = pd.DataFrame({"n": grouped.size(), "n_won": grouped["won"].sum(), "cost": grouped["cost"].mean()})
    rows: Iterable[Any] = table.reset_index().itertuples()
    return [
        GroupOfGames(str(row.entry), names[row.group], int(row.group), int(row.n), int(row.n - row.n_won), row.cost)
        for row in rows
    ]
