"""Two trees over the same answers: which finds which answer sooner, and where they part."""

from collections.abc import Iterator
from dataclasses import dataclass

from wordpl.solvers.trees.tree import Path, Tree


@dataclass(frozen=True)
class Parting:
    """A place up to which two trees guess the same, and from which on they do not.

    Attributes:
        path: the guesses and clues that lead there
        guesses: what each tree guesses there
        totals: the guesses of each tree, from there on, over the answers it has there
    """

    path: Path
    guesses: tuple[str, str]
    totals: tuple[int, int]


@dataclass(frozen=True)
class Comparison:
    """How two trees differ.

    Attributes:
        n_guesses: of each answer that both find, by the first tree and by the second
        only: the answers that only the first finds, and those that only the second finds
        partings: where they part, the largest difference first
    """

    n_guesses: dict[str, tuple[int, int]]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    partings: tuple[Parting, ...]

    def answers(self, sign: int) -> list[str]:
        """Return the answers for which the first tree takes fewer guesses (-1), as many (0) or more (1)."""
        return [word for word, (a, b) in self.n_guesses.items() if (a > b) - (a < b) == sign]


def compare(first: Tree, second: Tree) -> Comparison:
    """Return how two trees differ."""
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
