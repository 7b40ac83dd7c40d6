"""The rules of clues in plain Python: what a guess reveals about the secret, and how noise hides it.

A clue is a string with one mark a letter: `c` this letter at this place, `i` this letter elsewhere, `.` not this
letter. `wordpl.core.clue_matrix` holds the same rules compiled.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp

MARKS = ".ic"
OTHER_MARKS = {".": "ic", "i": "c.", "c": ".i"}
DRAW_LIMIT = 1 << 32


def anywhere(guess: str, secret: str) -> str:
    """Return the clue that marks a letter `i` whenever it occurs anywhere in the secret.

    >>> anywhere("speed", "abide")
    '..iii'
    """
    return "".join("c" if g == s else "i" if g in secret else "." for g, s in zip(guess, secret, strict=True))


def counted(guess: str, secret: str) -> str:
    """Return the clue the way Wordle gives it, where each letter of the secret explains one mark.

    >>> counted("speed", "abide")
    '..i.i'
    """
    unexplained = [s for g, s in zip(guess, secret, strict=True) if g != s]
    marks = []
    for g, s in zip(guess, secret, strict=True):
        if g == s:
            marks.append("c")
        elif g in unexplained:
            unexplained.remove(g)
            marks.append("i")
        else:
            marks.append(".")
    return "".join(marks)


CLUE_RULES = {"anywhere": anywhere, "counted": counted}


def encode(clues: str) -> int:
    """Return the clue as a base-3 number, the first letter's mark first.

    >>> encode("..i.c")
    11
    """
    code = 0
    for mark in clues:
        code = 3 * code + MARKS.index(mark)
    return code


def decode(code: int, length: int) -> str:
    """Return the clue of `length` letters whose number is `code`.

    >>> decode(11, 5)
    '..i.c'
    """
    marks = ""
    for _ in range(length):
        code, mark = divmod(code, 3)
        marks = MARKS[mark] + marks
    return marks


def keep_probability(epsilon: float, length: int = 5) -> float:
    """Return the chance that a mark is shown as it is, e^(epsilon/length) / (2 + e^(epsilon/length)).

    >>> round(keep_probability(8.0), 3)
    0.712
    """
    return 1 / (1 + 2 * exp(-epsilon / length))


def noisy(clues: str, epsilon: float, draws: Sequence[int]) -> str:
    """Return the clue after randomised response on each mark.

    Args:
        draws: a whole number below 2^32 for each letter, each as likely. A mark stays where the draw is in the first
            part of that range, as large as the chance to keep it; the rest is halved between the two other marks
    """
    first, middle = _shares(epsilon, len(clues))
    if max(draws) < first:
        return clues
    return "".join([
        mark if draw < first else OTHER_MARKS[mark][draw >= middle] for mark, draw in zip(clues, draws, strict=True)
    ])  # fmt: skip


@lru_cache(maxsize=1024)
def _shares(epsilon: float, length: int) -> tuple[float, float]:
    """Return where the first and the second part of the range of draws end."""
    keep = keep_probability(epsilon, length)
    return keep * DRAW_LIMIT, (1 + keep) / 2 * DRAW_LIMIT
