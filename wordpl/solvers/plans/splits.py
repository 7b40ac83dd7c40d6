"""Comparison of first words and splits of a budget on the same simulated games."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from wordpl.core.clue_matrix import guess_rows
from wordpl.core.words import WordLists
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.plans.building import RULE, Recipe
from wordpl.solvers.plans.plan_file import Plan
from wordpl.solvers.plans.simulation import value_of_playing_on
from wordpl.solvers.plans.states import State


def compare(lists: WordLists, recipes: Sequence[Recipe], n_games: int, step: Callable[[], object]) -> pd.DataFrame:
    """Return the estimated probability of winning with each recipe and the difference to the first recipe.

    The games depend only on the seed of the first recipe, and are played without precomputed second guesses. The value
    of a game is the probability of winning just before its last clue.

    Args:
        lists: The word lists.
        recipes: The recipes.
        n_games: The number of games per recipe.
        step: Called after each game.

    Returns:
        One row per recipe, with columns first, shares, wins, error (standard error of wins), gain (difference to the
        first recipe), gain_error (its standard error) and games.
    """
    words, n_answers = ClueTable.of(lists, RULE), len(lists.answers)
    start = State("", 1.0, np.full(n_answers, 1 / n_answers))
    games = np.random.Generator(np.random.PCG64(recipes[0].seed)).integers(2**63, size=n_games)
    values = np.empty((len(recipes), n_games))
    for i, recipe in enumerate(recipes):
        plan = Plan(rule=RULE, sha256=lists.sha256, first=recipe.first, budget=recipe.budget, shares=recipe.shares)
        row, epsilons = guess_rows(lists)[recipe.first], plan.epsilons()
        for j, seed in enumerate(games):
            values[i, j] = value_of_playing_on(words, start, row, epsilons, seed)
            step()
    gains = values - values[0]
    root = n_games**0.5
    return pd.DataFrame({
        "first": [recipe.first for recipe in recipes],
        "shares": ["/".join(f"{share:.3g}" for share in recipe.shares) for recipe in recipes],
        "wins": values.mean(axis=1), "error": values.std(axis=1, ddof=1) / root,
        "gain": gains.mean(axis=1), "gain_error": gains.std(axis=1, ddof=1) / root, "games": n_games,
    })  # fmt: skip
