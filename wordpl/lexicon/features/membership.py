"""Whether a word is among Wordle's original guesses."""

from collections.abc import Sequence

from wordpl.core import words as lists

SOURCES = ()
LEAKAGE = (
    "the 12,972 guesses contain all 2,315 answers by construction, so held-out recall on those is too optimistic; "
    "answers added later may not be among them"
)


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return whether each word is among the 12,972 original guesses. No list of answers is used."""
    original = lists.load().guess_set
    return [{"guessable_in_2021": word in original} for word in words]
