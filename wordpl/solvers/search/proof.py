"""The proof that no opener is better: each one is refuted by a bound on its total, or solved.

The log is a file of JSON lines: what is proved, then each opener with the bound that refuted it. It only grows, so that
an interrupted proof goes on where it was. Openers are refuted without the limit of guesses, which only raises totals;
one that this does not refute is searched with it.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from wordpl.core.errors import UserError
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position, promising
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.search import Rating, Search

FORMAT = 1
N_TRIED_FIRST, N_SOLVED_FIRST = 20, 3
FIRST_WIDTH = 10
CHUNK = {False: 16, True: 2}  # openers that a thread takes at a time, by hard mode


@dataclass(frozen=True)
class Claim:
    """What a log is about: the SHA-256 of the word lists, the limit of guesses, hard mode, and of the prior if any."""

    answers: str
    guesses: str
    limit: int | None
    is_hard: bool
    prior: str = ""


@dataclass
class Proof:
    """How far a proof has come.

    best: the opener with the least total found, solved exactly
    bounds: of every opener refuted or solved so far, by its row
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
        """How many openers have a bound that is no less than the best total."""
        return sum(bound >= self.best.bound for bound in self.bounds.values())


class Log:
    """The file of a proof. Raises UserError where it is about something else."""

    def __init__(self, path: Path, claim: Claim, words: Sequence[str]):
        self.path, self.words = path, words
        head = {"format": FORMAT} | asdict(claim)
        if not path.exists():
            path.write_text(json.dumps(head) + "\n")
        text = path.read_text()
        whole = text[: text.rfind("\n") + 1]  # without a last line that was cut off
        if whole != text:
            path.write_text(whole)
        self.lines = [json.loads(line) for line in whole.splitlines()] or [{}]
        if self.lines[0] != head:
            raise UserError(f"{path} is the log of another proof: {self.lines[0]}, not {head}.")

    def bounds(self) -> dict[int, int]:
        """Return the bounds proved so far, by the rows of the openers."""
        row_of = {word: row for row, word in enumerate(self.words)}
        return {row_of[line["opener"]]: line["bound"] for line in self.lines[1:]}

    def add(self, ratings: Sequence[Rating]) -> None:
        """Write down what has been proved."""
        with self.path.open("a") as file:
            for rating in ratings:
                line = {"opener": self.words[rating.guess], "bound": rating.bound, "solved": rating.is_exact}
                file.write(json.dumps(line) + "\n")


def good_opener(position: Position, openers: np.ndarray) -> Rating:
    """Return an opener that is likely the best, solved exactly."""
    quick, exact = Search(position, FIRST_WIDTH), Search(position)
    rough = sorted((quick.rate(guess) for guess in openers[:N_TRIED_FIRST]), key=lambda rating: rating.bound)
    best = rough[0]
    for rating in rough[:N_SOLVED_FIRST]:
        solved = exact.rate(rating.guess, min(best.bound + 1, INFEASIBLE))
        best = solved if solved.is_exact else best
    return best


def prove(position: Position, log: Log, jobs: int, show: Callable[[Proof], None]) -> Proof:
    """Refute or solve every opener, and return the proof; `show` is called after every few."""
    from joblib import Parallel, delayed

    openers = promising(position)
    proof = Proof(good_opener(position, openers), log.bounds(), len(openers))
    show(proof)
    searches: SimpleQueue[Search] = SimpleQueue()
    first = Search(position)
    for search in [first, *(first.twin() for _ in range(jobs - 1))]:
        searches.put(search)
    left = [int(row) for row in openers if proof.bounds.get(int(row), -1) < proof.best.bound]
    tasks = (delayed(_refute)(searches, chunk, proof) for chunk in _chunks(left, CHUNK[first.tools.terms.is_hard]))
    outcomes = Parallel(jobs, backend="threading", return_as="generator_unordered", pre_dispatch=jobs)(tasks)
    try:
        for ratings in outcomes:
            log.add(ratings)
            proof.bounds |= {rating.guess: rating.bound for rating in ratings}
            proof.best = min([proof.best, *(r for r in ratings if r.is_exact)], key=lambda rating: rating.bound)
            show(proof)
    finally:
        outcomes.close()
    return proof


def _chunks(rows: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _refute(searches: "SimpleQueue[Search]", openers: Sequence[int], proof: Proof) -> list[Rating]:
    """Return a bound for each opener that is not below the best total known now, or the total itself."""
    search = searches.get()
    try:
        return [_rated(search, opener, proof.best.bound) for opener in openers]
    finally:
        searches.put(search)


def _rated(search: Search, opener: int, beta: int) -> Rating:
    rating = search.rate(opener, beta, is_limited=False)
    if rating.is_exact and search.position.left is not None:
        limited = search.rate(opener, beta)
        return limited if limited.is_exact else replace(limited, bound=max(beta, limited.bound))
    return rating


def claim_of(problem: Problem) -> Claim:
    """Return what a proof about the problem is about."""
    sha256 = problem.lists.sha256
    prior = "" if problem.prior is None else hashlib.sha256(problem.prior.tobytes()).hexdigest()
    return Claim(sha256["answers"], sha256["guesses"], problem.limit, problem.is_hard, prior)
