"""The score of a match between two players on one day, a number between 0 and 1.

The score of a player with a guesses against one with b is S = 0.5 + (b - a) / (2 R): 0.5 for a tie, and 1 for the
largest possible difference R, which is 6 if X counts as 7 guesses, and 5 if X is left out.
"""

from wordpl.stats.rankings.results import X


def largest_difference(x_is_seven: bool) -> int:
    """Return the largest possible difference R.

    >>> largest_difference(True), largest_difference(False)
    (6, 5)
    """
    return X - 1 if x_is_seven else X - 2
