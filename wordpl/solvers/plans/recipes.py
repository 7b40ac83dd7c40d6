"""The plans that come with the project, as far as they are chosen and not computed; docs/records.md tells how."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wordpl.core.errors import UserError
from wordpl.core.suggestions import did_you_mean
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
    """What differs from the recipe that a plan starts from; None changes nothing.

    Attributes:
        first: The first word.
        budget: What all guesses cost together.
        shares: Parts of the budget, one a round.
        tried: How many second guesses are tried where others follow.
        seed: Of the games on which splits are compared.
    """

    first: str | None = None
    budget: float | None = None
    shares: Sequence[float] | None = None
    tried: int | None = None
    seed: int | None = None


def recipe_for(name: str, changes: Changes, lists: WordLists) -> Recipe:
    """Return the recipe of a plan with this name; that of another name is the first with as many rounds.

    Raises:
        UserError: No plan has the name and nothing is said of a new one; the name is not an identifier;
            or the first word is not one of the guesses.
    """
    if not name.isidentifier():
        raise UserError(f"{name!r} is no name for a plan: it should be letters, digits and _, such as p95.")
    if name not in RECIPES and changes == Changes():
        raise UserError(
            f"there is no plan {name!r}.{did_you_mean(name, RECIPES)} Plans: {', '.join(RECIPES)}. A new one takes its "
            "--budget, --shares or --first."
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
