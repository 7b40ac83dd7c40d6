"""How far a guess is looked into that has one or two more to follow."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Search:
    """How a guess is searched for when others follow.

    Attributes:
        n_tried: guesses tried, those whose clues say most; of one, where two others follow, nothing is estimated
        n_clues: of each guess, the likeliest clues, after which the next guess is looked for among all words
        splits: parts of the last epsilon that may be moved to this guess, where one more follows
    """

    n_tried: int = 16
    n_clues: int = 60
    splits: tuple[float, ...] = (0.0,)
