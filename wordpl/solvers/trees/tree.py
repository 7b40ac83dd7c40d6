"""Decision trees: a guess, and for each of its clues the tree that follows.

Trees are compared, and checked: a tree must find every answer with legal guesses.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wordpl.core.words import WordLists

MAX_GUESSES = 100
"""Depth of the deepest tree that can be read, below Python's recursion limit for all operations on trees."""

TreePath = tuple[tuple[str, str], ...]
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

    def nodes(self) -> "Iterator[tuple[TreePath, Tree]]":
        """Yield every node with the path that leads to it: parents first, clues sorted as strings."""
        waiting: list[tuple[TreePath, Tree]] = [((), self)]
        while waiting:
            path, node = waiting.pop()
            yield path, node
            for clues in sorted(node.branches, reverse=True):
                waiting.append(((*path, (node.guess, clues)), node.branches[clues]))

    def paths(self) -> "Iterator[TreePath]":
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

    path: TreePath
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
    waiting: list[tuple[TreePath, Tree, Tree]] = [((), first, second)]
    while waiting:
        path, a, b = waiting.pop()
        if a.guess != b.guess:
            yield Divergence(path, (a.guess, b.guess), (a.total, b.total))
            continue
        for clues in sorted(a.branches.keys() & b.branches.keys(), reverse=True):
            waiting.append(((*path, (a.guess, clues)), a.branches[clues], b.branches[clues]))


@dataclass(frozen=True)
class TreeTerms:
    """The conditions that a tree must meet.

    Attributes:
        clue: The clue rule: (guess, secret) -> clue.
        unused_hint: The rule of hard mode: (guess, earlier guess, its clue) -> the hint that the guess ignores, or "".
            None in normal mode.
        limit: The number of guesses within which every answer must be found; None for any number.
        start: The guesses and clues before the tree begins; only answers consistent with them have to be found.
    """

    clue: Callable[[str, str], str]
    unused_hint: Callable[[str, str, str], str] | None = None
    limit: int | None = None
    start: TreePath = ()


@dataclass(frozen=True)
class TreeCheck:
    """The result of checking a tree.

    Attributes:
        faults: A sentence for each fault, which names the answer or the path.
        n_guesses: The number of guesses for each answer found, without those before the tree begins.
    """

    faults: tuple[str, ...]
    n_guesses: dict[str, int]


def check(tree: Tree, lists: WordLists, terms: TreeTerms) -> TreeCheck:
    """Check a tree with all answers of the word lists.

    If a tree begins by repeating the guesses in `terms.start`, as published trees do, these are skipped.

    Args:
        terms: The conditions that the tree must meet.
    """
    tree = without_start(tree, terms.start)
    faults = list(_illegal(tree, lists, terms))
    visited: set[TreePath] = set()
    answer_at: dict[TreePath, str] = {}
    for word in lists.answers:
        if any(terms.clue(guess, word) != clues for guess, clues in terms.start):
            continue
        path, fault = _search(tree, word, terms, visited)
        if not fault:
            answer_at[path] = word
            n_guesses = len(terms.start) + len(path) + 1
            if n_guesses > (terms.limit or n_guesses):
                shown = path_text(terms.start + path)
                fault = f"{word} takes {n_guesses} guesses, more than {terms.limit}: {shown}"
        faults += [fault] if fault else []
    faults += _unreached(tree, visited, answer_at)
    return TreeCheck(tuple(faults), {word: len(path) + 1 for path, word in answer_at.items()})


def without_start(tree: Tree, start: TreePath) -> Tree:
    """Return the part of the tree after the guesses in `start` if it repeats them with their clues, else the tree."""
    node = tree
    for guess, clues in start:
        if node.guess != guess or set(node.branches) != {clues} or node.is_answer:
            return tree
        node = node.branches[clues]
    return node


def path_text(path: TreePath) -> str:
    """Return guesses and clues in the notation of the command line.

    >>> path_text((("salet", "....i"), ("north", ".c...")))
    'salet:....i north:.c...'
    """
    return " ".join(f"{guess}:{clues}" for guess, clues in path) or "no guess"


def _search(tree: Tree, word: str, terms: TreeTerms, visited: set[TreePath]) -> tuple[TreePath, str]:
    """Return the path to the end of this word's game, and the fault there if any; add its nodes to `visited`."""
    node = tree
    path: TreePath = ()
    while True:
        visited.add(path)
        if node.guess == word:
            fault = f"{word}, guessed after {path_text(path)}, is not marked as an answer"
            return path, "" if node.is_answer else fault
        clues = terms.clue(node.guess, word)
        path = (*path, (node.guess, clues))
        if clues not in node.branches:
            return path, f"{word} is not found: the tree ends after {path_text(path)}"
        node = node.branches[clues]


def _illegal(tree: Tree, lists: WordLists, terms: TreeTerms) -> Iterator[str]:
    """Yield a sentence for each illegal guess."""
    for path, node in tree.nodes():
        where = f"{node.guess}, guessed after {path_text(terms.start + path)},"
        if node.guess not in lists.guess_set:
            yield f"{where} is not a word of the guesses"
        elif terms.unused_hint is not None:
            broken = (terms.unused_hint(node.guess, *hint) for hint in terms.start + path)
            yield from (f"{where} breaks hard mode: {hint}" for hint in list(filter(None, broken))[:1])


def _unreached(tree: Tree, visited: set[TreePath], answer_at: dict[TreePath, str]) -> Iterator[str]:
    """Yield a sentence for each node that no answer leads to, and for each word wrongly marked as an answer."""
    for path, node in tree.nodes():
        if path in visited:
            if node.is_answer and path not in answer_at:
                yield f"{node.guess}, marked as an answer after {path_text(path)}, cannot be the answer there"
        elif path[:-1] in visited:
            yield f"no answer leads to {node.guess} after {path_text(path)}"
