"""Explains why no answer fits the clues, and finds the row that causes the contradiction."""

from collections.abc import Sequence
from dataclasses import dataclass

from wordpl.core.clues import CLUE_RULES

Hint = tuple[str, str]
N_EXAMPLES = 4


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
        examples = ", ".join(other_words[:N_EXAMPLES]) + (", ..." if len(other_words) > N_EXAMPLES else "")
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
