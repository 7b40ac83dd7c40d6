"""Proofs that an opener is optimal: every other opener is solved, or refuted by a bound on its total.

Each line of a proof's log is checked when it is read.
"""

import fcntl
import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import msgspec
import numpy as np

from wordpl.core import bounded
from wordpl.core.files import Appender, complete_lines, complete_lines_of, truncate_torn_tail
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.position import Position, promising
from wordpl.solvers.search.problem import RULE, Problem
from wordpl.solvers.search.search import ClassicSearch, Rating

FORMAT = 3
METHOD = 4
"""The version of the search; increase it with every change that may lead to other bounds."""
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
        answers, guesses: The SHA-256 of these words in alphabetical order, as in `WordLists.set_sha256`.
        limit: The largest number of guesses in the game; None for any number.
        is_hard: Whether it is played in hard mode.
        prior: The SHA-256 of the probabilities in alphabetical order, "" if all answers are equally likely.
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

    @classmethod
    def of(cls, problem: Problem) -> "ProofClaim":
        """Return the claim of a proof about this problem."""
        sha256 = problem.lists.set_sha256
        by_word = np.argsort(problem.lists.answers)
        prior = "" if problem.prior is None else hashlib.sha256(problem.prior[by_word].tobytes()).hexdigest()
        hints = tuple(sorted(":".join(hint) for hint in problem.hints))
        return cls(hints, sha256["answers"], sha256["guesses"], problem.limit, problem.is_hard, prior)

    def head(self) -> dict[str, Any]:
        """Return the first line of a log about this claim, as a JSON object without its digest."""
        return {"format": FORMAT} | asdict(self) | {"hints": list(self.hints)}


class _BoundLine(msgspec.Struct, forbid_unknown_fields=True):
    opener: str
    bound: int
    solved: bool


class ProofLog(AbstractContextManager["ProofLog"]):
    """The log file of a proof, which is created if it does not exist, and locked until it is closed.

    Args:
        path: The file.
        claim: What is to be proved.
        words: The words of all guesses, by row.
        openers: The rows of the legal first guesses.
        weights: The weight of each answer that is still possible, in any order.

    Raises:
        UserError: Another process has the file open, it is about another claim, or a line is not what a proof writes.
            The file is not changed.

    Attributes:
        ratings: The rating of each opener in the file, by its row.
    """

    def __init__(
        self, path: Path, claim: ProofClaim, words: Sequence[str], openers: Iterable[int], weights: Sequence[int]
    ):
        self.path, self.words = path, words
        self.ratings: dict[int, Rating] = {}
        self._chain = ""
        self._log = Appender(path)
        try:
            try:
                fcntl.flock(self._log.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UserError(f"another process is working on the proof in {path}.") from None
            self._read(claim, {words[row]: int(row) for row in openers}, weights)
        except BaseException:
            self.close()
            raise

    def _read(self, claim: ProofClaim, row_of: dict[str, int], weights: Sequence[int]) -> None:
        if not self.path.stat().st_size:
            self._append(msgspec.json.encode(claim.head()))
            return
        self.ratings, self._chain = _checked_lines(self.path, claim, row_of, weights)
        truncate_torn_tail(self.path)

    def add(self, ratings: Sequence[Rating]) -> None:
        """Append ratings to the file."""
        for rating in ratings:
            self._append(msgspec.json.encode(_BoundLine(self.words[rating.guess], rating.bound, rating.is_exact)))
        self._log.sync()

    def _append(self, body: bytes) -> None:
        line, self._chain = chained(body, self._chain)
        self._log.add(line + b"\n", sync=False)

    def close(self) -> None:
        """Close the file, so that another process may work on it."""
        self._log.close()

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self.close()


def _checked_lines(
    path: Path, claim: ProofClaim, row_of: dict[str, int], weights: Sequence[int]
) -> tuple[dict[int, Rating], str]:
    """Return the rating of each opener in a log, by its row and in the order of the lines, and the last digest.

    Raises:
        UserError: The log is about another claim, or a line is not what a proof writes.
    """
    text, ratings, chain = bounded.read_if_exists(bounded.OWN_LOG, path), dict[int, Rating](), ""
    lines, after = complete_lines_of(text), text.partition(b"\0")[2].lstrip(b"\0")
    if after and not after.startswith(b"{"):
        raise UserError(f"{path} has zero bytes within a line, which no proof wrote: prove anew with another --log.")
    if reasons := differences(_head_of(lines), claim.head()):
        advice = "Give the options with which it was proved, or another log"
        raise UserError(f"{path} is about something else: {'; '.join(reasons)}. {advice}.")
    total, n = int(sum(weights)), len(weights)
    bounds = range(2 * total - int(max(weights)), total * max(n + 1, claim.limit or 0) + 1)
    for number, line in enumerate(lines, start=1):
        try:
            body, chain = unchained(line, chain)
            if number > 1:
                bound = msgspec.json.decode(body, type=_BoundLine)
                rating = _rating_of(bound, row_of, bounds)
                if rating.guess in ratings:
                    raise ValueError(f"{bound.opener} occurs twice")
                ratings[rating.guess] = rating
        except (ValueError, msgspec.DecodeError) as error:
            reason = sanitize_untrusted_text(str(error), SHOWN_CHARACTERS)
            raise UserError(
                f"line {number} of {path} is not what a proof wrote ({reason}): prove anew with another --log."
            ) from None
    return ratings, chain


def _rating_of(line: _BoundLine, row_of: dict[str, int], bounds: range) -> Rating:
    if line.opener not in row_of:
        raise ValueError(f"{line.opener} is no first guess here")
    if line.bound not in bounds and not (line.bound == INFEASIBLE and not line.solved):
        raise ValueError(f"no total is {line.bound}")
    return Rating(row_of[line.opener], line.bound, line.solved)


def chained(body: bytes, before: str) -> tuple[bytes, str]:
    """Return an object of JSON with its digest as last field, and this digest.

    Args:
        body: The object without the field.
        before: The digest of the line before it, "" for the first line.
    """
    chain = hashlib.sha256(before.encode() + body).hexdigest()
    return body[:-1] + f',"chain":"{chain}"}}'.encode(), chain


def unchained(line: bytes, before: str) -> tuple[bytes, str]:
    """Return the object of a line without its digest, and the digest; the inverse of `chained`.

    Raises:
        ValueError: The digest is not that of the text and of the lines before it.
    """
    body = line.rpartition(b',"chain":')[0] + b"}"
    expected, chain = chained(body, before)
    if line != expected:
        raise ValueError("its digest is not that of its text and the lines before it")
    return body, chain


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
        shown = _shown_value(found["format"])
        return [f"the log has format {shown}{lacks}; this version reads only format {asked['format']}"]
    unknown = [_shown_value(field) for field in found if field not in {*asked, "chain"}]
    return [
        *(f"the log has the unknown field {field}" for field in unknown),
        *(
            f"the log has {name} {_shown_value(found.get(field))} instead of {_shown_value(asked[field])}"
            for field, name in NAMES.items()
            if found.get(field) != asked[field] or type(found.get(field)) is not type(asked[field])
        ),
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
        head = msgspec.json.decode(lines[0])
    except (ValueError, IndexError):
        return {}
    return head if isinstance(head, dict) else {}


def open_log(path: Path, problem: Problem, position: Position) -> ProofLog:
    """Return the log of a proof about this problem, whose position is given because it takes long to make.

    Raises:
        UserError: See `ProofLog`.
    """
    rows, weights = _openers_and_weights(problem, position)
    return ProofLog(path, _claim(path, problem), problem.lists.guesses, rows.values(), weights)


def read_log(path: Path, problem: Problem, position: Position) -> dict[int, Rating]:
    """Return the rating of each opener in the log of a proof about this problem, in the order of its lines.

    Raises:
        UserError: The log is about something else, or a line is not what a proof writes.
    """
    return _checked_lines(path, _claim(path, problem), *_openers_and_weights(problem, position))[0]


def _openers_and_weights(problem: Problem, position: Position) -> tuple[dict[str, int], list[int]]:
    weights = np.ones(len(position.candidates), int) if position.weights is None else position.weights
    rows = range(len(position.matrix)) if position.guesses is None else position.guesses.tolist()
    return {problem.lists.guesses[row]: row for row in rows}, weights.tolist()


def _claim(path: Path, problem: Problem) -> ProofClaim:
    """Return the claim of a proof about this problem in the form of its log; those of 1.0.0 name ordered lists."""
    claim, sha256 = ProofClaim.of(problem), problem.lists.sha256
    in_order = replace(claim, answers=sha256["answers"], guesses=sha256["guesses"])
    is_ordered = path.exists() and not differences(_head_of(complete_lines(path)), in_order.head())
    return in_order if is_ordered else claim


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
    quick, exact = ClassicSearch(position, FIRST_WIDTH), ClassicSearch(position)
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
    searches = _searches(position, jobs)
    left = [int(row) for row in openers if proof.bounds.get(int(row), -1) < proof.best.bound]
    size = CHUNK[position.letters is not None]
    tasks = (delayed(_refute)(searches, left[i : i + size], proof) for i in range(0, len(left), size))
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


def false_bounds(
    position: Position, ratings: Sequence[Rating], jobs: int, progress: Callable[[int], object]
) -> list[tuple[Rating, Rating]]:
    """Search each bound again until one does not hold.

    Solved openers come first, those with the smallest totals before others, and then the most promising ones.

    Args:
        position: The game.
        ratings: The bounds.
        jobs: The number of threads.
        progress: Called with the number of bounds after every few.

    Returns:
        Bounds that do not hold, each with what was found; empty if all hold.
    """
    from joblib import Parallel, delayed

    rank = {int(row): i for i, row in enumerate(promising(position))}
    ordered = sorted(ratings, key=lambda said: (not said.is_exact, said.is_exact and said.bound, rank[said.guess]))
    searches = _searches(position, jobs)
    size, false = CHUNK[position.letters is not None], list[tuple[Rating, Rating]]()
    chunks = (ordered[i : i + size] for i in range(0, len(ordered), size) if not false)
    tasks = (delayed(_search_again)(searches, chunk) for chunk in chunks)
    outcomes = Parallel(jobs, backend="threading", return_as="generator_unordered", pre_dispatch=jobs)(tasks)
    try:
        for pairs in outcomes:
            progress(len(pairs))
            false += [pair for pair in pairs if not _holds(*pair)]
    finally:
        outcomes.close()
    return false


def _search_again(searches: "SimpleQueue[ClassicSearch]", ratings: Sequence[Rating]) -> list[tuple[Rating, Rating]]:
    """Return each bound with what a search finds that need not find more."""
    search = searches.get()
    try:
        return [
            (said, search.rate(said.guess, said.bound + 1) if said.is_exact else _rated(search, said.guess, said.bound))
            for said in ratings
        ]
    finally:
        searches.put(search)


def _holds(said: Rating, found: Rating) -> bool:
    return found == said if said.is_exact else found.bound >= said.bound


def _searches(position: Position, jobs: int) -> "SimpleQueue[ClassicSearch]":
    """Return a search for each thread."""
    searches: SimpleQueue[ClassicSearch] = SimpleQueue()
    first = ClassicSearch(position)
    for search in [first, *(first.twin() for _ in range(jobs - 1))]:
        searches.put(search)
    return searches


def _confirmed(position: Position, found: Rating, logged: dict[int, Rating]) -> Rating:
    """Return the best opener, found now or in the log, after searching its total again."""
    totals = [rating for rating in logged.values() if rating.is_exact and rating.bound <= found.bound]
    best = min([found, *totals], key=lambda rating: rating.bound)
    again = found if best is found else ClassicSearch(position).rate(best.guess, best.bound + 1)
    for rating in (found, again):
        before = logged.get(rating.guess, rating)
        if before.bound > rating.bound or (before.is_exact and before.bound != rating.bound):
            raise UserError(
                f"the log says {before.bound:,} of an opener whose total is {rating.bound:,}: prove anew with another "
                "--log."
            )
    return again


def _refute(searches: "SimpleQueue[ClassicSearch]", openers: Sequence[int], proof: Proof) -> list[Rating]:
    """Return for each opener its total or a bound that is at least the best known total."""
    search = searches.get()
    try:
        return [_rated(search, opener, proof.best.bound) for opener in openers]
    finally:
        searches.put(search)


def _rated(search: ClassicSearch, opener: int, beta: int) -> Rating:
    """Return the opener's total or a bound of at least beta, trying first a quicker refutation without the limit."""
    if search.position.left is None or beta == INFEASIBLE:
        return search.rate(opener, beta)
    rating = search.rate(opener, beta, is_limited=False)
    if not rating.is_exact:
        return rating
    limited = search.rate(opener, beta)
    return limited if limited.is_exact else replace(limited, bound=max(beta, limited.bound))
