"""Independent verification of decision trees: play the game of every answer, and count the guesses.

It uses nothing of the search or of the code that writes trees; the clue rule and hard mode are implemented once more,
so that it does not repeat their mistakes. It confirms that a total can be reached. That no tree is better (the lower
bound of a proof) cannot be verified from the tree, but rests on the search.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 100


class TreeError(ValueError):
    """The tree breaks a rule or does not find an answer."""


@dataclass(frozen=True)
class TreeResult:
    """The result of playing all answers by a tree.

    Attributes:
        total: The sum of guesses over all answers.
        n_answers: The number of answers.
        worst: The maximum number of guesses for an answer.
    """

    total: int
    n_answers: int
    worst: int


def play_all(
    tree: Any, answers: Sequence[str], guesses: Sequence[str], *, is_hard: bool = False, limit: int | None = None
) -> TreeResult:
    """Play the game of every answer by the tree.

    Args:
        tree: A tree as in its JSON file: either a word, which is the answer, or `[guess, is_answer, {clues: tree}]`.
        answers: The words that can be the secret.
        guesses: The words that can be guessed.
        is_hard: Whether every guess must use the revealed hints, as in hard mode.
        limit: The maximum number of guesses per game; None: no limit.

    Raises:
        TreeError: An answer is not found, a guess is not in the list or breaks hard mode, or a game takes too long.
    """
    allowed = frozenset(guesses)
    counts = [_play(tree, answer, allowed, is_hard) for answer in answers]
    if limit is not None and max(counts) > limit:
        raise TreeError(f"{answers[counts.index(max(counts))]} takes {max(counts)} guesses, more than {limit}")
    return TreeResult(sum(counts), len(counts), max(counts))


def play_file(file: Mapping[str, Any], answers: Sequence[str], guesses: Sequence[str], limit: int | None) -> TreeResult:
    """Play all answers by the tree in a JSON file, in hard mode if the file says so, and check the totals it states.

    Raises:
        TreeError: As for `play_all`, or the file states another number of answers or another sum.
    """
    result = play_all(file["tree"], answers, guesses, is_hard="hard" in file["rules"], limit=limit)
    if (result.n_answers, result.total) != (file["n_answers"], file["sum"]):
        raise TreeError(
            f"the file says {file['sum']:,} guesses for {file['n_answers']:,} answers, "
            f"but the tree takes {result.total:,} for {result.n_answers:,}"
        )
    return result


def _play(tree: Any, answer: str, allowed: frozenset[str], is_hard: bool) -> int:
    """Return the number of guesses for the answer."""
    played: list[tuple[str, str]] = []
    while len(played) < MAX_DEPTH:
        guess, is_answer, branches = (tree, True, {}) if isinstance(tree, str) else tree
        if guess not in allowed:
            raise TreeError(f"{guess!r}, guessed for {answer}, is not a word of the guesses")
        for earlier, clues in played if is_hard else ():
            if not _uses_clues(guess, earlier, clues):
                raise TreeError(f"{guess}, guessed for {answer}, does not use what {earlier} {clues} revealed")
        clues = _clues(guess, answer)
        played.append((guess, clues))
        if guess == answer:
            if not is_answer:
                raise TreeError(f"{guess} is an answer, but is not marked as one")
            return len(played)
        if clues not in branches:
            raise TreeError(f"{answer} is not found: after {guess} {clues} the tree ends")
        tree = branches[clues]
    raise TreeError(f"{answer} is not found within {MAX_DEPTH} guesses")


def _clues(guess: str, answer: str) -> str:
    """Return the clues under Wordle's rule: a letter is marked at most as often as the answer has it, places first."""
    marks = ["c" if a == b else "." for a, b in zip(guess, answer, strict=True)]
    spare = Counter(b for a, b in zip(guess, answer, strict=True) if a != b)
    for place, letter in enumerate(guess):
        if marks[place] == "." and spare[letter]:
            spare[letter] -= 1
            marks[place] = "i"
    return "".join(marks)


def _uses_clues(guess: str, earlier: str, clues: str) -> bool:
    """Return whether a guess uses the hints of an earlier one: letters in their places, and as often as marked."""
    revealed = Counter(letter for letter, mark in zip(earlier, clues, strict=True) if mark != ".")
    stay = all(guess[i] == earlier[i] for i, mark in enumerate(clues) if mark == "c")
    return stay and all(guess.count(letter) >= n for letter, n in revealed.items())
