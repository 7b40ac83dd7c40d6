"""A decision tree as its guesses alone, as an installed package holds it: a twelfth of its JSON file.

Which answers are left at a node follows from the guesses before it, and where one is left, it is the guess. So a list
of the other guesses, in the order in which `Tree.nodes` visits them, says all. Trees stand here as a JSON file holds
them: an answer, or `[guess, is_answer, {clue: tree}]`. The build of the package uses this too.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from wordpl.core.clues import counted

FORMAT = 2
"""That of JSON files with `guesses` in place of `tree`."""


def guesses_of(tree: Any) -> list[str]:
    """Return the guesses of a tree but for the answers at which games end."""
    if isinstance(tree, str):
        return []
    guess, _, branches = tree
    return [guess, *(below for clues in sorted(branches) for below in guesses_of(branches[clues]))]


def grown(guesses: Iterator[str], answers: Sequence[str]) -> Any:
    """Return the tree that has these guesses.

    Args:
        guesses: as `guesses_of` returns them; what the tree needs is taken
        answers: the words that can be the secret

    Raises:
        ValueError: there are too few guesses, or one that tells no answers apart.
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
        raise ValueError(f"the guess {guess[:20]} tells none of {len(answers)} answers apart")
    is_answer = groups.pop("c" * len(guess), None) is not None
    return [guess, is_answer, {clues: grown(guesses, groups[clues]) for clues in sorted(groups)}]
