"""Precomputed plans for noisy games with a fixed budget: the second guesses, and how the budget is split."""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr
from wordpl.solvers.plans.plan_file import Plan, load, shifted

if TYPE_CHECKING:
    from wordpl.solvers.plans.search import Search, best_of_two, quick_best_of_two

__all__ = ["Plan", "Search", "best_of_two", "load", "quick_best_of_two", "shifted"]
__getattr__ = lazy_getattr(
    __name__, dict.fromkeys(("Search", "best_of_two", "quick_best_of_two"), f"{__name__}.search")
)
