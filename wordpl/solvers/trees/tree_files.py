"""Files of trees: JSON with provenance, or the published text format, which other solvers read and write too."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core import bounded, words
from wordpl.core.clues import MARKS
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.solvers.trees import compact
from wordpl.solvers.trees.tree import MAX_GUESSES, Tree, TreePath

TO_COLOURS = str.maketrans(".ic", "BYG")
TO_MARKS = str.maketrans("BYG", ".ic")
SHOWN_CHARACTERS = 40
WORD = re.compile(r"[a-z]+")
CLUE = re.compile(r"([BYG]+)([0-9]+)")


def as_text(tree: Tree) -> str:
    """Return the tree in the published format, one line per answer.

    >>> print(as_text(Tree("salet", {"....i": Tree("north", {}, True)}, False)), end="")
    salet BBBBY1 north GGGGG2
    """
    lines: list[str] = []
    above: TreePath = ()
    for path in sorted(tree.paths(), key=lambda path: [clues for _, clues in path]):
        steps = [f"{guess} {clues.translate(TO_COLOURS)}{n}" for n, (guess, clues) in enumerate(path, 1)]
        shared = _n_shared(above, path)
        # The guess after the shared part is shared too, because the same clues lead to the same guess.
        hidden = len(" ".join([*steps[:shared], path[shared][0]])) if above else 0
        lines.append(" " * hidden + " ".join(steps)[hidden:] + "\n")
        above = path
    return "".join(lines)


def _n_shared(above: TreePath, path: TreePath) -> int:
    return next((n for n, (a, b) in enumerate(zip(above, path, strict=False)) if a != b), min(len(above), len(path)))


def read_text(text: str, name: str = "the tree") -> Tree:
    """Return the tree in a text in the published format.

    Args:
        text: The text.
        name: The name of the text in error messages, such as its file.

    Raises:
        UserError: The text is not a tree; the message shows the first wrong line.
    """
    root: _Draft | None = None
    above: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            above = _words_of(line, above)
            path = _path(above)
            root = root or _Draft(path[0][0])
            root.add(path)
        except ValueError as fault:
            raise UserError(f"{name}, line {number}, {short(line.strip())}: {fault}.") from None
    if root is None:
        raise UserError(f"{name} is empty: it should have a line for each answer, like `salet BBBBY1 north GGGGG2`.")
    return root.tree()


def _words_of(line: str, above: list[str]) -> list[str]:
    """Return all words of a line, including those of the line above that are replaced by spaces."""
    hidden = len(line) - len(line.lstrip(" "))
    repeated: list[str] = []
    width = 0
    for word in above:
        if width >= hidden:
            break
        repeated.append(word)
        width += len(word) + 1
    if width != hidden:
        raise ValueError(f"its {hidden} leading spaces end within a word of the line above, or beyond it")
    words = repeated + line.split()
    if len(words) > 2 * MAX_GUESSES:
        raise ValueError(f"it has {len(words) // 2:,} guesses; the limit is {MAX_GUESSES}")
    return words


def _path(words: list[str]) -> TreePath:
    """Return the game in the words of a line."""
    if len(words) % 2:
        raise ValueError("it should end with the clue of its last guess")
    path = tuple(
        (_guess(guess, words[0]), _clues(clue, n, words[0]))
        for n, (guess, clue) in enumerate(zip(words[::2], words[1::2], strict=True), 1)
    )
    won = "c" * len(words[0])
    if path[-1][1] != won or any(clues == won for _, clues in path[:-1]):
        raise ValueError(f"its last clue, and no other, should be {won.translate(TO_COLOURS)}")
    return path


def _guess(word: str, first: str) -> str:
    if not WORD.fullmatch(word) or len(word) != len(first):
        raise ValueError(f"{short(word)} should be a guess of {len(first)} lowercase letters")
    return word


def _clues(word: str, n: int, first: str) -> str:
    match = CLUE.fullmatch(word)
    if not match or len(match[1]) != len(first) or match[2] != str(n):
        raise ValueError(f"{short(word)} should be {len(first)} letters of B, Y and G and the number {n}")
    return match[1].translate(TO_MARKS)


def short(word: str) -> str:
    """Return a quoted, sanitized and shortened word of a file for an error message."""
    return repr(sanitize_untrusted_text(word, SHOWN_CHARACTERS))


@dataclass
class _Draft:
    """A node of a tree that is being read."""

    guess: str
    branches: "dict[str, _Draft]" = field(default_factory=dict)
    is_answer: bool = False

    def add(self, path: TreePath) -> None:
        """Add the game of an answer."""
        node = self
        for n, (guess, clues) in enumerate(path, 1):
            if guess != node.guess:
                raise ValueError(f"guess {n} is {guess}, but {node.guess} after the same clues on an earlier line")
            if n == len(path):
                break
            node = node.branches.setdefault(clues, _Draft(path[n][0]))
        if node.is_answer:
            raise ValueError("this game appears twice")
        node.is_answer = True

    def tree(self) -> Tree:
        """Return the tree that has been read."""
        return Tree(self.guess, {clues: node.tree() for clues, node in self.branches.items()}, self.is_answer)


FORMAT = 1


@dataclass(frozen=True)
class TreeProvenance:
    """The provenance of a tree.

    Attributes:
        rules: The id of its game, such as "wordle/1".
        sha256: The SHA-256 of each word list in alphabetical order, as in `WordLists.set_sha256`.
        obtained: How it was obtained, in words.
    """

    rules: str
    sha256: Mapping[str, str]
    obtained: str


class _File(msgspec.Struct):
    """A JSON file; `tree` is a word (the answer, where the game ends) or [guess, is_answer, {clue: tree}].

    A compact file has `guesses` instead, see `wordpl.solvers.trees.compact`.
    """

    format: int
    rules: str
    sha256: dict[str, str]
    obtained: str
    n_answers: int
    sum: int
    tree: Any = None
    guesses: str = ""


def require_writable(path: Path) -> None:
    """Raise UserError if a tree cannot be written to this file; call it before a long search for the tree."""
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"cannot write the tree {path}: the folder {folder} does not exist.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UserError(f"cannot write the tree {path}: permission denied.")


def save(path: Path, tree: Tree, provenance: TreeProvenance) -> None:
    """Write the tree to a file, as JSON if its name ends in .json, else in the published format without provenance.

    Raises:
        UserError: The file cannot be written.
    """
    data = as_json(tree, provenance) if path.suffix == ".json" else as_text(tree).encode()
    try:
        write_atomically(path, data)
    except OSError as error:
        raise UserError(f"cannot write the tree {path}: {error.strerror}.") from None


def as_json(tree: Tree, provenance: TreeProvenance) -> bytes:
    """Return the content of a JSON file with the tree, on one line."""
    n_answers = sum(tree.counts().values())
    origin = (FORMAT, provenance.rules, dict(provenance.sha256), provenance.obtained)
    return msgspec.json.encode(_File(*origin, n_answers, tree.total, packed(tree))) + b"\n"


def packed(tree: Tree) -> Any:
    """Return the tree as in its JSON file: the answer, or `[guess, is_answer, {clues: tree}]`."""
    if tree.is_answer and not tree.branches:
        return tree.guess
    return [tree.guess, tree.is_answer, {clues: packed(tree.branches[clues]) for clues in sorted(tree.branches)}]


def load(path: Path) -> tuple[Tree, TreeProvenance | None]:
    """Return the tree in a file of either format, and its provenance if the file contains it.

    Raises:
        UserError: The file cannot be read or is not a tree.
    """
    try:
        text = bounded.read_text(bounded.TREE, path)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the tree {path}: {error}") from None
    return from_json(text, str(path)) if text.lstrip().startswith("{") else (read_text(text, str(path)), None)


def from_json(text: str, name: str) -> tuple[Tree, TreeProvenance]:
    """Return the tree in a JSON text, and its provenance.

    Args:
        text: The JSON text.
        name: The name of the text in error messages.

    Raises:
        UserError: The text is not a tree.
    """
    try:
        file = msgspec.json.decode(text, type=_File)
        if file.format not in (FORMAT, compact.FORMAT):
            raise UserError(f"{name} has format {file.format}; this version of wordpl reads format {FORMAT}.")
        tree = _unpacked(file.tree if file.format == FORMAT else _rebuilt(file), 1)
    except (msgspec.DecodeError, ValueError) as error:
        raise UserError(f"{name} is not a tree: {error}.") from None
    except RecursionError:
        raise UserError(f"{name} is not a tree: it is deeper than {MAX_GUESSES} guesses.") from None
    n_answers = sum(tree.counts().values())
    if (n_answers, tree.total) != (file.n_answers, file.sum):
        stated = f"{amount(file.n_answers, 'answer')} in {amount(file.sum, 'guess', 'guesses')}"
        raise UserError(f"{name} is damaged: it states {stated}, but contains {n_answers:,} in {tree.total:,}.")
    return tree, TreeProvenance(file.rules, file.sha256, file.obtained)


def _rebuilt(file: _File) -> Any:
    """Return the field `tree` for a compact file."""
    lists = words.load()
    if not lists.has_words_of(file.sha256):
        raise ValueError("it was made for other word lists than the bundled ones")
    return compact.rebuild(iter(file.guesses.split()), lists.answers)


def _unpacked(packed: Any, n: int, length: int = 0) -> Tree:
    """Return the tree from its form in a file.

    Args:
        packed: The content of the field `tree`, or a part of it.
        n: The number of the tree's first guess.
        length: The number of letters of each word; 0 for any.

    Raises:
        ValueError: The content is not a tree.
    """
    if n > MAX_GUESSES:
        raise ValueError(f"it is deeper than {MAX_GUESSES} guesses")
    guess, is_answer, branches = _parts(packed)
    length = length or len(guess)
    if not WORD.fullmatch(guess) or len(guess) != length:
        raise ValueError(f"{short(guess)} should be a guess of {length} lowercase letters")
    for clues in branches:
        if len(clues) != length or set(clues) - set(MARKS) or clues == "c" * length:
            raise ValueError(f"{short(clues)} should be a clue of {length} marks {MARKS}, not all c")
    return Tree(guess, {clues: _unpacked(branches[clues], n + 1, length) for clues in branches}, is_answer)


def _parts(packed: Any) -> tuple[str, bool, dict[str, Any]]:
    match packed:
        case str() as answer:
            return answer, True, {}
        case [str() as guess, bool() as is_answer, dict() as branches]:
            return guess, is_answer, branches
    raise ValueError(f"{short(str(packed))} should be a word or [guess, is_answer, branches]")
