"""Numbering recurring texts, such as the words of millions of moves."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class TextNumbers(dict[str, int]):
    """Maps texts to numbers in the order of their first occurrence; a new text gets the next number.

    >>> numbers = TextNumbers()
    >>> numbers["crane"], numbers["slate"], numbers["crane"]
    (0, 1, 0)
    """

    def __missing__(self, text: str) -> int:
        """Assign the next number to a new text, and return it."""
        number = self[text] = len(self)
        return number

    def numbers_of(self, texts: Iterable[str], n: int) -> NDArray[np.int64]:
        """Return the numbers of n texts, int64[n]."""
        return np.fromiter(map(self.__getitem__, texts), np.int64, n)
