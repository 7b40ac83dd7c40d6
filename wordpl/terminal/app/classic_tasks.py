"""Worker tasks for puzzles with true clues: suggestions, the effect of a guess, and why no answer fits."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.core import words
from wordpl.core import words as core_words
from wordpl.core.clues import CLUE_RULES, decode
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import guess_rows, matrix_fits, matrix_of
from wordpl.solvers import trees
from wordpl.solvers.search import INFEASIBLE, ClassicSearch, Position, best_guesses
from wordpl.solvers.search.position import promising
from wordpl.solvers.search.problem import RULE, Problem
from wordpl.terminal.app import setups
from wordpl.terminal.app.setups import Setup, WordChoice, changed

Hint = tuple[str, str]
N_EXAMPLE_WORDS = 4


@dataclass(frozen=True)
class Contradiction:
    """A contradiction.

    Attributes:
        row: The first row after which no answer is left, counted from 0.
    """

    row: int
    reason: str


def first_contradiction(
    hints: Sequence[Hint], rule: str, answers: Sequence[str], guesses: Sequence[str]
) -> Contradiction | None:
    """Return the first contradiction between the clues, or between them and the answers; None if there is none.

    Args:
        hints: The guesses with their clues.
        rule: A key of `clues.CLUE_RULES`.
        answers: The words that can be the secret.
        guesses: The words to search for a fitting one if no answer fits.
    """
    remaining: Sequence[str] = answers
    for row, hint in enumerate(hints):
        fitting_words = _fitting(remaining, [hint], rule)
        if not fitting_words:
            return Contradiction(row, _reason(hints[: row + 1], rule, remaining, guesses))
        remaining = fitting_words
    return None


def _fitting(words: Sequence[str], hints: Sequence[Hint], rule: str) -> list[str]:
    clue = CLUE_RULES[rule]
    for guess, clues in hints:
        words = [word for word in words if clue(guess, word) == clues]
    return list(words)


def _reason(hints: Sequence[Hint], rule: str, remaining: Sequence[str], guesses: Sequence[str]) -> str:
    if conflict := letter_conflict(hints, rule):
        return conflict
    other_words = _fitting(guesses, hints, rule)
    if other_words:
        examples = ", ".join(other_words[:N_EXAMPLE_WORDS]) + (", ..." if len(other_words) > N_EXAMPLE_WORDS else "")
        return f"No answer in the list gives this clue, but other words do: {examples}."
    guess, clues = hints[-1]
    nearest = min((_differences(CLUE_RULES[rule](guess, word), clues), word) for word in remaining)
    marks = "marks" if nearest[0] > 1 else "mark"
    above = " after the rows above" if len(hints) > 1 else ""
    return f"No word gives this clue{above}; the closest is {nearest[1].upper()}, with {nearest[0]} different {marks}."


def _differences(marks: str, other_marks: str) -> int:
    return sum(a != b for a, b in zip(marks, other_marks, strict=True))


def letter_conflict(hints: Sequence[Hint], rule: str) -> str:
    """Return a sentence about marks that cannot be true together for any word; "" if none are found.

    A reported conflict is always real, but conflicts that involve several letters may be missed.
    """
    placed: dict[int, tuple[str, int]] = {}
    for row, (guess, clues) in enumerate(hints):
        for place, (letter, mark) in enumerate(zip(guess, clues, strict=True)):
            if mark != "c":
                continue
            placed_letter, source = placed.setdefault(place, (letter, row))
            if placed_letter != letter:
                return (
                    f"Letter {place + 1} can't be both {placed_letter.upper()} (row {source + 1}) and {letter.upper()}."
                )
    return _misplaced(hints, placed) or _miscounted(hints, rule)


def _misplaced(hints: Sequence[Hint], placed: dict[int, tuple[str, int]]) -> str:
    for row, (guess, clues) in enumerate(hints):
        for place, (letter, mark) in enumerate(zip(guess, clues, strict=True)):
            placed_letter, source = placed.get(place, ("", 0))
            if mark != "c" and placed_letter == letter:
                return (
                    f"{letter.upper()} is in place {place + 1} according to row {source + 1}, "
                    f"but row {row + 1} says that it is not."
                )
    return ""


def _miscounted(hints: Sequence[Hint], rule: str) -> str:
    min_counts: dict[str, tuple[int, int]] = {}
    max_counts: dict[str, tuple[int, int]] = {}
    for row, (guess, clues) in enumerate(hints):
        for letter in dict.fromkeys(guess):
            marks = [mark for own, mark in zip(guess, clues, strict=True) if own == letter]
            revealed = sum(mark != "." for mark in marks)
            if rule != "counted":  # repeated letters are marked independently
                if 0 < revealed < len(marks):
                    return f"Row {row + 1} says both that {letter.upper()} is in the word and that it is not."
                revealed = min(revealed, 1)
            min_counts[letter] = max(min_counts.get(letter, (0, row)), (revealed, row), key=lambda count: count[0])
            if "." in marks:
                max_counts[letter] = min(max_counts.get(letter, (99, row)), (revealed, row), key=lambda count: count[0])
    for letter, (n_least, source) in min_counts.items():
        n_most, max_source = max_counts.get(letter, (99, 0))
        if n_least > n_most:
            return (
                f"Row {source + 1} says that the word has {_times(letter, n_least)}, "
                f"row {max_source + 1} that it has {_times(letter, n_most, at_most=True)}."
            )
    n_needed, length = sum(n for n, _ in min_counts.values()), len(hints[0][0]) if hints else 0
    return (
        f"The rows mark {n_needed} different letters, more than the {length} of the word." if n_needed > length else ""
    )


def _times(letter: str, n: int, at_most: bool = False) -> str:
    if n == 0:
        return f"no {letter.upper()}"
    times = "" if n == 1 else f" {n} times"
    return f"{letter.upper()}{times}" + (" at most once" if at_most and n == 1 else " at most" if at_most else "")


_DEFINED: dict[str, "DefinedWords"] = {}


@dataclass(frozen=True, eq=False)
class DefinedWords:
    """Words with the `WordLists` object for solvers, which is reused so that its clue matrix is built only once."""

    choice: WordChoice
    lists: WordLists


def define_words(name: str, choice: WordChoice, rule: str) -> None:
    """Define words under a name, with their clue matrix, and replace those that had the name before.

    Args:
        name: The name.
        choice: The words.
        rule: The rule of clues, a key of `clues.CLUE_RULES`.
    """
    _DEFINED[name] = DefinedWords(choice, _lists(choice))
    if matrix_fits(_DEFINED[name].lists):
        matrix_of(_DEFINED[name].lists, rule)


def _lists(choice: WordChoice) -> WordLists:
    """Return lists of these words. For the contest's words, it is the shared object, whose matrix may exist already."""
    own = core_words.here()
    if (choice.answers, choice.guesses) == (own.answers, own.guesses):
        return own
    return _others(choice.answers, choice.guesses)


@lru_cache(maxsize=4)
def _others(answers: tuple[str, ...], guesses: tuple[str, ...]) -> WordLists:
    return WordLists(answers, guesses)


def get_words(name: str) -> DefinedWords:
    """Return the words that were defined under this name."""
    return _DEFINED[name]


Message = dict[str, Any]
Hints = Sequence[tuple[str, str]]
MAX_ANSWERS_SENT = 400
MAX_PARTS_SENT = 40
N_EXAMPLES = 6


def warm_up() -> None:
    """Load the compiled search and the clue matrix of the contest's words, by running a small search."""
    lists = words.here()
    position = Problem(lists, (("tares", "....i"),) if lists.length == 5 else ()).position()
    ClassicSearch(position, 10).rate(int(promising(position)[0]))


def suggest(name: str, setup: Setup, hints: Hints) -> Iterator[Message]:
    """Yield the remaining answers, then each guess with its rating as soon as the search has found it.

    Args:
        name: The name under which the word lists were defined.
        setup: How the puzzle is solved.
        hints: The guesses so far with their clues.
    """
    defined, began = get_words(name), time.process_time()
    if contradiction := first_contradiction(hints, RULE, defined.choice.answers, defined.choice.guesses):
        yield {"kind": "contradiction", "row": contradiction.row, "reason": contradiction.reason}
        return
    position = position_of(defined, setup, hints)
    yield from _remaining_answers(defined, position, setup)
    if setup.tree:
        yield {"kind": "tree", "guess": tree_guess(Path(setup.tree), hints)}
    if not hints and (cached := setups.load_opening(setup, defined.choice)):
        yield from cached
        return
    yield from _search(position, defined, setup, began, saves_opening=not hints)


def _search(
    position: Position, defined: DefinedWords, setup: Setup, began: float, saves_opening: bool
) -> Iterator[Message]:
    ratings = []
    search = ClassicSearch(position, None if setup.exact else setup.width)
    guesses = search.promising()[: setup.top]
    for guess in guesses:
        rating = search.rate(int(guess))
        row = _row(defined.lists.guesses, position, int(guess), rating.bound)
        ratings.append({"kind": "rating", "n_wanted": len(guesses), **row})
        yield ratings[-1]
    ranking = best_guesses(search, setup.top)
    for best in ranking.ratings[:1]:  # the best guess may not be among the promising ones
        if best.guess not in guesses:
            row = _row(defined.lists.guesses, position, best.guess, best.bound)
            ratings.append({"kind": "rating", "n_wanted": len(guesses) + 1, **row})
            yield ratings[-1]
    effort = {"n_searched": search.n_searched, "cpu_s": time.process_time() - began}
    done = {"kind": "done", "is_optimal": ranking.is_optimal, **effort}
    if saves_opening:
        setups.save_opening(setup, defined.choice, [*ratings, done])
    yield done


def position_of(defined: DefinedWords, terms: Setup, hints: Hints) -> Position:
    """Return the position after these clues. Raises UserError if no guess or no answer is left."""
    limit = terms.limit or None
    if limit is not None and len(hints) >= limit:
        raise UserError(f"all {limit} guesses are used. Undo one, or raise the limit in the setup (0: no limit).")
    return Problem(defined.lists, tuple(hints), limit, terms.is_hard, defined.choice.prior()).position()


def tree_guess(path: Path, hints: Hints) -> str:
    """Return the next guess of the tree, or "" if earlier guesses were not the tree's or the tree ends here."""
    node: trees.Tree | None = trees.load(path)[0]
    for guess, clues in hints:
        if node is None or node.guess != guess:
            return ""
        node = node.branches.get(clues)
    return node.guess if node else ""


def _remaining_answers(defined: DefinedWords, position: Position, setup: Setup) -> Iterator[Message]:
    weights = _weights(position)
    chances = weights / weights.sum()
    order = np.argsort(-chances, kind="stable") if setup.order == "probability" else np.arange(len(chances))
    answers = defined.choice.answers
    top_answers = [[answers[position.candidates[index]], float(chances[index])] for index in order[:MAX_ANSWERS_SENT]]
    bits = float(-(chances * np.log2(chances)).sum()) + 0.0
    yield {"kind": "left", "n": len(chances), "n_all": len(answers), "bits": bits, "answers": top_answers}


def _weights(position: Position) -> np.ndarray:
    if position.weights is None:
        return np.ones(len(position.candidates))
    return position.weights.astype(float)


def _row(guesses: Sequence[str], position: Position, guess: int, bound: int) -> Message:
    weights, clues = _weights(position), position.matrix[guess, position.candidates]
    shares = np.bincount(clues, weights) / weights.sum()
    likely = shares[shares > 0]
    return {
        "guess": guesses[guess],
        "expected": float(bound / weights.sum()) if bound < INFEASIBLE else None,
        "bits": float(-(likely * np.log2(likely)).sum()) + 0.0,
        "chance": float(weights[position.own == guess].sum() / weights.sum()),
        "worst": int(np.bincount(clues).max()),
    }


def effect(name: str, setup: Setup, hints: Hints, guess: str) -> Iterator[Message]:
    """Yield how a guess splits the remaining answers: each clue's probability, number of answers and examples."""
    defined = get_words(name)
    position = position_of(defined, changed(setup, limit=0, game="wordle/1"), hints)
    row = guess_rows(defined.lists)[guess]
    codes, weights = matrix_of(defined.lists, RULE)[row, position.candidates], _weights(position)
    shares, sizes = np.bincount(codes, weights) / weights.sum(), np.bincount(codes)
    parts = []
    for code in np.argsort(-shares, kind="stable")[: min(MAX_PARTS_SENT, np.count_nonzero(sizes))]:
        members = position.candidates[codes == code][:N_EXAMPLES]
        examples = [defined.choice.answers[column] for column in members]
        parts.append([decode(int(code), defined.lists.length), float(shares[code]), int(sizes[code]), examples])
    yield {
        "kind": "effect",
        "parts": parts,
        "n_parts": int(np.count_nonzero(sizes)),
        **{
            key: value
            for key, value in _row(defined.lists.guesses, position, row, INFEASIBLE).items()
            if key != "expected"
        },
    }
