"""Whether a tree is right: every answer is found, by words that may be guessed, where its clues lead."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordpl.core.words import WordLists
from wordpl.solvers.trees.tree import Path, Tree


@dataclass(frozen=True)
class TreeTerms:
    """What a tree is held to.

    Attributes:
        clue: the rule of clues, (guess, secret) to clue
        unused_hint: hard mode's rule, (guess, earlier guess, its clues) to what breaks it or ""; None for normal mode
        limit: the guesses within which every answer is found; None for any number
        start: the guesses and clues before the tree begins; only answers that give these clues are looked for
    """

    clue: Callable[[str, str], str]
    unused_hint: Callable[[str, str, str], str] | None = None
    limit: int | None = None
    start: Path = ()


@dataclass(frozen=True)
class TreeCheck:
    """What is wrong with a tree, and how many guesses it takes where it is right.

    Attributes:
        faults: each in a sentence that names the answer or the path
        n_guesses: of each answer that is found, those before the tree begins not counted
    """

    faults: tuple[str, ...]
    n_guesses: dict[str, int]


def check(tree: Tree, lists: WordLists, terms: TreeTerms) -> TreeCheck:
    """Return how the tree does over the answers of these lists.

    A tree that begins by repeating the guesses made before, as published ones do, is read from where it goes on.
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
            fault = _over_limit(word, path, terms)
        faults += [fault] if fault else []
    faults += _unreached(tree, visited, found)
    return TreeCheck(tuple(faults), {word: len(path) + 1 for path, word in found.items()})


def without_start(tree: Tree, start: Path) -> Tree:
    """Return what follows the guesses made before, if the tree repeats all of them with their clues; else the tree."""
    node = tree
    for guess, clues in start:
        if node.guess != guess or set(node.branches) != {clues} or node.is_answer:
            return tree
        node = node.branches[clues]
    return node


def path_text(path: Path) -> str:
    """Return guesses and clues as a person types them.

    >>> path_text((("salet", "....i"), ("north", ".c...")))
    'salet:....i north:.c...'
    """
    return " ".join(f"{guess}:{clues}" for guess, clues in path) or "no guess"


def _search(tree: Tree, word: str, terms: TreeTerms, visited: set[Path]) -> tuple[Path, str]:
    """Return the path to where the word's game ends, and what is wrong there; note each node on the way."""
    node = tree
    path: Path = ()
    while True:
        visited.add(path)
        if node.guess == word:
            return (
                path,
                "" if node.is_answer else f"{word}, guessed after {path_text(path)}, is not called an answer there",
            )
        clues = terms.clue(node.guess, word)
        path = (*path, (node.guess, clues))
        if clues not in node.branches:
            return path, f"{word} is not found: the tree ends after {path_text(path)}"
        node = node.branches[clues]


def _over_limit(word: str, path: Path, terms: TreeTerms) -> str:
    n_guesses = len(terms.start) + len(path) + 1
    if n_guesses <= (terms.limit or n_guesses):
        return ""
    return f"{word} takes {n_guesses} guesses, more than {terms.limit}: {path_text(terms.start + path)}"


def _illegal(tree: Tree, lists: WordLists, terms: TreeTerms) -> Iterator[str]:
    """Yield each guess that may not be made where it stands."""
    for path, node in tree.nodes():
        where = f"{node.guess}, guessed after {path_text(terms.start + path)},"
        if node.guess not in lists.guess_set:
            yield f"{where} is not a word of the guesses"
        elif terms.unused_hint is not None:
            broken = (terms.unused_hint(node.guess, *hint) for hint in terms.start + path)
            yield from (f"{where} breaks hard mode: {hint}" for hint in list(filter(None, broken))[:1])


def _unreached(tree: Tree, visited: set[Path], found: dict[Path, str]) -> Iterator[str]:
    """Yield each place that no answer leads to, and each word that is called an answer and is none there."""
    for path, node in tree.nodes():
        if path in visited:
            if node.is_answer and path not in found:
                yield f"{node.guess}, called an answer after {path_text(path)}, is none there"
        elif path[:-1] in visited:
            yield f"no answer leads to {node.guess} after {path_text(path)}"
