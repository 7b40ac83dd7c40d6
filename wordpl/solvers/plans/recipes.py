"""Recipes of the plans that come with the project; docs/records.md explains how they were chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wordpl.core.errors import UserError
from wordpl.core.messages import did_you_mean
from wordpl.core.words import WordLists
from wordpl.solvers.plans.building import Recipe
from wordpl.solvers.plans.search import Search

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
        lists: The word lists.

    Raises:
        UserError: The name is not an identifier, it is unknown and there are no changes, or the first word is not a
            legal guess.
    """
    if not name.isidentifier():
        raise UserError(f"{name!r} cannot name a plan: use letters, digits and _, as in p95.")
    if name not in RECIPES and changes == Changes():
        raise UserError(
            f"there is no plan {name!r}.{did_you_mean(name, RECIPES)} Plans: {', '.join(RECIPES)}. For a new plan, "
            "give --budget, --shares or --first."
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
