"""Decision trees: a guess, and for each of its possible clues the tree for the rest of the game."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_GUESSES = 100
"""The maximum depth of trees in files, which keeps recursive functions below Python's recursion limit."""

Path = tuple[tuple[str, str], ...]
"""Guesses with their clues."""


@dataclass(frozen=True)
class Tree:
    """A node of a decision tree.

    Attributes:
        guess: the word to guess
        branches: the tree after each clue (".i..c"), except for the clue that ends the game
        is_answer: whether the guess can be the secret at this node
    """

    guess: str
    branches: "dict[str, Tree]"
    is_answer: bool

    def nodes(self) -> "Iterator[tuple[Path, Tree]]":
        """Yield all nodes with the guesses and clues that lead to them: parents first, clues in the order of `.ci`."""
        waiting: list[tuple[Path, Tree]] = [((), self)]
        while waiting:
            path, node = waiting.pop()
            yield path, node
            for clues in sorted(node.branches, reverse=True):
                waiting.append(((*path, (node.guess, clues)), node.branches[clues]))

    def paths(self) -> "Iterator[Path]":
        """Yield the whole game of each answer, ending with the clue `c...c`; an answer may occur twice."""
        for path, node in self.nodes():
            if node.is_answer:
                yield (*path, (node.guess, "c" * len(node.guess)))

    def counts(self) -> dict[int, int]:
        """Return the number of answers found with each number of guesses, in ascending order of guesses.

        >>> Tree("ab", {"..": Tree("cd", {}, True)}, True).counts()
        {1: 1, 2: 1}
        """
        return dict(sorted(Counter(len(path) + 1 for path, node in self.nodes() if node.is_answer).items()))

    @property
    def total(self) -> int:
        """The sum of guesses over all answers."""
        return sum(n_guesses * n_answers for n_guesses, n_answers in self.counts().items())

    @property
    def depth(self) -> int:
        """The maximum number of guesses for an answer."""
        return max(self.counts(), default=0)

    def after(self, clues: "Iterable[str]") -> "Tree | None":
        """Return the node after these clues for the tree's guesses, or None if there is none.

        It takes one dictionary lookup per clue.
        """
        node: Tree | None = self
        for clue in clues:
            node = node and node.branches.get(clue)
        return node
