"""A plan: how a fixed budget is spent, with the second guesses computed ahead and where they come from."""

from itertools import product
from math import floor
from pathlib import Path

import msgspec

from wordpl.core.clues import MARKS
from wordpl.core.errors import UserError
from wordpl.core.words import WordLists
from wordpl.solvers.plans.epsilons import UNIT, shifted


class PlanProvenance(msgspec.Struct, frozen=True, kw_only=True):
    """What made a plan: the command, the versions it ran with, and the figure it found."""

    command: str = ""
    recipe: str = ""
    versions: dict[str, str] = {}
    figure: str = ""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule of rounds.

    Attributes:
        rule: the rule of clues it is made for, a key of `clues.CLUE_RULES`
        sha256: of the word lists
        budget: what it was computed for
        shares: each round's part of it, with sum 1
        second: the second guess after each first clue
        moved: the part of the last epsilon that is spent on the second guess instead, after the first clues where any
            is
    """

    rule: str
    sha256: dict[str, str]
    first: str
    budget: float
    shares: tuple[float, ...]
    second: dict[str, str] = {}
    moved: dict[str, float] = {}
    provenance: PlanProvenance = PlanProvenance()

    def epsilons(self, budget: float | None = None) -> tuple[float, ...]:
        """Return each round's epsilon, for another budget than the plan's own where one is given.

        They are whole multiples of 2^-20, so that their sum has no rounding: it never exceeds the budget.
        """
        *early, _ = (floor(share * (budget or self.budget) / UNIT) * UNIT for share in self.shares)
        return *early, floor((budget or self.budget) / UNIT) * UNIT - sum(early)

    def after(self, clues: str, left: tuple[float, ...]) -> tuple[float, ...]:
        """Return the epsilons of the second guess and those after it, once the first got these clues.

        Args:
            left: planned
        """
        return shifted(left, self.moved.get(clues, 0.0))

    def fits(self, lists: WordLists, rule: str) -> bool:
        """Return whether the second guesses were computed for these lists and this rule."""
        return self.rule == rule and self.sha256 == lists.sha256


def load(path: Path) -> Plan:
    """Return the plan in this file.

    Raises:
        UserError: for a file that holds none.
    """
    try:
        found = msgspec.json.decode(path.read_bytes())
        if isinstance(found, dict) and isinstance(found.get("second"), str):
            found["second"] = _by_clue(found["second"].split())
        return msgspec.convert(found, Plan)
    except (OSError, ValueError) as error:
        raise UserError(f"no plan in {path}: {error}. `wordpl plan --help` tells how to make one.") from None


def _by_clue(guesses: list[str]) -> dict[str, str]:
    """Return the second guesses of a plan in an installed package, which has them in the order of all clues.

    Raises:
        ValueError: there is not one for each clue.
    """
    length = len(guesses[0]) if guesses else 0
    return dict(zip(map("".join, product(sorted(MARKS), repeat=length)), guesses, strict=True))


def to_json(plan: Plan) -> bytes:
    """Return the plan as it stands in a file, one field a line."""
    return msgspec.json.format(msgspec.json.encode(plan), indent=1) + b"\n"
