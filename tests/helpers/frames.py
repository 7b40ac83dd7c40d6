"""Artificial runs, as data frames like those of `load_run`."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wordpl import games

KINDS = {"budget": ("wordpl/1", "wrong"), "guesses": ("wordle/1", "unsolved"), "tries": ("absurdle/1", "unsolved")}
FACTS = {measure: games.game_class(rules).facts for measure, (rules, _) in KINDS.items()}
"""The facts of a game of each measure."""


def run_of(costs: Mapping[str, Sequence[float]], measure: str = "budget") -> pd.DataFrame:
    """Return a run with these costs of each entry's games; infinite ones were lost. Game i has the secret wordi."""
    rules, lost = KINDS[measure]
    parts = [
        pd.DataFrame(
            {
                "entry": name,
                "rules": rules,
                "measure": measure,
                "game": range(len(games)),
                "secret": [f"word{i}" for i in range(len(games))],
                "verdict": np.where(np.isfinite(games), "won", lost),
                "cost": np.array(games, float),
                "n_moves": 3,
                "message": "",
                "spent": 0.0,
            }
        )
        for name, games in costs.items()
    ]
    return pd.concat(parts, ignore_index=True)


def losing(costs: np.ndarray, chance: float, rng: np.random.Generator) -> np.ndarray:
    """Return the costs with some games lost."""
    return np.where(rng.random(costs.shape) < chance, np.inf, costs)
