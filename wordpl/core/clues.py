"""The clue rules in plain Python: what a guess reveals about the secret, how noise changes it, and how it is written.

A clue is a string with one mark per letter: `c` for the right place, `i` for a letter that is elsewhere in the word,
`.` for a letter that is not in it. `wordpl.core.clue_matrix` implements the same rules in compiled code. Users may also
write clues with the letters of published decision trees, or as coloured squares.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp

from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text

MARKS = ".ic"
OTHER_MARKS = {".": "ic", "i": "c.", "c": ".i"}
DRAW_LIMIT = 1 << 32

SQUARES = {"⬛": ".", "⬜": ".", "🟨": "i", "🟦": "i", "🟩": "c", "🟧": "c"}
"""The squares of Wordle's dark, light and high-contrast modes."""
LETTERS = {"B": ".", "Y": "i", "G": "c"}
VARIATION_SELECTOR = "\ufe0f"
"""An invisible character that some keyboards add after a square."""
SHOWN_CHARACTERS = 60


def anywhere(guess: str, secret: str) -> str:
    """Return the clue under the rule that marks a misplaced letter `i` wherever it occurs in the secret.

    >>> anywhere("speed", "abide")
    '..iii'
    """
    return "".join("c" if g == s else "i" if g in secret else "." for g, s in zip(guess, secret, strict=True))


def counted(guess: str, secret: str) -> str:
    """Return the clue under Wordle's rule: each letter of the secret accounts for at most one mark.

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
    """Return the clue as a base-3 number; the first letter's mark is the most significant digit.

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
    """Return the probability that a mark is shown unchanged, e^(epsilon/length) / (2 + e^(epsilon/length)).

    >>> round(keep_probability(8.0), 3)
    0.712
    """
    return 1 / (1 + 2 * exp(-epsilon / length))


def noisy(clues: str, epsilon: float, draws: Sequence[int]) -> str:
    """Return the clue after randomized response on each mark.

    Args:
        clues: The true clue.
        epsilon: The budget spent on the guess.
        draws: For each letter, a uniformly random integer below 2^32. A mark is kept if its draw lies below
            `keep_probability` times 2^32; the rest of the range is divided equally between the two other marks.
    """
    first, middle = _shares(epsilon, len(clues))
    if max(draws) < first:
        return clues
    return "".join([
        mark if draw < first else OTHER_MARKS[mark][draw >= middle] for mark, draw in zip(clues, draws, strict=True)
    ])  # fmt: skip


@lru_cache(maxsize=1024)
def _shares(epsilon: float, length: int) -> tuple[float, float]:
    """Return the bounds of the draws that keep a mark, and of those that show the first of the other marks."""
    keep = keep_probability(epsilon, length)
    return keep * DRAW_LIMIT, (1 + keep) / 2 * DRAW_LIMIT


def read_clues(text: str, length: int) -> str:
    """Return the clue that a text stands for, in the game's marks.

    Raises:
        UserError: The text is not a clue for a word of `length` letters.

    >>> [read_clues(text, 5) for text in (".i..c", "BYBBG", "bybbg", "⬛🟨⬛⬛🟩")]
    ['.i..c', '.i..c', '.i..c', '.i..c']
    """
    clues = "".join((SQUARES | LETTERS).get(mark, mark) for mark in _capitals(text.replace(VARIATION_SELECTOR, "")))
    if len(clues) != length or set(clues) - set(MARKS):
        example = ".i..c" + "." * (length - 5) if length >= 5 else ".ic"
        excerpt = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
        raise UserError(
            f"{excerpt!r} is not a clue for {length} letters: write one mark per letter, c for the right "
            f"place, i for another place, . for not in the word ({example}), or B, Y and G, or coloured squares."
        )
    return clues


def _capitals(text: str) -> str:
    """Return the letters b, y and g as capitals; the marks c and i stay as they are."""
    return "".join(mark.upper() if mark.upper() in LETTERS else mark for mark in text)
