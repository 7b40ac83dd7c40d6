"""The file of a plan: how to spend a fixed budget, the precomputed second guesses, and their provenance."""

from itertools import product
from math import floor
from pathlib import Path

import msgspec

from wordpl.core import bounded
from wordpl.core.clues import MARKS
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists

UNIT = 2.0**-20
"""Epsilons are integer multiples of this unit, so that rounding never makes their sum exceed the budget."""
MAX_ERROR, MAX_BUDGET = 1e-6, 1e9
"""The error of the sum of shares, and the budget, that a plan may have."""
STRATEGY = '''\
"""Plays plans of this folder, computed by `wordpl plan`."""

from pathlib import Path

from strategies.schedule import Schedule
from wordpl.solvers import plans


class {class_name}(Schedule):
    def __post_init__(self):
        self.made = plans.load(Path(__file__).with_name(f"schedule-{{self.plan}}.json"))
        self.budget = self.budget or self.made.budget
        self.epsilons = self.made.epsilons(self.budget)


ENTRIES = [{class_name}("{plan}")]
'''
"""A strategy that plays a plan in another folder than that of the bundled strategy Schedule."""


class PlanProvenance(msgspec.Struct, frozen=True, kw_only=True):
    """How a plan was computed.

    Attributes:
        command: The command.
        recipe: The repr of the recipe.
        versions: The versions of Python and of the libraries.
        figure: The estimated probability of winning, in words.
    """

    command: str = ""
    recipe: str = ""
    versions: dict[str, str] = {}
    figure: str = ""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan.

    Attributes:
        rule: The clue rule for which it was computed, a key of `clues.CLUE_RULES`.
        sha256: The SHA-256 of each word list in alphabetical order, as in `WordLists.set_sha256`.
        first: The first word.
        budget: The budget for which it was computed.
        shares: The share of the budget for each round, with sum 1.
        second: The second guess after each first clue.
        moved: The part of the last epsilon to spend on the second guess instead, by first clue; absent means 0.
        provenance: How it was computed.
    """

    rule: str
    sha256: dict[str, str]
    first: str
    budget: float
    shares: tuple[float, ...]
    second: dict[str, str] = {}
    moved: dict[str, float] = {}
    provenance: PlanProvenance = PlanProvenance()

    def __post_init__(self) -> None:
        """Raise ValueError for values that are not a division of a budget."""
        is_division = all(0 <= share <= 1 for share in self.shares) and abs(sum(self.shares) - 1) < MAX_ERROR
        if not (is_division and 0 < self.budget < MAX_BUDGET):
            raise ValueError("the shares should be from 0 to 1 with the sum 1, and the budget above 0")
        if not all(abs(part) <= 1 for part in self.moved.values()):
            raise ValueError("the moved parts should be from -1 to 1")

    def epsilons(self, budget: float | None = None) -> tuple[float, ...]:
        """Return the epsilon of each round; they are multiples of 2^-20, so that their sum never exceeds the budget.

        Args:
            budget: The budget; None for the plan's own.
        """
        *early, _ = (floor(share * (budget or self.budget) / UNIT) * UNIT for share in self.shares)
        return *early, floor((budget or self.budget) / UNIT) * UNIT - sum(early)

    def after(self, clues: str, left: tuple[float, ...]) -> tuple[float, ...]:
        """Return the epsilons of the second and all later guesses after the first clue.

        Args:
            clues: The first clue.
            left: The planned epsilons of these guesses.
        """
        return shifted(left, self.moved.get(clues, 0.0))

    def fits(self, lists: WordLists, rule: str) -> bool:
        """Return whether the second guesses were computed for these words, in any order, and this rule."""
        return self.rule == rule and lists.has_words_of(self.sha256)


def load(path: Path) -> Plan:
    """Return the plan in this file.

    Raises:
        UserError: The file cannot be read or is not a plan.
    """
    try:
        fields = bounded.read_json(bounded.PLAN, path)
        if isinstance(fields, dict) and isinstance(fields.get("second"), str):
            fields["second"] = _by_clue(fields["second"].split())
        return msgspec.convert(fields, Plan)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the plan {path}: {error}. `wordpl plan --help` shows how to make one.") from None


def write_strategy(plan: Path) -> Path:
    """Write a strategy into the folder of a plan, unless there is one, and return the folder, which is its entry.

    Args:
        plan: The file of the plan, schedule-NAME.json.
    """
    name = plan.stem.removeprefix("schedule-")
    path = plan.with_suffix(".py") if plan.parent.name == plan.stem else plan.with_name("bot.py")
    if not path.exists():
        class_name = f"Schedule{name.title().replace('_', '')}"
        write_atomically(path, STRATEGY.format(plan=name, class_name=class_name).encode())
    return plan.parent


def _by_clue(guesses: list[str]) -> dict[str, str]:
    """Return the second guess after each clue, given all of them in the order of clues, as in an installed package."""
    length = len(guesses[0]) if guesses else 0
    return dict(zip(map("".join, product(sorted(MARKS), repeat=length)), guesses, strict=True))


def to_json(plan: Plan) -> bytes:
    """Return the content of the plan's file, one field per line."""
    return msgspec.json.format(msgspec.json.encode(plan), indent=1) + b"\n"


def shifted(left: tuple[float, ...], part: float) -> tuple[float, ...]:
    """Return the epsilons with a part of the last one moved to the first; their sum stays the same.

    Args:
        left: The epsilons.
        part: The part of the last epsilon to move; negative to move it the other way.
    """
    if not part:
        return left
    moved = floor(part * left[-1] / UNIT) * UNIT
    return left[0] + moved, *left[1:-1], left[-1] - moved
