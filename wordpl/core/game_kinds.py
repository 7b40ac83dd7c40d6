"""Enums that games, runs and records share."""

from enum import StrEnum

CLASSIC_GUESSES = 6
"""The number of guesses in Wordle."""


class GameKind(StrEnum):
    """The form of a game's moves. An entry made for one game can play every game of the same kind."""

    NOISY = "noisy"
    CLASSIC = "classic"


class Measure(StrEnum):
    """The unit of the cost of a won game."""

    BUDGET = "budget"  # the sum of its epsilons
    GUESSES = "guesses"  # at most six
    TRIES = "tries"  # guesses without a practical limit

    @property
    def kind(self) -> GameKind:
        """The kind of the games whose cost has this unit."""
        return GameKind.NOISY if self is Measure.BUDGET else GameKind.CLASSIC


class PlayerKind(StrEnum):
    """Where the players of a run are executed."""

    PROCESS = "process"  # each in its own sandboxed process
    TRUSTED = "trusted"  # in the referee's process
