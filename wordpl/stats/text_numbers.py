"""Numbers for texts that occur again and again, such as the words of millions of moves."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class TextNumbers(dict[str, int]):
    """The number of each text, in the order in which they first occurred; a new text gets the next number.

    >>> numbers = TextNumbers()
    >>> numbers["crane"], numbers["slate"], numbers["crane"]
    (0, 1, 0)
    """

    def __missing__(self, text: str) -> int:
        """Return the next number, which is now that of the text."""
        number = self[text] = len(self)
        return number

    def of(self, texts: Iterable[str], n: int) -> NDArray[np.int64]:
        """Return the number of each of n texts."""
        return np.fromiter(map(self.__getitem__, texts), np.int64, n)
