"""Moves: what a player proposed, together with the clues it received; and the verdicts that end games.

In JSON, and so in every record, a move is an array: `["crane", 8.0, "..i.c"]` in a noisy game, `["crane", 0, ""]` for
the answer that ends a noisy game, and `["crane", "..i.c"]` in a classic game.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import fsum, inf
from typing import Any, cast

import msgspec

from wordpl.core.game_facts import MoveForm

BUDGET_DIGITS = 5
"""The number of decimals to which spent budgets are rounded."""


class Verdict(StrEnum):
    """How a game ended."""

    WON = "won"
    WRONG = "wrong"  # answered with another word than the secret
    UNSOLVED = "unsolved"  # ran out of guesses
    ILLEGAL = "illegal"  # made a move that the rules do not allow
    CRASHED = "crashed"  # raised an exception, or its process ended
    LATE = "late"  # exceeded the time for one game
    MEMORY = "out of memory"
    FAULT = "fault"  # its process was killed from outside after the entry had seen a clue
    UNPLAYED = "unplayed"  # the entry had used up its time for the whole run


class NoisyMove(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """A guess that costs its epsilon or, with epsilon 0, the answer that ends the game.

    Attributes:
        clues: Empty for an answer, and before the clues are known.
    """

    guess: str
    epsilon: float | int  # both types, so that 0 and 0.0 are written as they were read
    clues: str

    @property
    def is_answer(self) -> bool:
        """Whether this move proposes the answer."""
        return self.epsilon == 0

    @property
    def proposal(self) -> tuple[str, float]:
        """The move without its clues, as a strategy proposes it."""
        return self.guess, self.epsilon

    @property
    def arguments(self) -> tuple[str, float, str]:
        """The arguments of a strategy's `next_move` after this move."""
        return self.guess, self.epsilon, self.clues

    def with_clues(self, clues: str) -> "NoisyMove":
        """Return the same move with these clues."""
        return NoisyMove(self.guess, self.epsilon, clues)


class ClassicMove(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """A guess in a game without noise.

    Attributes:
        clues: Empty before the clues are known.
    """

    guess: str
    clues: str

    @property
    def proposal(self) -> tuple[str]:
        """The move without its clues, as a strategy proposes it."""
        return (self.guess,)

    @property
    def arguments(self) -> tuple[str, str]:
        """The arguments of a strategy's `next_move` after this move."""
        return self.guess, self.clues

    def with_clues(self, clues: str) -> "ClassicMove":
        """Return the same move with these clues."""
        return ClassicMove(self.guess, clues)


Move = NoisyMove | ClassicMove

MOVE_TYPES: dict[MoveForm, type[NoisyMove] | type[ClassicMove]] = {
    MoveForm.NOISY: NoisyMove,
    MoveForm.CLASSIC: ClassicMove,
}
"""The type of move in each kind of game."""


def from_json(value: Any, kind: MoveForm) -> Move:
    """Return the move that a decoded JSON value represents.

    Raises:
        ValueError: The value is not a move of this kind of game.
    """
    return msgspec.convert(value, MOVE_TYPES[kind])


def noisy(moves: Sequence[Move]) -> list[NoisyMove]:
    """Return the moves, typed as moves of a noisy game.

    Raises:
        TypeError: A move belongs to a classic game.
    """
    if not {*map(type, moves)} <= {NoisyMove}:
        raise TypeError("these are moves of a classic game")
    return cast("list[NoisyMove]", list(moves))


def total_epsilon(moves: Iterable[Move]) -> float:
    """Return the sum of the epsilons of these moves, 0 in a classic game."""
    return budget_of([move.epsilon for move in moves if isinstance(move, NoisyMove)])


def budget_of(epsilons: Iterable[float]) -> float:
    """Return the budget that these epsilons spend together; every budget that is stored or compared is summed here.

    The sum is rounded to BUDGET_DIGITS decimals: a plan's epsilons are binary fractions, and their sum may be 2^-20
    below the budget that the plan is meant to spend. A sum above the largest number is infinite.

    >>> budget_of([10.023999214172363, 4.2960004806518555])
    14.32
    """
    try:
        return round(fsum(epsilons), BUDGET_DIGITS)
    except OverflowError:  # a strategy may pay the largest number twice
        return inf
