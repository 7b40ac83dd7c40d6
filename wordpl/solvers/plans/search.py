"""Settings of the search for a guess that is followed by one or two more."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Search:
    """How to search for a guess when others follow.

    Attributes:
        n_tried: How many guesses to try, the most informative ones. With 1 and two more guesses to follow, the search
            takes this guess without estimating its value.
        n_clues: How many of each guess's likeliest clues to follow; after each, the next guess is searched for among
            all words.
        splits: Parts of the last epsilon that may be moved to this guess if exactly one more follows.
    """

    n_tried: int = 16
    n_clues: int = 60
    splits: tuple[float, ...] = (0.0,)
