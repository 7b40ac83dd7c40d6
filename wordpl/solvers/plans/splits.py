"""Comparison of first words and splits of a budget on the same simulated games."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from wordpl.core.clues import keep_probability
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import ClueTable, guess_rows
from wordpl.solvers.noisy.final_guess import next_guess, win_chances
from wordpl.solvers.plans.plan_file import Plan
from wordpl.solvers.plans.recipes import RULE, Recipe
from wordpl.solvers.plans.search import State, updated


def compare(lists: WordLists, recipes: Sequence[Recipe], n_games: int, step: Callable[[], object]) -> pd.DataFrame:
    """Return the estimated probability of winning with each recipe and the difference to the first recipe.

    The games depend only on the seed of the first recipe, and are played without precomputed second guesses. The value
    of a game is the probability of winning just before its last clue.

    Args:
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


def value_of_playing_on(words: ClueTable, state: State, row: int, epsilons: Sequence[float], seed: int) -> float:
    """Simulate one game from a state and return the exact probability of winning just before its last clue.

    Later guesses are those of `final_guess.next_guess`. Games with the same seed have the same secret and, as far as
    their guesses allow, the same noise, which reduces the variance of differences between guesses.

    Args:
        row: The guess in this state.
        epsilons: The epsilons of this guess and of all later ones.
        seed: The seed of the game.
    """
    rng = np.random.Generator(np.random.PCG64(int(seed)))
    secret = int(np.searchsorted(np.cumsum(state.posterior), rng.random()).clip(0, len(state.posterior) - 1))
    noise = rng.random((len(epsilons), words.length))
    posterior = state.posterior
    for number, epsilon in enumerate(epsilons[:-1]):
        clues = noisy_clue(int(words.matrix[row, secret]), epsilon, noise[number])
        posterior = updated(posterior, words.matrix[row], clues, epsilon, words.length)
        row = next_guess(words, posterior, epsilons[number + 1 :])
    return chance_to_win(words, posterior, row, epsilons[-1])


def chance_to_win(words: ClueTable, posterior: np.ndarray, row: int, epsilon: float) -> float:
    """Return the exact probability that the likeliest answer after this last guess is the secret."""
    return float(win_chances(words.columns[:, row : row + 1], posterior, epsilon, words.length)[0])


def noisy_clue(true: int, epsilon: float, draws: np.ndarray) -> int:
    """Return the number of the clue that is shown for a true clue.

    Args:
        true: The number of the true clue.
        epsilon: The budget spent on the guess.
        draws: One random number from [0, 1) per letter.
    """
    keep = keep_probability(epsilon, len(draws))
    clues, worth = 0, 1
    for place in range(len(draws) - 1, -1, -1):
        true, mark = divmod(true, 3)
        step = 0 if draws[place] < keep else 1 if draws[place] < (1 + keep) / 2 else 2
        clues += worth * ((mark + step) % 3)
        worth *= 3
    return clues
