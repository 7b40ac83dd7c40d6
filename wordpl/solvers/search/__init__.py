"""Tree search for the classic game: the least expected number of guesses, near or exact.

One search with a dial: of the guesses that could still be best for a group of answers, only the `width` most promising
are tried, or all of them, which is exact. docs/solver.md tells the ideas and what each is worth.
"""

from dataclasses import replace

from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.extract import tree_of
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
    "tree_of",
]


def best_guess(position: Position, width: int | None = 10) -> int:
    """Return the row of the guess with which the fewest guesses are expected, from a search of this width.

    The same position gives the same guess. Where the guesses left are not enough, it is the best one without a limit.
    """
    best = Search(position, width).best()
    return best.guess if best.guess >= 0 else Search(replace(position, left=None), width).best().guess
