"""Tree search for the classic game, which minimizes the expected number of guesses, heuristically or exactly.

For each group of answers, the search tries only the `width` most promising guesses, or all that may be the best, which
is exact. docs/solver.md explains its ideas and measures the effect of each.
"""

from dataclasses import replace

from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position
from wordpl.solvers.search.ranking import GuessRanking, best_guesses, rate_guesses
from wordpl.solvers.search.search import Rating, Search

__all__ = [
    "INFEASIBLE",
    "GuessRanking",
    "Position",
    "Rating",
    "Search",
    "best_guess",
    "best_guesses",
    "rate_guesses",
]


def best_guess(position: Position, width: int | None = 10) -> int:
    """Return the row of the guess with the fewest expected guesses; the same position always gives the same guess.

    If no tree within the guesses left is found, the limit is ignored.

    Args:
        position: The position.
        width: How many of the most promising guesses to try for each group of answers; None for all.
    """
    best = Search(position, width).best()
    return best.guess if best.guess >= 0 else Search(replace(position, left=None), width).best().guess
