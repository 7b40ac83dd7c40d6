"""A decision tree: a guess, and for each clue it may get the tree that goes on from there."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_GUESSES = 100
"""A tree that is read is no deeper, so that what walks, compares or copies one never meets Python's limit."""

Path = tuple[tuple[str, str], ...]
"""Guesses with the clues they got."""


@dataclass(frozen=True)
class Tree:
    """What to guess, and how to go on.

    Attributes:
        branches: the tree for each clue as text (".i..c") but for the clue that ends the game
        is_answer: whether the guess may be the secret here
    """

    guess: str
    branches: "dict[str, Tree]"
    is_answer: bool

    def nodes(self) -> "Iterator[tuple[Path, Tree]]":
        """Yield every node with the guesses and clues that lead to it: parents first, clues in the order of `.ci`."""
        waiting: list[tuple[Path, Tree]] = [((), self)]
        while waiting:
            path, node = waiting.pop()
            yield path, node
            for clues in sorted(node.branches, reverse=True):
                waiting.append(((*path, (node.guess, clues)), node.branches[clues]))

    def paths(self) -> "Iterator[Path]":
        """Yield for each answer its whole game, the answer with its clue `c...c` last; an answer may come twice."""
        for path, node in self.nodes():
            if node.is_answer:
                yield (*path, (node.guess, "c" * len(node.guess)))

    def counts(self) -> dict[int, int]:
        """Return how many answers are found with each number of guesses, the fewest guesses first.

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
        """The most guesses that any answer needs."""
        return max(self.counts(), default=0)

    def after(self, clues: "Iterable[str]") -> "Tree | None":
        """Return what follows when the tree's own guesses have got these clues, None where it goes no further.

        It takes microseconds: a lookup a clue.
        """
        node: Tree | None = self
        for clue in clues:
            node = node and node.branches.get(clue)
        return node
