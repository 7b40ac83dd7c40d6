"""Decision trees: a guess, and for each of its clues the tree that follows; and the comparison of two trees."""

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


@dataclass(frozen=True)
class Divergence:
    """A node at which two trees make different guesses for the first time.

    Attributes:
        path: The guesses and clues that lead there.
        guesses: The guess of each tree.
        totals: The sum of guesses of each tree from there on, over all answers it has there.
    """

    path: Path
    guesses: tuple[str, str]
    totals: tuple[int, int]


@dataclass(frozen=True)
class TreeComparison:
    """The differences between two trees.

    Attributes:
        n_guesses: For each answer that both find, the number of guesses of the first and of the second tree.
        only: The answers that only the first tree finds, and those that only the second finds.
        divergences: Where the trees diverge, the largest difference first.
    """

    n_guesses: dict[str, tuple[int, int]]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    divergences: tuple[Divergence, ...]

    def answers(self, sign: int) -> list[str]:
        """Return the answers for which the first tree takes fewer (-1), equally many (0) or more (1) guesses."""
        return [word for word, (a, b) in self.n_guesses.items() if (a > b) - (a < b) == sign]


def compare(first: Tree, second: Tree) -> TreeComparison:
    """Return the differences between two trees."""
    a, b = ({path[-1][0]: len(path) for path in tree.paths()} for tree in (first, second))
    only = tuple(word for word in a if word not in b), tuple(word for word in b if word not in a)
    divergences = sorted(
        _divergences(first, second), key=lambda divergence: -abs(divergence.totals[0] - divergence.totals[1])
    )
    return TreeComparison({word: (a[word], b[word]) for word in a if word in b}, only, tuple(divergences))


def _divergences(first: Tree, second: Tree) -> Iterator[Divergence]:
    waiting: list[tuple[Path, Tree, Tree]] = [((), first, second)]
    while waiting:
        path, a, b = waiting.pop()
        if a.guess != b.guess:
            yield Divergence(path, (a.guess, b.guess), (a.total, b.total))
            continue
        for clues in sorted(a.branches.keys() & b.branches.keys(), reverse=True):
            waiting.append(((*path, (a.guess, clues)), a.branches[clues], b.branches[clues]))
