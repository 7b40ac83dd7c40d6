"""Comparing two trees over the same answers: which one finds each answer sooner, and where they differ."""

from collections.abc import Iterator
from dataclasses import dataclass

from wordpl.solvers.trees.tree import Path, Tree


@dataclass(frozen=True)
class Parting:
    """A position at which the guesses of two trees differ for the first time.

    Attributes:
        path: the guesses and clues that lead to the position
        guesses: the guess of each tree
        totals: the sum of further guesses of each tree over its answers at the position
    """

    path: Path
    guesses: tuple[str, str]
    totals: tuple[int, int]


@dataclass(frozen=True)
class Comparison:
    """The differences between two trees.

    Attributes:
        n_guesses: for each answer that both find, the number of guesses of the first tree and of the second
        only: the answers that only the first tree finds, and those that only the second finds
        partings: the positions at which their guesses first differ, the largest difference of totals first
    """

    n_guesses: dict[str, tuple[int, int]]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    partings: tuple[Parting, ...]

    def answers(self, sign: int) -> list[str]:
        """Return the answers for which the first tree takes fewer guesses (-1), equally many (0) or more (1)."""
        return [word for word, (a, b) in self.n_guesses.items() if (a > b) - (a < b) == sign]


def compare(first: Tree, second: Tree) -> Comparison:
    """Return the differences between two trees."""
    a, b = ({path[-1][0]: len(path) for path in tree.paths()} for tree in (first, second))
    only = tuple(word for word in a if word not in b), tuple(word for word in b if word not in a)
    partings = sorted(_partings(first, second), key=lambda parting: -abs(parting.totals[0] - parting.totals[1]))
    return Comparison({word: (a[word], b[word]) for word in a if word in b}, only, tuple(partings))


def _partings(first: Tree, second: Tree) -> Iterator[Parting]:
    waiting: list[tuple[Path, Tree, Tree]] = [((), first, second)]
    while waiting:
        path, a, b = waiting.pop()
        if a.guess != b.guess:
            yield Parting(path, (a.guess, b.guess), (a.total, b.total))
            continue
        for clues in sorted(a.branches.keys() & b.branches.keys(), reverse=True):
            waiting.append(((*path, (a.guess, clues)), a.branches[clues], b.branches[clues]))
