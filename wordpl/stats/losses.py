"""Where entries lose: the hardest words, and losses by repeated letters of the secret and by the number of rounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class GameGroup:
    """A group of an entry's games.

    Attributes:
        entry: The name of the entry.
        group: The name of the group.
        order: The position of the group among all groups.
        n_games: The number of games.
        n_lost: The number of lost games.
        mean_cost: The mean cost of won games, NaN if none was won.
    """

    entry: str
    group: str
    order: int
    n_games: int
    n_lost: int
    mean_cost: float


def hardest_words(run: pd.DataFrame, n_words: int = 20) -> pd.DataFrame:
    """Return the secrets with the worst results over all entries: columns secret, n_games, n_lost, mean_cost.

    Args:
        run: Rows of `load_run` with the same rules.
        n_words: The number of words; ties are in alphabetical order.
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
    table = table.astype({"secret": str})  # categories would not be sorted alphabetically
    # Shrink the share towards the mean of all words by two games, so that a single lost game does not dominate.
    overall = float(rows["lost"].mean()) if len(rows) else 0.0
    table["lost_share"] = (table["n_lost"] + 2 * overall) / (table["n_games"] + 2)
    order = table.sort_values(["lost_share", "mean_cost", "secret"], ascending=[False, False, True], ignore_index=True)
    return order.head(n_words)


def by_letter_pattern(run: pd.DataFrame) -> list[GameGroup]:
    """Return each entry's games grouped by the number of repeated letters in the secret."""
    drawn = run[run["secret"] != ""]
    if drawn.empty:
        return []
    n_repeated = {word: len(word) - len(set(word)) for word in drawn["secret"].unique()}
    repeats = drawn["secret"].map(n_repeated).astype(np.int64)
    return _groups(drawn, repeats.clip(upper=2), ("all letters differ", "one letter repeats", "more letters repeat"))


def by_rounds(run: pd.DataFrame, n_groups: int = 8) -> list[GameGroup]:
    """Return each entry's games grouped by the number of moves; the last group has `n_groups` or more moves."""
    names = ["no move", "1 move", *(f"{n} moves" for n in range(2, n_groups)), f"{n_groups} or more moves"]
    return _groups(run, run["n_moves"].clip(upper=n_groups), names)


def _groups(run: pd.DataFrame, numbers: pd.Series, names: Sequence[str]) -> list[GameGroup]:
    """Return each entry's games by group.

    Args:
        run: Rows of `load_run`.
        numbers: The number of each game's group, an index into `names`.
        names: The names of the groups.
    """
    won = np.isfinite(run["cost"].to_numpy(float))
    games = pd.DataFrame({"entry": run["entry"], "group": numbers, "won": won, "cost": run["cost"].where(won)})
    grouped = games.groupby(["entry", "group"], sort=False, observed=True)
    table = pd.DataFrame({"n": grouped.size(), "n_won": grouped["won"].sum(), "cost": grouped["cost"].mean()})
    rows: Iterable[Any] = table.reset_index().sort_values("group", kind="stable").itertuples()
    return [
        GameGroup(str(row.entry), names[row.group], int(row.group), int(row.n), int(row.n - row.n_won), row.cost)
        for row in rows
    ]
