"""The published text format of trees, which other solvers read and write too.

Each line is the game of one answer, like `salet BBBBY1 north GGGGG2`: each guess with its clue (B not in the secret, Y
elsewhere, G in place) and its number. The part that a line shares with the line above is replaced by spaces, so that
trees look like this; full lines are accepted too:

    salet BBBBG1 mount BBBBG2 drift GGGGG3
                       GGGGG2
          GGGGG1

Alex Selby publishes his trees in this format, with clues in alphabetical order.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.solvers.trees.tree import MAX_GUESSES, Path, Tree

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
    return "".join(f"{line}\n" for line in _lines(tree.paths()))


def _lines(paths: Iterable[Path]) -> Iterator[str]:
    above: Path = ()
    for path in sorted(paths, key=lambda path: [clues for _, clues in path]):
        steps = [f"{guess} {clues.translate(TO_COLOURS)}{n}" for n, (guess, clues) in enumerate(path, 1)]
        shared = _n_shared(above, path)
        # The guess after the shared part is shared too, because the same clues lead to the same guess.
        hidden = len(" ".join([*steps[:shared], path[shared][0]])) if above else 0
        yield " " * hidden + " ".join(steps)[hidden:]
        above = path


def _n_shared(above: Path, path: Path) -> int:
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


def _path(words: list[str]) -> Path:
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

    def add(self, path: Path) -> None:
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
