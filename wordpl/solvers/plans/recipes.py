"""Recipes of plans, the computation of a plan from its recipe, and the comparison of recipes.

docs/records.md explains how the bundled recipes were chosen. A plan is computed state by state; finished states are
saved, so that an interrupted computation can resume.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from math import isnan
from pathlib import Path
from platform import python_version

import msgspec
import numpy as np
import pandas as pd

from wordpl.core.clues import keep_probability
from wordpl.core.files import Appender, complete_lines, truncate_torn_tail, write_atomically
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import ClueTable, guess_rows
from wordpl.solvers.noisy.final_guess import next_guess, win_chances
from wordpl.solvers.plans.plan_file import Plan, PlanProvenance, to_json
from wordpl.solvers.plans.search import Choice, Search, State, after_first, second_guess, updated

RULE = "anywhere"
METHOD = 1
"""The version of the method that chooses second guesses; a run resumes only from states saved by the same version."""


@dataclass(frozen=True)
class Recipe:
    """The choices that define a plan.

    Attributes:
        first: The first word.
        budget: The total budget.
        shares: The share of the budget for each round, with sum 1.
        search: How second guesses are searched for.
        seed: The seed of the games on which splits are compared.
    """

    first: str
    budget: float
    shares: tuple[float, ...]
    search: Search = field(default_factory=Search)
    seed: int = 1


EVEN, LIGHT = (1 / 3, 1 / 3, 1 / 3), Search(n_tried=12, n_clues=40)
RECIPES = {
    "p05": Recipe(first="trace", budget=14.32, shares=(0.7, 0.3)),
    "p50": Recipe(
        first="trace",
        budget=36.3,
        shares=(0.345, 0.377, 0.278),
        search=Search(splits=(0.0, -0.16, -0.08, 0.08, 0.16)),
    ),
    "p95": Recipe(first="trace", budget=69.5, shares=(0.25, 0.29, 0.253, 0.207), search=Search(n_tried=6)),
    "g3": Recipe(first="trace", budget=14.6, shares=(9.3 / 14.6, 5.3 / 14.6)),
    "d95_12": Recipe(first="salet", budget=36.9, shares=EVEN, search=LIGHT),
    "d95_25": Recipe(first="salet", budget=75.0, shares=EVEN, search=LIGHT),
}


@dataclass(frozen=True)
class Changes:
    """Changes to a recipe; None keeps a value.

    Attributes:
        first: The first word.
        budget: The total budget.
        shares: The share of the budget for each round.
        tried: How many second guesses to try if others follow.
        seed: The seed of the games on which splits are compared.
    """

    first: str | None = None
    budget: float | None = None
    shares: Sequence[float] | None = None
    tried: int | None = None
    seed: int | None = None


def recipe_for(name: str, changes: Changes, lists: WordLists) -> Recipe:
    """Return the recipe of a plan.

    Args:
        name: The name of the plan. A new name starts from the first known recipe with the same number of rounds.
        changes: Changes to the recipe.

    Raises:
        UserError: The name is not an identifier, it is unknown and there are no changes, or the first word is not a
            legal guess.
    """
    if not name.isidentifier():
        raise UserError(f"{name!r} cannot name a plan: use letters, digits and _, as in p95.")
    if name not in RECIPES and changes == Changes():
        raise UserError(
            f"there is no plan {name!r}.{did_you_mean(name, RECIPES)} Plans: {', '.join(RECIPES)}. For a new plan, "
            "give --budget, --shares or --opener."
        )
    if changes.first and changes.first not in lists.guess_set:
        raise UserError(f"{changes.first!r} is not a word of the guesses.")
    n_rounds = len(changes.shares) if changes.shares else 2
    alike = [recipe for recipe in RECIPES.values() if len(recipe.shares) == n_rounds] or [RECIPES["p95"]]
    recipe = RECIPES.get(name, alike[0])
    search = replace(recipe.search, n_tried=changes.tried) if changes.tried else recipe.search
    return replace(
        recipe,
        first=changes.first or recipe.first,
        budget=recipe.budget if changes.budget is None else changes.budget,
        shares=tuple(changes.shares or recipe.shares),
        search=search,
        seed=recipe.seed if changes.seed is None else changes.seed,
    )


def build(lists: WordLists, recipe: Recipe, path: Path, command: str, step: Callable[[State], None]) -> Plan:
    """Compute the plan of a recipe and write it to a file.

    If it is interrupted, finished states remain in a file next to `path`, from which the same recipe resumes.

    Args:
        path: Where to write the plan.
        command: The command that computes it, for its provenance.
        step: Called with each finished state.
    """
    words = ClueTable.of(lists, RULE)
    plan = Plan(rule=RULE, sha256=lists.set_sha256, first=recipe.first, budget=recipe.budget, shares=recipe.shares)
    saved = FinishedStates(path.with_name(f".{path.name}.part"), repr((METHOD, recipe, lists.sha256)))
    for state in after_first(words, guess_rows(lists)[recipe.first], plan.epsilons()[0]):
        if state.clues not in saved.choices:
            saved.add(state, second_guess(words, state, plan.epsilons()[1:], recipe.search))
        step(state)
    value = sum(chance * choice.value for chance, choice in saved.choices.values())
    packages = {name: version(name) for name in ("wordpl", "numpy", "numba")}
    versions = {"python": python_version()} | packages
    provenance = PlanProvenance(command=command, recipe=repr(recipe), versions=versions, figure=_figure(plan, value))
    plan = msgspec.structs.replace(
        plan,
        second={clues: lists.guesses[choice.row] for clues, (_, choice) in saved.choices.items()},
        moved={clues: choice.moved for clues, (_, choice) in saved.choices.items() if choice.moved},
        provenance=provenance,
    )
    write_atomically(path, to_json(plan))
    saved.path.unlink(missing_ok=True)
    return plan


def _figure(plan: Plan, value: float) -> str:
    if isnan(value):
        return "second guesses by the information of their clue: nothing was estimated"
    if len(plan.shares) == 2:
        return f"wins {value:.5f} of all games, exact"
    return f"wins about {value:.4f} of all games by the estimate of its search; `wordpl estimate` says more"


class FinishedStates:
    """The finished states of a plan, saved in a file that is discarded if it belongs to another plan.

    Args:
        path: The file.
        title: Identifies the plan; the first line of the file.

    Attributes:
        choices: The probability of each finished state and the choice made in it, by the clues of the state.
    """

    def __init__(self, path: Path, title: str):
        self.path = path
        lines = [line.decode() for line in complete_lines(path)]
        self.choices: dict[str, tuple[float, Choice]] = {}
        if not lines or lines[0] != title:
            write_atomically(path, f"{title}\n".encode())
            return
        truncate_torn_tail(path)
        for line in lines[1:]:
            clues, chance, choice = json.loads(line)
            self.choices[clues] = chance, Choice(*choice)

    def add(self, state: State, choice: Choice) -> None:
        """Save the guess chosen in a state."""
        self.choices[state.clues] = state.chance, choice
        with Appender(self.path) as file:
            file.add(f"{json.dumps([state.clues, state.chance, choice])}\n".encode())


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
        plan = Plan(rule=RULE, sha256=lists.set_sha256, first=recipe.first, budget=recipe.budget, shares=recipe.shares)
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
