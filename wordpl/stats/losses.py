"""Where entries lose: the hardest words, the letters of the secret, the number of rounds, and what each clue said."""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class GroupOfGames:
    """Games of an entry that have something in common.

    Attributes:
        entry: The entry's name.
        group: What they have in common.
        n_games: How many they are.
        n_lost: How many of them were lost.
        mean_cost: What the won ones cost, NaN where none was won.
    """

    entry: str
    group: str
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
    grouped = rows.groupby("secret")
    table = pd.DataFrame(
        {
            "n_games": grouped.size(),
            "n_lost": grouped["lost"].sum().astype(int),
            "mean_cost": grouped["cost"].mean(),
        }
    ).reset_index()
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
    repeats = drawn["secret"].str.len() - drawn["secret"].map(lambda word: len(set(word)))
    names = repeats.map(lambda n: ("all letters differ", "one letter repeats")[n] if n < 2 else "more letters repeat")
    return _groups(drawn, names)


def by_rounds(run: pd.DataFrame, n_groups: int = 8) -> list[GroupOfGames]:
    """Return each entry's games by the number of moves, those of very many moves together."""
    moves = run["n_moves"]
    return _groups(run, moves.map(lambda n: f"{n} moves" if n < n_groups else f"{n_groups} or more moves"))


def _groups(run: pd.DataFrame, names: pd.Series) -> list[GroupOfGames]:
    found = []
    for (entry, group), rows in run.assign(_group=names).groupby(["entry", "_group"], sort=False):
        costs = rows["cost"].to_numpy(float)
        won = np.isfinite(costs)
        mean = float(costs[won].mean()) if won.any() else float("nan")
        found.append(GroupOfGames(str(entry), str(group), len(rows), int((~won).sum()), mean))
    order = {str(name): at for at, name in enumerate(run["entry"].unique())}
    return sorted(found, key=lambda one: (order[one.entry], one.group))
