"""The compact form of a decision tree, its list of guesses: a twelfth of the size of its JSON file.

The guesses before a node determine which answers remain there, and where a single answer remains, it is the next
guess. The list of all other guesses, in the order of `Tree.nodes`, therefore determines the tree. An installed package
contains its trees in this form. The functions here take and return trees as a JSON file contains them: an answer, or
`[guess, is_answer, {clue: tree}]`. The build of the package runs this file.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from wordpl.core.clues import counted

FORMAT = 2
"""The `format` of JSON files that have `guesses` in place of `tree`."""


def list_guesses(tree: Any) -> list[str]:
    """Return the guesses of a tree, except those made when a single answer remains."""
    if isinstance(tree, str):
        return []
    guess, _, branches = tree
    return [guess, *(below for clues in sorted(branches) for below in list_guesses(branches[clues]))]


def rebuild(guesses: Iterator[str], answers: Sequence[str]) -> Any:
    """Return the tree that has these guesses.

    Args:
        guesses: The guesses as listed by `list_guesses`; those of this tree are consumed.
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
