"""Makes a problem for the search from the arguments that `wordpl solve` and `wordpl suggest` share."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordpl.core.words import WordLists
    from wordpl.solvers.search import Position
    from wordpl.solvers.search.problem import Problem

    Hints = tuple[tuple[str, str], ...]


def make_problem(
    hints: "Hints", prior: str | None, lists: "WordLists", *, limit: int | None, is_hard: bool
) -> "tuple[Problem, Position]":
    """Return the problem after these (guess, clue) pairs, and its position; loads the kernels of the search.

    Raises:
        UserError: The hints contradict each other, no guess is left, or the prior cannot be read.
    """
    from wordpl.core import priors
    from wordpl.kernels import loading

    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    with loading.fast_kernel_loading():
        from wordpl.solvers.search.problem import Problem

        problem = Problem(lists, hints, limit, is_hard, weights)
        return problem, problem.position()
