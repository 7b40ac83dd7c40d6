"""Suggestions for a name that was probably misspelled."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(text: str, choices: Iterable[str]) -> str:
    """Return a sentence with the choice that is spelled most like `text`, with a space before it; "" if none is.

    >>> did_you_mean("wordel/1", ["wordpl/1", "wordle/1"])
    " Did you mean 'wordle/1'?"
    >>> did_you_mean("chess", ["wordpl/1", "wordle/1"])
    ''
    """
    near = get_close_matches(text, list(choices))
    swapped = [choice for choice in near if sorted(choice) == sorted(text)]  # two letters change places most often
    return f" Did you mean {(swapped + near)[0]!r}?" if near else ""
