"""A plan made from a recipe, state by state: what is finished is on disk, so that an interrupted one goes on."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from math import isnan
from pathlib import Path
from platform import python_version

import msgspec

from wordpl.core import append_log
from wordpl.core.clue_matrix import guess_rows
from wordpl.core.files import write_atomically
from wordpl.core.words import WordLists
from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.plans.plan_file import Plan, PlanProvenance, to_json
from wordpl.solvers.plans.search import Search
from wordpl.solvers.plans.second_guess import second_guess
from wordpl.solvers.plans.states import State, after_first
from wordpl.solvers.plans.two_guesses import Choice

RULE = "anywhere"
METHOD = 1
"""The version of how second guesses are chosen: what an interrupted plan has on disk is kept only for the same one."""


@dataclass(frozen=True)
class Recipe:
    """What is chosen of a plan: its first word, budget and shares, and how second guesses are searched for.

    Attributes:
        seed: of the games on which splits are compared
    """

    first: str
    budget: float
    shares: tuple[float, ...]
    search: Search = field(default_factory=Search)
    seed: int = 1


def build(lists: WordLists, recipe: Recipe, path: Path, command: str, step: Callable[[State], None]) -> Plan:
    """Return the plan of this recipe, and write it to `path`.

    Args:
        command: what makes it, for its provenance
        step: called with each first clue that is done. Interrupted, the finished ones stay in a file beside `path`; the
            same recipe then goes on where it was
    """
    words = ClueTable.of(lists, RULE)
    plan = Plan(rule=RULE, sha256=lists.sha256, first=recipe.first, budget=recipe.budget, shares=recipe.shares)
    notes = Notes(path.with_name(f".{path.name}.part"), repr((METHOD, recipe, lists.sha256)))
    for state in after_first(words, guess_rows(lists)[recipe.first], plan.epsilons()[0]):
        if state.clues not in notes.done:
            notes.add(state, second_guess(words, state, plan.epsilons()[1:], recipe.search))
        step(state)
    value = sum(chance * choice.value for chance, choice in notes.done.values())
    made = PlanProvenance(command=command, recipe=repr(recipe), versions=_versions(), figure=_figure(plan, value))
    plan = msgspec.structs.replace(
        plan,
        second={clues: lists.guesses[choice.row] for clues, (_, choice) in notes.done.items()},
        moved={clues: choice.moved for clues, (_, choice) in notes.done.items() if choice.moved},
        provenance=made,
    )
    write_atomically(path, to_json(plan))
    notes.path.unlink(missing_ok=True)
    return plan


def _versions() -> dict[str, str]:
    return {"python": python_version()} | {name: version(name) for name in ("wordpl", "numpy", "numba")}


def _figure(plan: Plan, value: float) -> str:
    if isnan(value):
        return "second guesses by the information of their clue: nothing was estimated"
    if len(plan.shares) == 2:
        return f"wins {value:.5f} of all games, exact"
    return f"wins about {value:.4f} of all games by the estimate of its search; `wordpl estimate` says more"


class Notes:
    """The states a plan has finished, in a file that begins with what is being made; one for something else is void."""

    def __init__(self, path: Path, title: str):
        self.path = path
        lines = [line.decode() for line in append_log.complete_lines(path)]
        self.done: dict[str, tuple[float, Choice]] = {}
        if not lines or lines[0] != title:
            path.write_text(f"{title}\n")
            return
        append_log.truncate_torn_tail(path)
        for line in lines[1:]:
            clues, chance, choice = json.loads(line)
            self.done[clues] = chance, Choice(*choice)

    def add(self, state: State, choice: Choice) -> None:
        """Note the guess chosen in this state."""
        self.done[state.clues] = state.chance, choice
        with self.path.open("a") as file:
            file.write(json.dumps([state.clues, state.chance, choice]) + "\n")
