"""Checks that a tree finds every answer with legal guesses, at the place to which its clues lead."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordpl.core.words import WordLists
from wordpl.solvers.trees.tree import Path, Tree


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
    start: Path = ()


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
    visited: set[Path] = set()
    answer_at: dict[Path, str] = {}
    for word in lists.answers:
        if any(terms.clue(guess, word) != clues for guess, clues in terms.start):
            continue
        path, fault = _search(tree, word, terms, visited)
        if not fault:
            answer_at[path] = word
            fault = _over_limit(word, path, terms)
        faults += [fault] if fault else []
    faults += _unreached(tree, visited, answer_at)
    return TreeCheck(tuple(faults), {word: len(path) + 1 for path, word in answer_at.items()})


def without_start(tree: Tree, start: Path) -> Tree:
    """Return the part of the tree after the guesses in `start` if it repeats them with their clues, else the tree."""
    node = tree
    for guess, clues in start:
        if node.guess != guess or set(node.branches) != {clues} or node.is_answer:
            return tree
        node = node.branches[clues]
    return node


def path_text(path: Path) -> str:
    """Return guesses and clues in the notation of the command line.

    >>> path_text((("salet", "....i"), ("north", ".c...")))
    'salet:....i north:.c...'
    """
    return " ".join(f"{guess}:{clues}" for guess, clues in path) or "no guess"


def _search(tree: Tree, word: str, terms: TreeTerms, visited: set[Path]) -> tuple[Path, str]:
    """Return the path to the end of this word's game, and the fault there if any; add its nodes to `visited`."""
    node = tree
    path: Path = ()
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


def _over_limit(word: str, path: Path, terms: TreeTerms) -> str:
    n_guesses = len(terms.start) + len(path) + 1
    if n_guesses <= (terms.limit or n_guesses):
        return ""
    return f"{word} takes {n_guesses} guesses, more than {terms.limit}: {path_text(terms.start + path)}"


def _illegal(tree: Tree, lists: WordLists, terms: TreeTerms) -> Iterator[str]:
    """Yield a sentence for each illegal guess."""
    for path, node in tree.nodes():
        where = f"{node.guess}, guessed after {path_text(terms.start + path)},"
        if node.guess not in lists.guess_set:
            yield f"{where} is not a word of the guesses"
        elif terms.unused_hint is not None:
            broken = (terms.unused_hint(node.guess, *hint) for hint in terms.start + path)
            yield from (f"{where} breaks hard mode: {hint}" for hint in list(filter(None, broken))[:1])


def _unreached(tree: Tree, visited: set[Path], answer_at: dict[Path, str]) -> Iterator[str]:
    """Yield a sentence for each node that no answer leads to, and for each word wrongly marked as an answer."""
    for path, node in tree.nodes():
        if path in visited:
            if node.is_answer and path not in answer_at:
                yield f"{node.guess}, marked as an answer after {path_text(path)}, cannot be the answer there"
        elif path[:-1] in visited:
            yield f"no answer leads to {node.guess} after {path_text(path)}"
