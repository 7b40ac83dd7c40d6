"""A decision tree: a guess, and for each of its clues the tree that follows."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_GUESSES = 100
"""Depth of the deepest tree that can be read, below Python's recursion limit for all operations on trees."""

Path = tuple[tuple[str, str], ...]
"""Guesses with their clues."""


@dataclass(frozen=True)
class Tree:
    """A decision tree.

    Attributes:
        guess: The guess.
        branches: The tree that follows each clue (".i..c"), except for the clue that ends the game.
        is_answer: Whether the guess can be the secret here.
    """

    guess: str
    branches: "dict[str, Tree]"
    is_answer: bool

    def nodes(self) -> "Iterator[tuple[Path, Tree]]":
        """Yield every node with the path that leads to it: parents first, clues sorted as strings."""
        waiting: list[tuple[Path, Tree]] = [((), self)]
        while waiting:
            path, node = waiting.pop()
            yield path, node
            for clues in sorted(node.branches, reverse=True):
                waiting.append(((*path, (node.guess, clues)), node.branches[clues]))

    def paths(self) -> "Iterator[Path]":
        """Yield the whole game of each answer, which ends with the answer and its clue; answers may be repeated."""
        for path, node in self.nodes():
            if node.is_answer:
                yield (*path, (node.guess, "c" * len(node.guess)))

    def counts(self) -> dict[int, int]:
        """Return how many answers are found with each number of guesses, sorted by number of guesses.

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
        """The largest number of guesses that any answer needs."""
        return max(self.counts(), default=0)

    def after(self, clues: "Iterable[str]") -> "Tree | None":
        """Return the subtree after these clues to the tree's own guesses, or None if the tree ends before.

        Each clue takes one dictionary lookup.
        """
        node: Tree | None = self
        for clue in clues:
            node = node and node.branches.get(clue)
        return node
