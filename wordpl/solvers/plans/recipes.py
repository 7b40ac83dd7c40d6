"""Recipes of plans, and the computation of a plan from its recipe.

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

from wordpl.core.files import complete_lines, truncate_torn_tail, write_atomically
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import ClueTable, guess_rows
from wordpl.solvers.plans.plan_file import Plan, PlanProvenance, to_json
from wordpl.solvers.plans.search import Choice, Search, State, after_first, second_guess

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
    plan = Plan(rule=RULE, sha256=lists.sha256, first=recipe.first, budget=recipe.budget, shares=recipe.shares)
    saved = FinishedStates(path.with_name(f".{path.name}.part"), repr((METHOD, recipe, lists.sha256)))
    for state in after_first(words, guess_rows(lists)[recipe.first], plan.epsilons()[0]):
        if state.clues not in saved.choices:
            saved.add(state, second_guess(words, state, plan.epsilons()[1:], recipe.search))
        step(state)
    value = sum(chance * choice.value for chance, choice in saved.choices.values())
    provenance = PlanProvenance(command=command, recipe=repr(recipe), versions=_versions(), figure=_figure(plan, value))
    plan = msgspec.structs.replace(
        plan,
        second={clues: lists.guesses[choice.row] for clues, (_, choice) in saved.choices.items()},
        moved={clues: choice.moved for clues, (_, choice) in saved.choices.items() if choice.moved},
        provenance=provenance,
    )
    write_atomically(path, to_json(plan))
    saved.path.unlink(missing_ok=True)
    return plan


def _versions() -> dict[str, str]:
    return {"python": python_version()} | {name: version(name) for name in ("wordpl", "numpy", "numba")}


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
            path.write_text(f"{title}\n")
            return
        truncate_torn_tail(path)
        for line in lines[1:]:
            clues, chance, choice = json.loads(line)
            self.choices[clues] = chance, Choice(*choice)

    def add(self, state: State, choice: Choice) -> None:
        """Save the guess chosen in a state."""
        self.choices[state.clues] = state.chance, choice
        with self.path.open("a") as file:
            file.write(json.dumps([state.clues, state.chance, choice]) + "\n")
