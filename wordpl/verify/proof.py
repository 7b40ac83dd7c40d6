"""A second reading of the log of a proof: each line, and a sample of the bounds, which are searched again.

It uses nothing of the search that wrote the log; see `wordpl.verify.opener_bounds`. Whoever edits a log can also make
its digests anew, but not make a bound true: what a log claims is therefore only as certain as the sample is large.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.core import bounded
from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.words import WordLists
from wordpl.verify.opener_bounds import INFEASIBLE, OpenerBounds, Question, TooMuchWorkError

FORMAT = 3
CLUE_RULE = "counted"
MAX_LIMIT = 63
PRIOR_UNIT = 1 << 26
"""With a prior, totals count in units of 1/PRIOR_UNIT of the probability of all answers."""
MAX_WORK = 2e10
CHAIN_DIGITS = 64
SHOWN_CHARACTERS = 60


@dataclass(frozen=True)
class LoggedBound:
    """A line of a log.

    Attributes:
        line: The number of the line.
        opener: The first guess.
        bound: The bound on its total.
        is_total: Whether it is the total.
    """

    line: int
    opener: str
    bound: int
    is_total: bool


@dataclass(frozen=True)
class CheckedProof:
    """What a check of a log found.

    Attributes:
        n_openers: The number of first guesses.
        n_bounds: How many of them have a bound.
        best: The line with the smallest total; None if no opener was solved.
        is_complete: Whether each opener has a bound of at least this total.
        checked: The openers whose bounds were searched again.
        undecided: Those of them whose search took too long.
        faults: The bounds that do not hold, as sentences.
        unit: The weight of all answers in totals; None if each answer counts once.
        n_possible: The number of answers.
    """

    n_openers: int
    n_bounds: int
    best: LoggedBound | None
    is_complete: bool
    checked: tuple[str, ...]
    undecided: tuple[str, ...]
    faults: tuple[str, ...]
    unit: int | None
    n_possible: int

    @property
    def chance_to_find_one(self) -> float:
        """The probability with which this sample contains a given line of the log."""
        return (len(self.checked) - len(self.undecided)) / max(1, self.n_bounds)

    def chance_to_find(self, share: float) -> float:
        """Return the probability with which this sample contains a false bound if this share of them is false."""
        n_false, chance = max(1, round(share * self.n_bounds)), 1.0
        for i in range(len(self.checked) - len(self.undecided)):
            chance *= max(0, self.n_bounds - n_false - i) / (self.n_bounds - i)
        return 1 - chance


def check(
    path: Path,
    lists: WordLists,
    sample: tuple[int, np.random.Generator],
    prior: NDArray[np.float64] | None = None,
    progress: Callable[[str], object] = lambda opener: None,
) -> CheckedProof:
    """Read the log of a proof, and search a random sample of its bounds again.

    Args:
        path: The log.
        lists: The word lists of the proof.
        sample: How many bounds to search again, and the generator that draws them.
        prior: The probability of each answer; None if all are equally likely.
        progress: Called with each opener that was searched again.

    Raises:
        UserError: A line is not what a proof writes, or the log is about other lists or another prior.
    """
    lines = bounded.read(bounded.PROOF_LOG, path).split(b"\n")[:-1]
    objects = list(_chained(lines))
    question = _question(objects[0] if objects else {}, lists, prior)
    search = OpenerBounds(question, MAX_WORK)
    bounds = _bounds(objects[1:], search, question)
    n_checked = min(sample[0], len(bounds))
    chosen = [list(bounds.values())[i] for i in sample[1].permutation(len(bounds))[:n_checked]]
    faults, undecided = [], []
    for logged in chosen:
        try:
            faults += _faults(logged, search)
        except TooMuchWorkError:
            undecided.append(logged.opener)
        progress(logged.opener)
    totals = [logged for logged in bounds.values() if logged.is_total]
    best = min(totals, key=lambda logged: logged.bound) if totals else None
    least = best.bound if best else INFEASIBLE
    return CheckedProof(
        n_openers=len(search.openers),
        n_bounds=len(bounds),
        best=best,
        is_complete=len(bounds) == len(search.openers) and all(logged.bound >= least for logged in bounds.values()),
        checked=tuple(logged.opener for logged in chosen),
        undecided=tuple(undecided),
        faults=tuple(faults),
        unit=None if prior is None else search.total_weight,
        n_possible=search.n_possible,
    )


def _chained(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """Return the objects of all lines after checking the digest that chains each line to those before it."""
    chain, objects = "", []
    for number, line in enumerate(lines, start=1):
        cut = len(line) - len(b',"chain":""}') - CHAIN_DIGITS
        body = line[: max(0, cut)] + b"}"
        chain = hashlib.sha256(chain.encode() + body).hexdigest()
        if line[max(0, cut) :] != f',"chain":"{chain}"}}'.encode():
            raise UserError(
                f"line {number} of the log was edited, or one before it: its digest is not that of its text."
            )
        objects.append(_object(body, number))
    return objects


def _object(body: bytes, number: int) -> dict[str, Any]:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        pairs = json.loads(body, parse_constant=refuse, object_pairs_hook=list)
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise ValueError("a field occurs twice")
    except (ValueError, TypeError, RecursionError):
        raise UserError(f"line {number} of the log is not an object of JSON with each field once.") from None
    return fields


def _question(head: dict[str, Any], lists: WordLists, prior: NDArray[np.float64] | None) -> Question:
    """Return the question that the first line of a log states, if it is about these lists and this prior."""
    if head.get("format") != FORMAT or head.get("clue_rule") != CLUE_RULE:
        raise UserError(f"this is not the log of a proof in format {FORMAT}.")
    weights = [1] * len(lists.answers)
    if prior is not None:
        scale = PRIOR_UNIT / float(prior.sum())
        weights = [max(1, round(chance * scale)) if chance > 0 else 0 for chance in prior.tolist()]
    digest = "" if prior is None else hashlib.sha256(prior.tobytes()).hexdigest()
    expected = {"answers": lists.sha256["answers"], "guesses": lists.sha256["guesses"], "prior": digest}
    for name, value in expected.items():
        if head.get(name) != value:
            raise UserError(f"the log is about other {name}: {_shown(head.get(name))} instead of {value or 'none'}.")
    limit, is_hard, hints = head.get("limit"), head.get("is_hard"), head.get("hints")
    if not (limit is None or (type(limit) is int and 1 <= limit <= MAX_LIMIT)) or type(is_hard) is not bool:
        raise UserError("the first line of the log states no valid limit or mode.")
    pairs = (
        [tuple(hint.split(":")) for hint in hints] if isinstance(hints, list) and all(map(_is_text, hints)) else [()]
    )
    if not all(_is_hint(pair, lists) for pair in pairs):
        raise UserError("the first line of the log states hints that are no guesses with their clues.")
    return Question(lists.answers, lists.guesses, weights, [(pair[0], pair[1]) for pair in pairs], limit, is_hard)


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_hint(pair: Sequence[str], lists: WordLists) -> bool:
    return len(pair) == 2 and pair[0] in lists.guess_set and len(pair[1]) == lists.length and set(pair[1]) <= set(".ic")


def _bounds(objects: Sequence[dict[str, Any]], search: OpenerBounds, question: Question) -> dict[str, LoggedBound]:
    """Return the bound of each opener after checking what each line may say.

    A total lies between that of a first guess whose clues tell all answers apart and that of guessing them one by one.
    """
    least = 2 * search.total_weight - int(search.weights.max(initial=0))
    most = search.total_weight * max(search.n_possible + 1, question.limit or 0)
    bounds: dict[str, LoggedBound] = {}
    for number, fields in enumerate(objects, start=2):
        opener, bound, is_total = (fields.get(name) for name in ("opener", "bound", "solved"))
        if fields.keys() != {"opener", "bound", "solved"} or type(opener) is not str:
            raise UserError(f"line {number} of the log should state an opener, a bound and whether it is solved.")
        if opener not in search.openers:
            raise UserError(f"line {number} of the log is about {_shown(opener)}, which is no first guess here.")
        if type(bound) is not int or not (least <= bound <= most or (bound == INFEASIBLE and not is_total)):
            raise UserError(f"line {number} of the log has the bound {_shown(bound)}, which no total can have.")
        if type(is_total) is not bool:
            raise UserError(f"line {number} of the log says neither true nor false about being solved.")
        if opener in bounds:
            raise UserError(f"lines {bounds[opener].line} and {number} of the log are both about {opener}.")
        bounds[opener] = LoggedBound(number, opener, bound, is_total)
    return bounds


def _faults(logged: LoggedBound, search: OpenerBounds) -> list[str]:
    """Return why a bound does not hold, as sentences."""
    found = search.bound(logged.opener, logged.bound)
    if found < logged.bound:
        return [f"line {logged.line}: {logged.opener} has the total {found:,}, not {logged.bound:,} or more."]
    if logged.is_total and search.bound(logged.opener, logged.bound + 1) > logged.bound:
        return [f"line {logged.line}: the total of {logged.opener} is more than {logged.bound:,}."]
    return []


def _shown(value: Any) -> str:
    return sanitize_untrusted_text(repr(value) if not isinstance(value, str) else value, SHOWN_CHARACTERS)
