"""A second reading of decision trees: every answer's game is played by the rules alone, and its guesses are counted.

Nothing of the search, nor of what writes trees, is used here: the rules of clues and of hard mode are written out once
more, so that a mistake there cannot hide itself. What this confirms is that a total can be reached. That no tree does
better (the lower bound of a proof) is the word of the search alone: bounds cannot be read off the tree.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 100


class TreeError(ValueError):
    """The tree breaks a rule, or does not find an answer."""


@dataclass(frozen=True)
class Played:
    """The games of all answers.

    Attributes:
        total: the sum of guesses over all answers.
        n_answers: how many answers there are.
        worst: the most guesses that any answer took.
    """

    total: int
    n_answers: int
    worst: int


def play_all(
    tree: Any, answers: Sequence[str], guesses: Sequence[str], *, is_hard: bool = False, limit: int | None = None
) -> Played:
    """Play the game of every answer by the tree.

    Args:
        tree: as a tree's JSON file holds it: the answer, a word, or `[guess, is_answer, {clues: tree}]`.
        answers: the words that can be the secret.
        guesses: the words that can be guessed.
        is_hard: whether what clues reveal must be used, as in hard mode.
        limit: the most guesses a game may take.

    Raises:
        TreeError: an answer is not found, a guess is no word or breaks hard mode, or a game takes too long.
    """
    known = frozenset(guesses)
    counts = [_play(tree, answer, known, is_hard) for answer in answers]
    if limit is not None and max(counts) > limit:
        raise TreeError(f"{answers[counts.index(max(counts))]} takes {max(counts)} guesses, more than {limit}")
    return Played(sum(counts), len(counts), max(counts))


def play_file(file: Mapping[str, Any], answers: Sequence[str], guesses: Sequence[str], limit: int | None) -> Played:
    """Play all answers by a tree's JSON file, in hard mode if the file says so, and compare the sums it states.

    Raises:
        TreeError: as in `play_all`, or the file states another number of answers or another sum.
    """
    found = play_all(file["tree"], answers, guesses, is_hard="hard" in file["rules"], limit=limit)
    if (found.n_answers, found.total) != (file["n_answers"], file["sum"]):
        raise TreeError(
            f"the file says {file['sum']:,} guesses for {file['n_answers']:,} answers, "
            f"and they are {found.total:,} for {found.n_answers:,}"
        )
    return found


def _play(tree: Any, answer: str, known: frozenset[str], is_hard: bool) -> int:
    """Return how many guesses the answer takes."""
    made: list[tuple[str, str]] = []
    while len(made) < MAX_DEPTH:
        guess, is_answer, branches = (tree, True, {}) if isinstance(tree, str) else tree
        if guess not in known:
            raise TreeError(f"{guess!r}, guessed for {answer}, is not a word of the guesses")
        for earlier, clues in made if is_hard else ():
            if not _keeps(guess, earlier, clues):
                raise TreeError(f"{guess}, guessed for {answer}, does not use what {earlier} {clues} revealed")
        clues = _clues(guess, answer)
        made.append((guess, clues))
        if guess == answer:
            if not is_answer:
                raise TreeError(f"{guess} is not marked as the answer that it is")
            return len(made)
        if clues not in branches:
            raise TreeError(f"{answer} is not found: after {guess} {clues} the tree ends")
        tree = branches[clues]
    raise TreeError(f"{answer} is not found within {MAX_DEPTH} guesses")


def _clues(guess: str, answer: str) -> str:
    """Return the clues as Wordle gives them: a letter is marked as often as the answer holds it, places first."""
    marks = ["c" if a == b else "." for a, b in zip(guess, answer, strict=True)]
    spare = Counter(b for a, b in zip(guess, answer, strict=True) if a != b)
    for place, letter in enumerate(guess):
        if marks[place] == "." and spare[letter]:
            spare[letter] -= 1
            marks[place] = "i"
    return "".join(marks)


def _keeps(guess: str, earlier: str, clues: str) -> bool:
    """Return whether a guess uses what an earlier one revealed: letters in their places, and as often as marked."""
    revealed = Counter(letter for letter, mark in zip(earlier, clues, strict=True) if mark != ".")
    stay = all(guess[i] == earlier[i] for i, mark in enumerate(clues) if mark == "c")
    return stay and all(guess.count(letter) >= n for letter, n in revealed.items())
