"""The few kinds of things that games, runs and records have in common, as enums."""

from enum import StrEnum

CLASSIC_GUESSES = 6
"""The guesses that Wordle allows."""


class GameKind(StrEnum):
    """The shape of a move. An entry made for one game can play every game of the same kind."""

    NOISY = "noisy"
    CLASSIC = "classic"


class Measure(StrEnum):
    """What a won game costs."""

    BUDGET = "budget"  # the sum of its epsilons
    GUESSES = "guesses"  # of which there are six
    TRIES = "tries"  # guesses without a limit worth knowing

    @property
    def kind(self) -> GameKind:
        """The kind of the games that have this cost."""
        return GameKind.NOISY if self is Measure.BUDGET else GameKind.CLASSIC


class PlayerKind(StrEnum):
    """Where the players of a run live."""

    PROCESS = "process"  # each in a sandboxed process of its own
    TRUSTED = "trusted"  # in the referee's own process
