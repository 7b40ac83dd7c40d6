"""A tree on disk: JSON that says where the tree comes from, or the published text form."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core import words
from wordpl.core.clues import MARKS
from wordpl.core.errors import UserError
from wordpl.solvers.trees import compact
from wordpl.solvers.trees.text import WORD, as_text, read_text, short
from wordpl.solvers.trees.tree import MAX_GUESSES, Tree

FORMAT = 1
MAX_FILE = 1 << 26


@dataclass(frozen=True)
class TreeProvenance:
    """Where a tree comes from.

    Attributes:
        rules: the game it is made for, "wordle/1" for instance
        sha256: of the word lists, as `WordLists.sha256` has them
        obtained: how, in a sentence
    """

    rules: str
    sha256: Mapping[str, str]
    obtained: str


class _File(msgspec.Struct):
    """A JSON file; `tree` is a word, the answer where the game ends, or [guess, is_answer, {clue: tree}].

    A compact one has the `guesses` of `wordpl.solvers.trees.compact` instead.
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
    """Raise UserError if no tree can be written to this file, so that it is known before the tree is searched for."""
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"cannot write the tree {path}: there is no folder {folder}.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UserError(f"cannot write the tree {path}: permission denied.")


def save(path: Path, tree: Tree, provenance: TreeProvenance) -> None:
    """Write the tree into a file: as JSON, or in the published form, without its provenance, unless it ends in .json.

    Raises:
        UserError: where nothing can be written.
    """
    data = as_json(tree, provenance) if path.suffix == ".json" else as_text(tree).encode()
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UserError(f"cannot write the tree {path}: {error.strerror}.") from None


def as_json(tree: Tree, provenance: TreeProvenance) -> bytes:
    """Return the tree as a JSON file holds it, on one line."""
    n_answers = sum(tree.counts().values())
    origin = (FORMAT, provenance.rules, dict(provenance.sha256), provenance.obtained)
    return msgspec.json.encode(_File(*origin, n_answers, tree.total, _packed(tree))) + b"\n"


def _packed(tree: Tree) -> Any:
    if tree.is_answer and not tree.branches:
        return tree.guess
    return [tree.guess, tree.is_answer, {clues: _packed(tree.branches[clues]) for clues in sorted(tree.branches)}]


def load(path: Path) -> tuple[Tree, TreeProvenance | None]:
    """Return the tree in a file of either form, with its provenance where it is told.

    Raises:
        UserError: for a file that holds no tree.
    """
    try:
        if path.stat().st_size > MAX_FILE:
            raise UserError(f"{path} is larger than {MAX_FILE >> 20} MiB, so it is no tree.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the tree {path}: {error}") from None
    return from_json(text, str(path)) if text.lstrip().startswith("{") else (read_text(text, str(path)), None)


def from_json(text: str, name: str) -> tuple[Tree, TreeProvenance]:
    """Return the tree that a JSON text holds.

    Raises:
        UserError: unless it is one; `name` is what messages call it.
    """
    try:
        file = msgspec.json.decode(text, type=_File)
        if file.format not in (FORMAT, compact.FORMAT):
            raise UserError(f"{name} has format {file.format}; this version of wordpl reads format {FORMAT}.")
        tree = _unpacked(file.tree if file.format == FORMAT else _grown(file), 1)
    except (msgspec.DecodeError, ValueError) as error:
        raise UserError(f"{name} is no tree: {error}.") from None
    except RecursionError:
        raise UserError(f"{name} is no tree: it goes deeper than {MAX_GUESSES} guesses.") from None
    n_answers = sum(tree.counts().values())
    if (n_answers, tree.total) != (file.n_answers, file.sum):
        told = f"{file.n_answers:,} answers in {file.sum:,} guesses"
        raise UserError(f"{name} is damaged: it says {told}, and holds {n_answers:,} in {tree.total:,}.")
    return tree, TreeProvenance(file.rules, file.sha256, file.obtained)


def _grown(file: _File) -> Any:
    """Return the tree of a compact file, as the other format has it; raises ValueError if it cannot be made."""
    lists = words.load()
    if file.sha256 != lists.sha256:
        raise ValueError("it was made for other word lists than those that come with wordpl")
    return compact.grown(iter(file.guesses.split()), lists.answers)


def _unpacked(packed: Any, n: int, length: int = 0) -> Tree:
    """Return the tree that stands in a file at guess number n.

    Args:
        length: the letters of each word, 0 where any will do

    Raises:
        ValueError: for what is none.
    """
    if n > MAX_GUESSES:
        raise ValueError(f"it goes deeper than {MAX_GUESSES} guesses")
    guess, is_answer, branches = _parts(packed)
    length = length or len(guess)
    if not WORD.fullmatch(guess) or len(guess) != length:
        raise ValueError(f"{short(guess)} should be a guess of {length} small letters")
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
