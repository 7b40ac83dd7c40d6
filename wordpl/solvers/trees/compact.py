"""The compact form of a decision tree, its list of guesses, which the installed package of release 1.0.0 had.

Runs and seasons stored it with their entries. The guesses before a node determine which answers remain there, and where
a single answer remains, it is the next guess. The list of all other guesses, in the order of `Tree.nodes`, therefore
determines the tree, as a JSON file contains it: an answer, or `[guess, is_answer, {clue: tree}]`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from wordpl.core.clues import counted

FORMAT = 2
"""The `format` of JSON files that have `guesses` in place of `tree`."""


def rebuild(guesses: Iterator[str], answers: Sequence[str]) -> Any:
    """Return the tree that has these guesses.

    Args:
        guesses: The guesses at which several answers remain, depth first; those of this tree are consumed.
        answers: The words that can be the secret.

    Raises:
        ValueError: There are too few guesses, or one of them does not distinguish any answers.
    """
    if len(answers) == 1:
        return answers[0]
    guess = next(guesses, None)
    if guess is None:
        raise ValueError("it has too few guesses")
    groups: dict[str, list[str]] = {}
    for answer in answers:
        groups.setdefault(counted(guess, answer), []).append(answer)
    if len(groups) == 1:
        raise ValueError(f"the guess {guess[:20]} does not distinguish any of {len(answers)} answers")
    is_answer = groups.pop("c" * len(guess), None) is not None
    return [guess, is_answer, {clues: rebuild(guesses, groups[clues]) for clues in sorted(groups)}]
