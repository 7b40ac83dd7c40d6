"""Suggestions for misspelled names."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(text: str, choices: Iterable[str]) -> str:
    """Return a sentence, preceded by a space, that suggests the choice most similar to `text`; "" if there is none.

    >>> did_you_mean("wordel/1", ["wordpl/1", "wordle/1"])
    " Did you mean 'wordle/1'?"
    >>> did_you_mean("chess", ["wordpl/1", "wordle/1"])
    ''
    """
    near = get_close_matches(text, list(choices))
    swapped = [choice for choice in near if sorted(choice) == sorted(text)]  # the most frequent typo
    return f" Did you mean {(swapped + near)[0]!r}?" if near else ""
