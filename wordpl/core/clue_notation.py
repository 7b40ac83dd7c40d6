"""How people write clues: in the game's marks, in the letters of published trees, or as coloured squares."""

from wordpl.core.clues import MARKS
from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text

SQUARES = {"⬛": ".", "⬜": ".", "🟨": "i", "🟦": "i", "🟩": "c", "🟧": "c"}
"""The squares of Wordle's dark and light backgrounds, and those of its high contrast mode."""
LETTERS = {"B": ".", "Y": "i", "G": "c"}
VARIATION = "\ufe0f"
"""What some keyboards put after a square."""
SHOWN_CHARACTERS = 60


def read_clues(text: str, length: int) -> str:
    """Return a clue in the game's marks.

    Raises:
        UserError: the text is no clue of `length` letters.

    >>> [read_clues(text, 5) for text in (".i..c", "BYBBG", "bybbg", "⬛🟨⬛⬛🟩")]
    ['.i..c', '.i..c', '.i..c', '.i..c']
    """
    clues = "".join((SQUARES | LETTERS).get(mark, mark) for mark in _capitals(text.replace(VARIATION, "")))
    if len(clues) != length or set(clues) - set(MARKS):
        example = ".i..c" + "." * (length - 5) if length >= 5 else ".ic"
        shown = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
        raise UserError(
            f"{shown!r} is no clue of {length} letters: write a mark for each, c for the "
            f"right place, i for another place, . for not in the word ({example}), or B, Y and G, or coloured squares."
        )
    return clues


def _capitals(text: str) -> str:
    """Return the letters b, y and g as capitals; the marks c and i stay as they are."""
    return "".join(mark.upper() if mark.upper() in LETTERS else mark for mark in text)
