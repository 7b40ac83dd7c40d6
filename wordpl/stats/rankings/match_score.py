"""By how much a player did better than another on one day, as a number between 0 and 1.

S = 0.5 + (b - a) / (2 R) for the player with a guesses against one with b: 0.5 for equal ones, and 1 for the largest
difference there can be, R = 6 where X counts as 7 guesses and R = 5 where it is left out.
"""

from wordpl.stats.rankings.results import X


def largest_difference(x_is_seven: bool) -> int:
    """Return R.

    >>> largest_difference(True), largest_difference(False)
    (6, 5)
    """
    return X - 1 if x_is_seven else X - 2
