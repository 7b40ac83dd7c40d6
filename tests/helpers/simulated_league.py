"""Simulated leagues of players with known strengths."""

import numpy as np
import pandas as pd


def results(*days):
    """Return results from one {player: guesses} a day."""
    rows = [(player, day, guesses, "test") for day, results in enumerate(days) for player, guesses in results.items()]
    return pd.DataFrame(rows, columns=["player", "day", "guesses", "source"])


def league(strengths, n_days, rng, attendance=0.8):
    """Return results of players who need about strengths[i] guesses; some days are harder for everybody."""
    shape = n_days, len(strengths)
    guesses = strengths + rng.normal(0, 0.5, (n_days, 1)) + rng.normal(0, 1, shape)
    day, player = np.nonzero(rng.random(shape) < attendance)
    scores = np.clip(guesses.round(), 1, 7).astype(int)[day, player]
    return pd.DataFrame({"player": [f"p{i:03}" for i in player], "day": day, "guesses": scores, "source": "test"})
