"""The WORDPL contest's published champions, written anew from their descriptions: the rivals to beat.

G3 held the 5 % record with two guesses at 9.3 and 5.3, D95 those for 50 and 95 % with three guesses at one price, 12.3
or 25. Both take the second guess from a table of 243 and search for the last, and both answer the posterior's likeliest
word. Their tables were not at hand: `wordpl plan` made these.
"""

from dataclasses import dataclass

from strategies.schedule import Schedule


@dataclass
class G3(Schedule):
    """Two guesses, the second from a table."""

    plan: str = "g3"


@dataclass
class D95(Schedule):
    """Three guesses at the same price, the second from a table."""

    plan: str = "d95_25"


ENTRIES = [G3(), D95("d95_12"), D95("d95_25")]
