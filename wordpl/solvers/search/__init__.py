"""Tree search for the classic game, which minimizes the expected number of guesses.

Searches are heuristic or exact; a ranking rates first guesses.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position
from wordpl.solvers.search.proof import Proof, prove
from wordpl.solvers.search.search import ClassicSearch, Rating

__all__ = [
    "INFEASIBLE",
    "ClassicSearch",
    "GuessRanking",
    "Position",
    "Rating",
    "best_guess",
    "best_guesses",
    "rate_guesses",
]

MAX_SOLVED_AT_ONCE = 300
"""Most answers solved in one call; with more, first guesses are refuted one by one, which can be interrupted."""


@dataclass(frozen=True)
class GuessRanking:
    """First guesses with their ratings.

    Attributes:
        ratings: The rated guesses, smallest total first; ties prefer guesses that can be the answer.
        is_optimal: Whether all other first guesses have been refuted or solved, so that the first one is optimal.
    """

    ratings: tuple[Rating, ...]
    is_optimal: bool

    @property
    def best(self) -> Rating:
        """The rated guess with the smallest total."""
        return self.ratings[0]


def rate_guesses(
    search: ClassicSearch, guesses: Sequence[int], progress: Callable[[Rating], object] = lambda _: None
) -> GuessRanking:
    """Rate the given first guesses; the result is never marked as optimal.

    Args:
        search: The search; its width determines whether ratings are exact.
        guesses: Rows of the clue matrix in the order in which to rate them; duplicates are ignored.
        progress: Called with each rating.
    """
    ratings = []
    for guess in dict.fromkeys(guesses):
        ratings.append(search.rate(guess))
        progress(ratings[-1])
    return GuessRanking(_ranked(search, ratings), False)


def best_guesses(
    search: ClassicSearch, n_shown: int, jobs: int = 1, progress: Callable[[Proof], object] = lambda _: None
) -> GuessRanking:
    """Return the best guess found and the most promising others with their ratings.

    A search without a width rates or refutes every guess, so that its best guess is optimal. A search with a width
    considers only that many first guesses.

    Args:
        search: The search.
        n_shown: The largest number of guesses to return.
        jobs: The number of threads that refute guesses if there are many answers and no width.
        progress: Called repeatedly with the state of the proof while threads refute guesses.
    """
    is_exact = search.width is None
    if is_exact and len(search.position.candidates) > MAX_SOLVED_AT_ONCE:
        best = prove(search.position, None, jobs, progress).best
    else:
        best = search.best()
    best_ratings = [best] if best.bound < INFEASIBLE else []
    if is_exact and not best_ratings:
        return GuessRanking((), True)
    other_rows = [row for row in search.promising()[:n_shown].tolist() if not best_ratings or row != best.guess]
    ratings = [*best_ratings, *(search.rate(row) for row in other_rows[: n_shown - len(best_ratings)])]
    return GuessRanking(_ranked(search, ratings), is_exact)


def _ranked(search: ClassicSearch, ratings: Sequence[Rating]) -> tuple[Rating, ...]:
    answers = set(search.position.own.tolist())
    return tuple(sorted(ratings, key=lambda rating: (rating.bound, rating.guess not in answers)))


def best_guess(position: Position, width: int | None = 10) -> int:
    """Return the row of the guess with the fewest expected guesses; the same position always gives the same guess.

    If no tree within the guesses left is found, the limit is ignored.

    Args:
        position: The position.
        width: How many of the most promising guesses to try for each group of answers; None for all.
    """
    best = ClassicSearch(position, width).best()
    return best.guess if best.guess >= 0 else ClassicSearch(replace(position, left=None), width).best().guess
