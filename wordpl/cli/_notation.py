"""How guesses and their clues are written on the command line."""

from collections.abc import Sequence

from wordpl.core.clue_notation import read_clues
from wordpl.core.errors import UserError
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.core.words import WordLists

SHOWN_CHARACTERS = 60


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
