"""Proofs that an opener is optimal: every other opener is refuted by a bound on its total, or solved.

Openers are first refuted without the limit of guesses, which can only increase totals; those that remain are searched
with the limit. What was found before, in the log of an interrupted proof, is not searched again.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from queue import SimpleQueue

import numpy as np

from wordpl.core.errors import UserError
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position, promising
from wordpl.solvers.search.proof_log import ProofLog
from wordpl.solvers.search.search import Rating, Search

N_TRIED_FIRST, N_SOLVED_FIRST = 20, 3
FIRST_WIDTH = 10
CHUNK = {False: 16, True: 2}  # openers per task of a thread, by hard mode


@dataclass
class Proof:
    """The state of a proof.

    Attributes:
        best: The opener with the smallest total found, solved exactly.
        bounds: The bound of each opener refuted or solved so far, by its row.
        n_openers: The number of openers.
    """

    best: Rating
    bounds: dict[int, int]
    n_openers: int

    @property
    def is_complete(self) -> bool:
        """Whether every opener has been refuted or solved."""
        return self.n_proved == self.n_openers

    @property
    def n_proved(self) -> int:
        """How many openers have a bound of at least the best total."""
        return sum(bound >= self.best.bound for bound in self.bounds.values())


def good_opener(position: Position, openers: np.ndarray) -> Rating:
    """Return an opener that is likely to be the best, solved exactly."""
    quick, exact = Search(position, FIRST_WIDTH), Search(position)
    rough = sorted((quick.rate(guess) for guess in openers[:N_TRIED_FIRST]), key=lambda rating: rating.bound)
    best = rough[0]
    for rating in rough[:N_SOLVED_FIRST]:
        solved = exact.rate(rating.guess, min(best.bound + 1, INFEASIBLE))
        best = solved if solved.is_exact else best
    return best


def prove(position: Position, log: ProofLog | None, jobs: int, progress: Callable[[Proof], object]) -> Proof:
    """Refute or solve every opener.

    Args:
        position: The game, at its beginning or after some clues.
        log: The log with the bounds proved before, to which new ones are appended; None for no log.
        jobs: The number of threads.
        progress: Called with the proof after every few openers.

    Returns:
        The complete proof.

    Raises:
        UserError: The log contradicts the totals of the best openers, which are searched again.
    """
    from joblib import Parallel, delayed

    openers = promising(position)
    logged = log.ratings if log else {}
    best = _confirmed(position, good_opener(position, openers), logged)
    proof = Proof(best, {row: rating.bound for row, rating in logged.items()}, len(openers))
    if best.is_exact and best.guess not in logged:
        proof.bounds[best.guess] = best.bound
        if log:
            log.add([best])
    progress(proof)
    searches: SimpleQueue[Search] = SimpleQueue()
    first = Search(position)
    for search in [first, *(first.twin() for _ in range(jobs - 1))]:
        searches.put(search)
    left = [int(row) for row in openers if proof.bounds.get(int(row), -1) < proof.best.bound]
    tasks = (delayed(_refute)(searches, chunk, proof) for chunk in _chunks(left, CHUNK[first.tools.terms.is_hard]))
    outcomes = Parallel(jobs, backend="threading", return_as="generator_unordered", pre_dispatch=jobs)(tasks)
    try:
        for ratings in outcomes:
            if log:
                log.add(ratings)
            proof.bounds |= {rating.guess: rating.bound for rating in ratings}
            proof.best = min([proof.best, *(r for r in ratings if r.is_exact)], key=lambda rating: rating.bound)
            progress(proof)
    finally:
        outcomes.close()
    return proof


def _confirmed(position: Position, found: Rating, logged: dict[int, Rating]) -> Rating:
    """Return the best opener, found now or in the log, after searching its total again."""
    totals = [rating for rating in logged.values() if rating.is_exact and rating.bound <= found.bound]
    best = min([found, *totals], key=lambda rating: rating.bound)
    again = found if best is found else Search(position).rate(best.guess, best.bound + 1)
    for rating in (found, again):
        before = logged.get(rating.guess, rating)
        if before.bound > rating.bound or (before.is_exact and before.bound != rating.bound):
            raise UserError(
                f"the log says {before.bound:,} of an opener whose total is {rating.bound:,}: prove anew with another "
                "--log."
            )
    return again


def _chunks(rows: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _refute(searches: "SimpleQueue[Search]", openers: Sequence[int], proof: Proof) -> list[Rating]:
    """Return for each opener its total or a bound that is at least the best known total."""
    search = searches.get()
    try:
        return [_rated(search, opener, proof.best.bound) for opener in openers]
    finally:
        searches.put(search)


def _rated(search: Search, opener: int, beta: int) -> Rating:
    """Return the opener's total or a bound of at least beta, trying first a quicker refutation without the limit."""
    if search.position.left is None or beta == INFEASIBLE:
        return search.rate(opener, beta)
    rating = search.rate(opener, beta, is_limited=False)
    if not rating.is_exact:
        return rating
    limited = search.rate(opener, beta)
    return limited if limited.is_exact else replace(limited, bound=max(beta, limited.bound))
