"""Precomputed plans for noisy games with a fixed budget: the second guesses, and how the budget is split."""

from typing import TYPE_CHECKING

from wordpl.core.lazy_exports import lazy_getattr
from wordpl.solvers.plans.plan_file import Plan, load

if TYPE_CHECKING:
    from wordpl.solvers.plans.epsilons import shifted
    from wordpl.solvers.plans.search import Search
    from wordpl.solvers.plans.two_guesses import best_of_two

__all__ = ["Plan", "Search", "best_of_two", "load", "shifted"]
_SOURCES = {
    "Search": "wordpl.solvers.plans.search",
    "best_of_two": "wordpl.solvers.plans.two_guesses",
    "shifted": "wordpl.solvers.plans.epsilons",
}
__getattr__ = lazy_getattr(__name__, _SOURCES)
