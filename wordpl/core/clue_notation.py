"""Notations for clues: the game's marks, the letters of published decision trees, and coloured squares."""

from wordpl.core.clues import MARKS
from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text

SQUARES = {"⬛": ".", "⬜": ".", "🟨": "i", "🟦": "i", "🟩": "c", "🟧": "c"}
"""The squares of Wordle's dark, light and high-contrast modes."""
LETTERS = {"B": ".", "Y": "i", "G": "c"}
VARIATION_SELECTOR = "\ufe0f"
"""An invisible character that some keyboards add after a square."""
SHOWN_CHARACTERS = 60


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
        shown = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
        raise UserError(
            f"{shown!r} is not a clue for {length} letters: write one mark per letter, c for the right "
            f"place, i for another place, . for not in the word ({example}), or B, Y and G, or coloured squares."
        )
    return clues


def _capitals(text: str) -> str:
    """Return the letters b, y and g as capitals; the marks c and i stay as they are."""
    return "".join(mark.upper() if mark.upper() in LETTERS else mark for mark in text)
