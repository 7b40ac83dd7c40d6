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
from typing import Any

import numpy as np

from wordpl.core import append_log
from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position, promising
from wordpl.solvers.search.problem import RULE, Problem
from wordpl.solvers.search.search import Rating, Search

FORMAT = 2
METHOD = 2
"""The version of the search: to be raised with any change after which it could find another bound for an opener."""
N_TRIED_FIRST, N_SOLVED_FIRST = 20, 3
FIRST_WIDTH = 10
CHUNK = {False: 16, True: 2}  # openers that a thread takes at a time, by hard mode
NAMES = {
    "hints": "hints",
    "answers": "answers with SHA-256",
    "guesses": "guesses with SHA-256",
    "limit": "limit",
    "is_hard": "hard mode",
    "prior": "prior with SHA-256",
    "clue_rule": "clue rule",
    "method": "search version",
}
"""What the fields of a claim are called where logs differ."""
SHOWN_CHARACTERS = 80


@dataclass(frozen=True)
class Claim:
    """What a log is about: all that decides the bounds in it.

    hints: guesses with their clues, as `raise:c...i`, sorted, as their order decides nothing
    answers, guesses: the SHA-256 of the word lists; prior: that of the probabilities, empty where there are none
    limit: the most guesses from the beginning; clue_rule: a name of `wordpl.clues.CLUE_RULES`
    method: the version of the search
    """

    hints: tuple[str, ...]
    answers: str
    guesses: str
    limit: int | None
    is_hard: bool
    prior: str = ""
    clue_rule: str = RULE
    method: int = METHOD

    def head(self) -> dict[str, Any]:
        """Return the first line of a log that is about this, as JSON holds it."""
        return {"format": FORMAT} | asdict(self) | {"hints": list(self.hints)}


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
    """The file of a proof. Raises UserError where it is about something else, and leaves it as it is."""

    def __init__(self, path: Path, claim: Claim, words: Sequence[str]):
        self.path, self.words = path, words
        if not path.exists():
            path.write_text(json.dumps(claim.head()) + "\n")
        lines = append_log.complete_lines(path)
        if reasons := differences(_head_of(lines), claim.head()):
            raise UserError(f"{path} can't be gone on with: {'; '.join(reasons)}. Name another file with --log.")
        append_log.truncate_torn_tail(path)
        self.lines = [json.loads(line) for line in lines]

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


def differences(found: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """Return in words why a log with this first line is not one of what is asked for; none where it is.

    >>> asked = Claim((), "f40e", "feac", 6, False).head()
    >>> differences(asked | {"hints": ["raise:c...i"], "limit": 5}, asked)
    ['the log is about hints raise:c...i, you asked for none', 'the log is about limit 5, you asked for 6']
    """
    if "format" not in found:
        return ["it is no log of a proof"]
    if found["format"] != asked["format"]:
        missing = ", ".join(NAMES[field] for field in asked if field not in found)
        reason = f", which does not say: {missing}" if missing else ""
        return [f"the log has format {found['format']}, this version reads {asked['format']} alone{reason}"]
    return [
        f"the log is about {name} {_shown_value(found.get(field))}, you asked for {_shown_value(asked[field])}"
        for field, name in NAMES.items()
        if found.get(field) != asked[field]
    ]


def _shown_value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return sanitize_untrusted_text(str(value), SHOWN_CHARACTERS) if value not in (None, "") else "none"


def _head_of(lines: Sequence[bytes]) -> dict[str, Any]:
    """Return the first line of a log; empty where it is no such line."""
    try:
        head = json.loads(lines[0])
    except (ValueError, IndexError):
        return {}
    return head if isinstance(head, dict) else {}


def good_opener(position: Position, openers: np.ndarray) -> Rating:
    """Return an opener that is likely the best, solved exactly."""
    quick, exact = Search(position, FIRST_WIDTH), Search(position)
    rough = sorted((quick.rate(guess) for guess in openers[:N_TRIED_FIRST]), key=lambda rating: rating.bound)
    best = rough[0]
    for rating in rough[:N_SOLVED_FIRST]:
        solved = exact.rate(rating.guess, min(best.bound + 1, INFEASIBLE))
        best = solved if solved.is_exact else best
    return best


def prove(position: Position, log: Log | None, jobs: int, progress: Callable[[Proof], object]) -> Proof:
    """Refute or solve every opener.

    Args:
        position: the game, at its beginning or after some clues.
        log: what has been proved before, and where the rest is written down; None keeps nothing.
        jobs: threads at work.
        progress: called after every few openers.

    Returns:
        The proof, complete.
    """
    from joblib import Parallel, delayed

    openers = promising(position)
    proof = Proof(good_opener(position, openers), log.bounds() if log else {}, len(openers))
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
    """Return the opener's total, or a bound of at least beta; a refutation without the limit is quicker."""
    if search.position.left is None or beta == INFEASIBLE:
        return search.rate(opener, beta)
    rating = search.rate(opener, beta, is_limited=False)
    if not rating.is_exact:
        return rating
    limited = search.rate(opener, beta)
    return limited if limited.is_exact else replace(limited, bound=max(beta, limited.bound))


def claim_of(problem: Problem) -> Claim:
    """Return what a proof about the problem is about."""
    sha256 = problem.lists.sha256
    prior = "" if problem.prior is None else hashlib.sha256(problem.prior.tobytes()).hexdigest()
    hints = tuple(sorted(":".join(hint) for hint in problem.hints))
    return Claim(hints, sha256["answers"], sha256["guesses"], problem.limit, problem.is_hard, prior)
