"""How clues are written on the command line: in the game's marks, in the letters of published trees, or as squares."""

from collections.abc import Sequence

from wordpl.core.clues import MARKS
from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.core.words import WordLists

SQUARES = {"⬛": ".", "⬜": ".", "🟨": "i", "🟦": "i", "🟩": "c", "🟧": "c"}
LETTERS = {"B": ".", "Y": "i", "G": "c"}
VARIATION = "\ufe0f"
"""What some keyboards put after a square."""
SHOWN_CHARACTERS = 60


def read_clues(text: str, length: int) -> str:
    """Return a clue in the game's marks. Raises UserError for what is none of `length` letters.

    >>> [read_clues(text, 5) for text in (".i..c", "BYBBG", "⬛🟨⬛⬛🟩")]
    ['.i..c', '.i..c', '.i..c']
    """
    clues = "".join((SQUARES | LETTERS).get(mark, mark) for mark in text.replace(VARIATION, ""))
    if len(clues) != length or set(clues) - set(MARKS):
        example = ".i..c" + "." * (length - 5) if length >= 5 else ".ic"
        shown = sanitize_untrusted_text(text, SHOWN_CHARACTERS)
        raise UserError(
            f"{shown!r} is no clue of {length} letters: write a mark for each, c for the "
            f"right place, i for another place, . for not in the word ({example}), or B, Y and G, or coloured squares."
        )
    return clues


def read_hints(texts: Sequence[str], lists: WordLists) -> tuple[tuple[str, str], ...]:
    """Return guesses with their clues from texts as `tares:....i`. Raises UserError for what is no guess or no clue."""
    hints = []
    for text in texts:
        guess, colon, clues = text.partition(":")
        if not colon:
            raise UserError(
                f"{sanitize_untrusted_text(text, SHOWN_CHARACTERS)!r} should be a guess and its clue, as in tares:....i"
            )
        if guess.lower() not in lists.guess_set:
            raise UserError(f"{sanitize_untrusted_text(guess, SHOWN_CHARACTERS)!r} is not a word of the guesses.")
        hints.append((guess.lower(), read_clues(clues, lists.length)))
    return tuple(hints)
