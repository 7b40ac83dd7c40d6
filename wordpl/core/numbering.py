"""Numbering recurring values, such as the words of millions of moves."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Value = TypeVar("Value")


class Numbering(dict[Value, int]):
    """Maps values to numbers in the order of their first occurrence; a new value gets the next number.

    >>> numbers = Numbering()
    >>> numbers["crane"], numbers["slate"], numbers["crane"]
    (0, 1, 0)
    """

    def __missing__(self, value: Value) -> int:
        """Assign the next number to a new value, and return it."""
        number = self[value] = len(self)
        return number

    def numbers_of(self, values: Iterable[Value], n: int) -> "NDArray[np.int64]":
        """Return the numbers of n values, int64[n]."""
        import numpy as np  # slow to import

        return np.fromiter(map(self.__getitem__, values), np.int64, n)
