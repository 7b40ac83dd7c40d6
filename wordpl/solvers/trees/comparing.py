"""Comparison of two trees: which of them finds each answer sooner, and where they diverge."""

from collections.abc import Iterator
from dataclasses import dataclass

from wordpl.solvers.trees.tree import Path, Tree


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
