"""First guesses rated side by side, and what is known of the best: optimal, or the best of those tried."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import promising
from wordpl.solvers.search.proof import Proof, prove
from wordpl.solvers.search.search import Rating, Search

MAX_SOLVED_AT_ONCE = 300
"""So many answers are solved in one call; for more, first guesses are refuted one by one, which can be interrupted."""


@dataclass(frozen=True)
class GuessRanking:
    """First guesses with their totals.

    Attributes:
        ratings: the guesses rated, the least total first; of equal ones those that may be the answer.
        is_optimal: whether every other first guess has been refuted or solved, so that the first is the best there is.
    """

    ratings: tuple[Rating, ...]
    is_optimal: bool

    @property
    def best(self) -> Rating:
        """The guess with the least total of those rated."""
        return self.ratings[0]


def rate_guesses(
    search: Search, guesses: Sequence[int], progress: Callable[[Rating], object] = lambda _: None
) -> GuessRanking:
    """Return these first guesses rated by the search; nothing is known of others.

    Args:
        search: its width decides whether a rating is exact.
        guesses: rows of the clue matrix, in the order in which they are rated; one that is repeated is rated once.
        progress: called with each rating.
    """
    ratings = []
    for guess in dict.fromkeys(guesses):
        ratings.append(search.rate(guess))
        progress(ratings[-1])
    return GuessRanking(_ranked(search, ratings), False)


def best_guesses(
    search: Search, n_shown: int, jobs: int = 1, progress: Callable[[Proof], object] = lambda _: None
) -> GuessRanking:
    """Return the best guess that the search finds, beside the most promising ones, rated too.

    A search without a width rates or refutes every guess, so that the first one is optimal. One with a width looks for
    the best among as many first guesses as it is wide.

    Args:
        search: what rates the guesses.
        n_shown: how many guesses come back at most.
        jobs: threads that refute guesses, where many answers are left and the search has no width.
        progress: called now and then with what has been refuted, where threads do it.
    """
    is_exact = search.width is None
    if is_exact and len(search.position.candidates) > MAX_SOLVED_AT_ONCE:
        best = prove(search.position, None, jobs, progress).best
    else:
        best = search.best()
    found = [best] if best.bound < INFEASIBLE else []
    if is_exact and not found:
        return GuessRanking((), True)
    others = [row for row in promising(search.position)[:n_shown].tolist() if not found or row != best.guess]
    ratings = [*found, *(search.rate(row) for row in others[: n_shown - len(found)])]
    return GuessRanking(_ranked(search, ratings), is_exact)


def _ranked(search: Search, ratings: Sequence[Rating]) -> tuple[Rating, ...]:
    answers = set(search.position.own.tolist())
    return tuple(sorted(ratings, key=lambda rating: (rating.bound, rating.guess not in answers)))
