"""Checking a tree: it must find every answer with legal guesses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordpl.core.words import WordLists
from wordpl.solvers.trees.tree import Path, Tree


@dataclass(frozen=True)
class TreeTerms:
    """The requirements for a tree.

    Attributes:
        clue: the clue rule, a function of a guess and the secret
        unused_hint: the rule of hard mode, a function of a guess, an earlier guess and its clues that returns a
            description of an unused hint, or ""; None: normal mode
        limit: the maximum number of guesses to find an answer; None: no limit
        start: the guesses and clues before the tree; it must only find the answers that give these clues
    """

    clue: Callable[[str, str], str]
    unused_hint: Callable[[str, str, str], str] | None = None
    limit: int | None = None
    start: Path = ()


@dataclass(frozen=True)
class TreeCheck:
    """The result of checking a tree.

    Attributes:
        faults: the faults, each as a sentence that names the answer or the path
        n_guesses: the number of guesses for each answer that is found, not counting those before the tree
    """

    faults: tuple[str, ...]
    n_guesses: dict[str, int]


def check(tree: Tree, lists: WordLists, terms: TreeTerms) -> TreeCheck:
    """Check a tree for all answers of these lists.

    If the tree starts with the guesses made before it, as published trees do, these guesses are skipped.
    """
    tree = without_start(tree, terms.start)
    faults = list(_illegal(tree, lists, terms))
    visited: set[Path] = set()
    found: dict[Path, str] = {}
    for word in lists.answers:
        if any(terms.clue(guess, word) != clues for guess, clues in terms.start):
            continue
        path, fault = _search(tree, word, terms, visited)
        if not fault:
            found[path] = word
            fault = _late(word, path, terms)
        faults += [fault] if fault else []
    faults += _unreached(tree, visited, found)
    return TreeCheck(tuple(faults), {word: len(path) + 1 for path, word in found.items()})


def without_start(tree: Tree, start: Path) -> Tree:
    """Return the tree after the guesses made before it, if it repeats all of them with their clues; else the tree."""
    node = tree
    for guess, clues in start:
        if node.guess != guess or set(node.branches) != {clues} or node.is_answer:
            return tree
        node = node.branches[clues]
    return node


def shown(path: Path) -> str:
    """Return guesses and clues in the form in which users type them.

    >>> shown((("salet", "....i"), ("north", ".c...")))
    'salet:....i north:.c...'
    """
    return " ".join(f"{guess}:{clues}" for guess, clues in path) or "no guess"


def _search(tree: Tree, word: str, terms: TreeTerms, visited: set[Path]) -> tuple[Path, str]:
    """Return the path to the end of the word's game, and what is wrong there; add all nodes on it to `visited`."""
    node = tree
    path: Path = ()
    while True:
        visited.add(path)
        if node.guess == word:
            return path, "" if node.is_answer else f"{word}, guessed after {shown(path)}, is not called an answer there"
        clues = terms.clue(node.guess, word)
        path = (*path, (node.guess, clues))
        if clues not in node.branches:
            return path, f"{word} is not found: the tree ends after {shown(path)}"
        node = node.branches[clues]


def _late(word: str, path: Path, terms: TreeTerms) -> str:
    n_guesses = len(terms.start) + len(path) + 1
    if n_guesses <= (terms.limit or n_guesses):
        return ""
    return f"{word} takes {n_guesses} guesses, more than {terms.limit}: {shown(terms.start + path)}"


def _illegal(tree: Tree, lists: WordLists, terms: TreeTerms) -> Iterator[str]:
    """Yield a sentence for each illegal guess."""
    for path, node in tree.nodes():
        where = f"{node.guess}, guessed after {shown(terms.start + path)},"
        if node.guess not in lists.guess_set:
            yield f"{where} is not a word of the guesses"
        elif terms.unused_hint is not None:
            broken = (terms.unused_hint(node.guess, *hint) for hint in terms.start + path)
            yield from (f"{where} breaks hard mode: {hint}" for hint in list(filter(None, broken))[:1])


def _unreached(tree: Tree, visited: set[Path], found: dict[Path, str]) -> Iterator[str]:
    """Yield a sentence for each unreachable node, and for each word that is wrongly marked as an answer."""
    for path, node in tree.nodes():
        if path in visited:
            if node.is_answer and path not in found:
                yield f"{node.guess}, called an answer after {shown(path)}, is none there"
        elif path[:-1] in visited:
            yield f"no answer leads to {node.guess} after {shown(path)}"
