"""A second reading of the log of a proof.

Each line is checked. The smallest total and a sample of the bounds are found again by a second, plain search.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.core import bounded
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.words import WordLists

INFEASIBLE = 1 << 40
"""The total if the guesses left are not enough; any real total is smaller."""
MARKS = ".ic"
MAX_BYTE = 255

Ints = NDArray[np.int64]


class TooMuchWorkError(Exception):
    """The search of an opener was given up."""


@dataclass(frozen=True)
class Question:
    """The game whose first guesses are rated.

    Attributes:
        answers: The words that can be the secret.
        guesses: The words that can be guessed.
        weights: The weight of each answer in totals, at least 1; an answer with weight 0 cannot be the secret.
        hints: Guesses made before, with their clues as text.
        limit: The largest number of guesses in a game, with those of the hints; None for any number.
        is_hard: Whether every guess must use the revealed hints.
    """

    answers: Sequence[str]
    guesses: Sequence[str]
    weights: Sequence[int]
    hints: Sequence[tuple[str, str]] = ()
    limit: int | None = None
    is_hard: bool = False


class OpenerBounds:
    """Lower bounds on the totals of first guesses.

    Args:
        question: The game.
        max_work: The comparisons of clues after which the search of an opener is given up.

    Attributes:
        openers: The words that can be guessed first.
        total_weight: The weight of all answers that are still possible.
        n_possible: How many answers are still possible.
    """

    def __init__(self, question: Question, max_work: float = float("inf")):
        self.question, self.max_work, self.work = question, max_work, 0.0
        self.letters = _codes(question.guesses)
        alphabet = range(1, int(self.letters.max()) + 1)
        self.counts = np.stack([(self.letters == letter).sum(axis=1) for letter in alphabet], axis=1)
        self.column_of = {word: column for column, word in enumerate(question.guesses)}
        possible = [i for i, word in enumerate(question.answers) if self._is_possible(i, word)]
        possible.sort(key=lambda i: -question.weights[i])
        self.words = [question.answers[i] for i in possible]
        self.weights = np.array([question.weights[i] for i in possible], np.int64)
        self.own = np.array([self.column_of[word] for word in self.words], np.int64)
        self.n_possible, self.total_weight = len(possible), int(self.weights.sum())
        clues = np.array([_clues(self.letters, self.letters[column]) for column in self.own])
        if clues.size and clues.max() > MAX_BYTE:
            clues = np.apply_along_axis(lambda column: np.unique(column, return_inverse=True)[1], 0, clues)
        self.labels = clues.astype(np.uint8 if not clues.size or clues.max() <= MAX_BYTE else np.uint16)
        self._demands: dict[tuple[int, ...], Ints] = {}
        self.start = self._after_hints()
        self.openers = frozenset(question.guesses[column] for column in self._columns(self.start))
        self.memo: dict[tuple[tuple[int, ...], int, bytes], tuple[int, bool]] = {}

    def _is_possible(self, i: int, word: str) -> bool:
        secret = self.letters[self.column_of[word]]
        return self.question.weights[i] > 0 and all(
            _text(int(_clues(self.letters[[self.column_of[guess]]], secret)[0]), len(word)) == clue
            for guess, clue in self.question.hints
        )

    def _after_hints(self) -> tuple[int, ...]:
        known: tuple[int, ...] = (0,) * (self.letters.shape[1] + self.counts.shape[1])
        for guess, clue in self.question.hints if self.question.is_hard else ():
            known = self._demanded(known, self.column_of[guess], clue)
        return known

    def bound(self, opener: str, target: int) -> int:
        """Return a lower bound on the total of an opener, which is at least `target` if the total is.

        If the total is below the target, it is returned.

        Raises:
            TooMuchWorkError: The search took more than `max_work`.
        """
        self.work = 0.0
        left = INFEASIBLE if self.question.limit is None else self.question.limit - len(self.question.hints)
        rows = np.arange(self.n_possible)
        return self._after_guess(rows, self.column_of[opener], self.start, left, target)

    def _least(self, rows: Ints, known: tuple[int, ...], left: int, target: int) -> tuple[int, bool]:
        """Return the least total of a group if it is below the target, else a bound of at least the target.

        Returns:
            The bound, and whether it is the total.
        """
        weights = self.weights[rows]
        total = int(weights.sum())
        if len(rows) > 1 and left < 2:
            return INFEASIBLE, True
        low = 2 * total - int(weights[0])
        if len(rows) <= 2:
            return low, True
        key = known, min(left, len(rows)), rows.astype(np.int16).tobytes()
        known_low, is_exact = self.memo.get(key, (low, False))
        if is_exact or known_low >= target:
            return known_low, is_exact
        bound, is_exact = self._search(rows, known, left, target)
        self.memo[key] = max(bound, known_low), is_exact
        return self.memo[key]

    def _search(self, rows: Ints, known: tuple[int, ...], left: int, target: int) -> tuple[int, bool]:
        columns = self._columns(known)
        bounds, spared = self._one_step_bounds(rows, columns)
        total = int(self.weights[rows].sum())
        if left == 2:
            all_distinct = bounds[spared == total]
            return (int(all_distinct.min()), True) if len(all_distinct) else (INFEASIBLE, True)
        order = np.argsort(bounds, kind="stable")
        best, tried = INFEASIBLE, set()
        for i in order:
            if bounds[i] >= min(best, target):
                best = min(best, int(bounds[i])) if best >= target else best
                break
            split = self.labels[rows, columns[i]].tobytes()
            if not self.question.is_hard and columns[i] not in self.own[rows]:
                if split in tried:
                    continue
                tried.add(split)
            best = min(best, self._after_guess(rows, int(columns[i]), known, left, min(best, target)))
        return best, best < target or best == INFEASIBLE

    def _one_step_bounds(self, rows: Ints, columns: Ints) -> tuple[Ints, Ints]:
        """Return the bound of each guess from its number of parts, and the weight of each part's likeliest answer."""
        labels = self.labels[rows] if len(columns) == self.labels.shape[1] else self.labels[np.ix_(rows, columns)]
        self.work += labels.size * len(rows) / 2
        if self.work > self.max_work:
            raise TooMuchWorkError
        weights = self.weights[rows]
        spared = np.full(len(columns), weights[0])
        for i in range(1, len(rows)):
            spared += np.where((labels[:i] == labels[i]).any(axis=0), 0, weights[i])
        bounds = 3 * int(weights.sum()) - spared
        bounds[np.searchsorted(columns, self.own[rows])] -= weights
        bounds[spared == weights[0]] = INFEASIBLE  # a guess that keeps all answers together only wastes a turn
        return bounds, spared

    def _after_guess(self, rows: Ints, column: int, known: tuple[int, ...], left: int, target: int) -> int:
        """Return the total of a group with this guess if it is below the target, else a bound that is not."""
        parts = list(self._parts(rows, column, known, left))
        lows = [low for *_, low in parts]
        total = int(self.weights[rows].sum()) + sum(lows)
        waiting: list[tuple[float, int]] = []
        for i, (part, *_) in enumerate(parts):
            heappush(waiting, (len(part) ** 2, i))
        while waiting and total < target:
            _, i = heappop(waiting)
            part, demands, _ = parts[i]
            needed = target - total + lows[i]
            step = 1 + (len(part) >> 5) * max(1, int(self.weights[part].sum()) // len(part))
            goal = needed if not waiting or target >= INFEASIBLE else min(needed, lows[i] + step)
            before = self.work
            found, is_exact = self._least(part, demands, left - 1, goal)
            found = max(found, lows[i])
            total, lows[i] = total + found - lows[i], found
            if not is_exact:
                heappush(waiting, (max(len(part) ** 2, 3 * (self.work - before)), i))
        return min(total, INFEASIBLE)

    def _parts(
        self, rows: Ints, column: int, known: tuple[int, ...], left: int
    ) -> Iterator[tuple[Ints, tuple[int, ...], int]]:
        """Yield the parts into which a guess splits a group: the answers, what hard mode demands then, and a bound."""
        labels = self.labels[rows, column]
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(labels[order][1:] != labels[order][:-1]) + 1
        for part in np.split(rows[order], starts):
            if self.own[part[0]] == column and len(part) == 1:
                continue
            demands = known
            if self.question.is_hard:
                code = int(_clues(self.letters[[column]], self.letters[self.own[part[0]]])[0])
                demands = self._demanded(known, column, _text(code, self.letters.shape[1]))
            weights = self.weights[part]
            low = 2 * int(weights.sum()) - int(weights[0])
            if left < 2 or (left == 2 and len(part) > 1):
                low = INFEASIBLE
            yield part, demands, low

    def _demanded(self, known: tuple[int, ...], column: int, clue: str) -> tuple[int, ...]:
        """Return what hard mode demands after one more clue: the letter at each place, the count of each letter."""
        letters, demands, length = self.letters[column], list(known), self.letters.shape[1]
        revealed = [letter for letter, mark in zip(letters.tolist(), clue, strict=True) if mark != "."]
        for place, mark in enumerate(clue):
            if mark == "c":
                demands[place] = int(letters[place])
        for letter in set(revealed):
            at = length + letter - 1
            demands[at] = max(demands[at], revealed.count(letter))
        return tuple(demands)

    def _columns(self, known: tuple[int, ...]) -> Ints:
        """Return the columns of the guesses that meet what is demanded, in ascending order."""
        if known not in self._demands:
            length, meets = self.letters.shape[1], np.ones(len(self.letters), bool)
            for i, demanded in enumerate(known):
                if demanded:
                    meets &= self.letters[:, i] == demanded if i < length else self.counts[:, i - length] >= demanded
            self._demands[known] = np.flatnonzero(meets)
        return self._demands[known]


def _codes(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return the number of each letter in the alphabet of these words, from 1, uint8[n_words, length]."""
    points = np.array([[ord(letter) for letter in word] for word in words])
    return (np.unique(points, return_inverse=True)[1].reshape(points.shape) + 1).astype(np.uint8)


def _clues(guesses: NDArray[np.uint8], secret: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return the clue of each guess, as a number to the base 3; a letter is marked at most as often as it occurs."""
    codes = np.zeros(len(guesses), np.int32)
    in_place = guesses == secret
    n_marked = {letter: in_place[:, secret == letter].sum(axis=1, dtype=np.int8) for letter in set(secret.tolist())}
    for place in range(len(secret)):
        codes = 3 * codes + 2 * in_place[:, place]
        for letter, marked in n_marked.items():
            elsewhere = (guesses[:, place] == letter) & ~in_place[:, place]
            elsewhere &= marked < np.count_nonzero(secret == letter)
            codes += elsewhere
            marked += elsewhere
    return codes


def _text(code: int, length: int) -> str:
    return "".join(MARKS[code // 3**place % 3] for place in reversed(range(length)))


FORMAT = 3
CLUE_RULE = "counted"
CLAIM = {"format", "hints", "answers", "guesses", "limit", "is_hard", "prior", "clue_rule", "method"}
"""The fields of the first line."""
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
        is_complete: Whether each opener has a bound of at least this total, or none has a tree.
        checked: The openers whose bounds were searched again: those that the log names as best, and a random sample.
        undecided: Those of them whose search took too long.
        n_sampled: How many of all bounds were drawn at random and searched again, without those that took too long.
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
    n_sampled: int
    faults: tuple[str, ...]
    unit: int | None
    n_possible: int

    @property
    def chance_to_find_one(self) -> float:
        """The probability with which this sample contains a given line of the log."""
        return self.n_sampled / max(1, self.n_bounds)

    def chance_to_find(self, share: float) -> float:
        """Return the probability with which this sample contains a false bound if this share of them is false."""
        n_false, chance = max(1, round(share * self.n_bounds)), 1.0
        for i in range(self.n_sampled):
            chance *= max(0, self.n_bounds - n_false - i) / (self.n_bounds - i)
        return 1 - chance


def check(
    path: Path,
    lists: WordLists,
    sample: tuple[int, np.random.Generator],
    prior: NDArray[np.float64] | None = None,
    progress: Callable[[str], object] = lambda opener: None,
) -> CheckedProof:
    """Read the log of a proof, and search the totals that it calls the smallest and a random sample of bounds again.

    Args:
        path: The log.
        lists: The word lists of the proof.
        sample: How many bounds to draw at random, and the generator that draws them.
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
    totals = [logged for logged in bounds.values() if logged.is_total]
    best = min(totals, key=lambda logged: logged.bound) if totals else None
    least = best.bound if best else INFEASIBLE
    named = [logged for logged in totals if logged.bound == least]
    drawn = [list(bounds.values())[i] for i in sample[1].permutation(len(bounds))[: sample[0]]]
    chosen = list(dict.fromkeys([*named, *drawn]))
    faults, undecided = [], []
    for logged in chosen:
        try:
            faults += _faults(logged, search)
        except TooMuchWorkError:
            undecided.append(logged.opener)
        progress(logged.opener)
    return CheckedProof(
        n_openers=len(search.openers),
        n_bounds=len(bounds),
        best=best,
        is_complete=len(bounds) == len(search.openers) and all(logged.bound >= least for logged in bounds.values()),
        checked=tuple(logged.opener for logged in chosen),
        undecided=tuple(undecided),
        n_sampled=sum(logged.opener not in undecided for logged in drawn),
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
    if head.keys() != CLAIM:
        raise UserError("the first line of the log has other fields than the claim of a proof.")
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
        [tuple(hint.split(":")) for hint in hints]
        if isinstance(hints, list) and all(isinstance(hint, str) for hint in hints)
        else [()]
    )
    if not all(_is_hint(pair, lists) for pair in pairs):
        raise UserError("the first line of the log states hints that are no guesses with their clues.")
    return Question(lists.answers, lists.guesses, weights, [(pair[0], pair[1]) for pair in pairs], limit, is_hard)


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
