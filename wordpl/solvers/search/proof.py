"""Proofs that an opener is optimal: every other opener is refuted by a bound on its total, or solved.

The log of a proof is a JSON Lines file: first the claim, then each opener with the bound that refuted it. Lines are
only appended, so that an interrupted proof can resume. Openers are first refuted without the limit of guesses, which
can only increase totals; those that remain are searched with the limit.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from wordpl.core.errors import UserError
from wordpl.core.files import complete_lines, truncate_torn_tail
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position, promising
from wordpl.solvers.search.problem import RULE, Problem
from wordpl.solvers.search.search import Rating, Search

FORMAT = 2
METHOD = 2
"""The version of the search; increase it with every change that may lead to other bounds."""
N_TRIED_FIRST, N_SOLVED_FIRST = 20, 3
FIRST_WIDTH = 10
CHUNK = {False: 16, True: 2}  # openers per task of a thread, by hard mode
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
"""Names of the fields of a claim in messages."""
SHOWN_CHARACTERS = 80


@dataclass(frozen=True)
class ProofClaim:
    """The problem that a log is about: everything that determines its bounds.

    Attributes:
        hints: Guesses with their clues, like `raise:c...i`, sorted because their order is irrelevant.
        answers: The SHA-256 of the list of answers.
        guesses: The SHA-256 of the list of guesses.
        limit: The largest number of guesses in the game; None for any number.
        is_hard: Whether it is played in hard mode.
        prior: The SHA-256 of the probabilities, "" if all answers are equally likely.
        clue_rule: The clue rule, a key of `clues.CLUE_RULES`.
        method: The version of the search.
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
        """Return the first line of a log about this claim, as a JSON object."""
        return {"format": FORMAT} | asdict(self) | {"hints": list(self.hints)}


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


class ProofLog:
    """The log file of a proof, which is created if it does not exist.

    Args:
        path: The file.
        claim: What is to be proved.
        words: The words of all guesses, by row.

    Raises:
        UserError: The file is about another claim; it is not changed.
    """

    def __init__(self, path: Path, claim: ProofClaim, words: Sequence[str]):
        self.path, self.words = path, words
        if not path.exists():
            path.write_text(json.dumps(claim.head()) + "\n")
        lines = complete_lines(path)
        if reasons := differences(_head_of(lines), claim.head()):
            raise UserError(f"cannot resume from {path}: {'; '.join(reasons)}. Choose another file with --log.")
        truncate_torn_tail(path)
        self.lines = [json.loads(line) for line in lines]

    def bounds(self) -> dict[int, int]:
        """Return the bounds proved so far, by row of the opener."""
        row_of = {word: row for row, word in enumerate(self.words)}
        return {row_of[line["opener"]]: line["bound"] for line in self.lines[1:]}

    def add(self, ratings: Sequence[Rating]) -> None:
        """Append bounds to the file."""
        with self.path.open("a") as file:
            for rating in ratings:
                line = {"opener": self.words[rating.guess], "bound": rating.bound, "solved": rating.is_exact}
                file.write(json.dumps(line) + "\n")


def differences(found: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """Return, in words, how the first line of a log differs from the expected one.

    >>> asked = ProofClaim((), "f40e", "feac", 6, False).head()
    >>> differences(asked | {"hints": ["raise:c...i"], "limit": 5}, asked)
    ['the log has hints raise:c...i instead of none', 'the log has limit 5 instead of 6']
    """
    if "format" not in found:
        return ["it is not the log of a proof"]
    if found["format"] != asked["format"]:
        missing = ", ".join(NAMES[field] for field in asked if field not in found)
        lacks = f" and lacks {missing}" if missing else ""
        return [f"the log has format {found['format']}{lacks}; this version reads only format {asked['format']}"]
    return [
        f"the log has {name} {_shown_value(found.get(field))} instead of {_shown_value(asked[field])}"
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
    """Return the first line of a log, or an empty dict if it is not a JSON object."""
    try:
        head = json.loads(lines[0])
    except (ValueError, IndexError):
        return {}
    return head if isinstance(head, dict) else {}


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


def claim_of(problem: Problem) -> ProofClaim:
    """Return the claim of a proof about this problem."""
    sha256 = problem.lists.sha256
    prior = "" if problem.prior is None else hashlib.sha256(problem.prior.tobytes()).hexdigest()
    hints = tuple(sorted(":".join(hint) for hint in problem.hints))
    return ProofClaim(hints, sha256["answers"], sha256["guesses"], problem.limit, problem.is_hard, prior)
