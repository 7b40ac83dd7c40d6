"""Moves: what a player proposed, together with the clues that it got.

JSON, and with it every record, holds a move as an array: `["crane", 8.0, "..i.c"]` in a noisy game, `["crane", 0, ""]`
for the answer that ends one, and `["crane", "..i.c"]` in a classic game.
"""

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any, cast

import msgspec

from wordpl.core.game_kinds import GameKind

BUDGET_DIGITS = 5
"""The decimals of a budget that was spent, as it is printed and kept."""


class NoisyMove(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """A guess at the price of its epsilon; with epsilon 0, the answer that ends the game.

    Attributes:
        clues: empty until there are any, and for an answer
    """

    guess: str
    epsilon: float | int  # both, so that 0 is written as it was read
    clues: str

    @property
    def is_answer(self) -> bool:
        """Whether the word is proposed as the answer."""
        return self.epsilon == 0

    @property
    def proposal(self) -> tuple[str, float]:
        """The move without its clues, as a strategy proposes it."""
        return self.guess, self.epsilon

    @property
    def arguments(self) -> tuple[str, float, str]:
        """What `next_move` of a strategy is called with after this move."""
        return self.guess, self.epsilon, self.clues

    def with_clues(self, clues: str) -> "NoisyMove":
        """Return the same move with these clues."""
        return NoisyMove(self.guess, self.epsilon, clues)


class ClassicMove(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """A guess whose clues are true.

    Attributes:
        clues: empty until there are any
    """

    guess: str
    clues: str

    @property
    def proposal(self) -> tuple[str]:
        """The move without its clues."""
        return (self.guess,)

    @property
    def arguments(self) -> tuple[str, str]:
        """What `next_move` of a strategy is called with after this move."""
        return self.guess, self.clues

    def with_clues(self, clues: str) -> "ClassicMove":
        """Return the same move with these clues."""
        return ClassicMove(self.guess, clues)


Move = NoisyMove | ClassicMove

MOVE_TYPES: dict[GameKind, type[NoisyMove] | type[ClassicMove]] = {
    GameKind.NOISY: NoisyMove,
    GameKind.CLASSIC: ClassicMove,
}
"""The type of the moves in games of each kind."""


def from_json(value: Any, kind: GameKind) -> Move:
    """Return the move that a value from JSON stands for.

    Raises:
        ValueError: it is no move of this kind of game.
    """
    return msgspec.convert(value, MOVE_TYPES[kind])


def noisy(moves: Sequence[Move]) -> list[NoisyMove]:
    """Return the moves of a noisy game as what they are.

    Raises:
        TypeError: for those of a classic game.
    """
    if not {*map(type, moves)} <= {NoisyMove}:
        raise TypeError("these are moves of a classic game")
    return cast("list[NoisyMove]", list(moves))


def total_epsilon(moves: Iterable[Move]) -> float:
    """Return the sum of the epsilons of these moves, which is 0 in a classic game.

    It has no more than BUDGET_DIGITS decimals: a plan's epsilons are binary fractions, whose sum may be 2^-20 below
    what the plan is meant to spend.
    """
    return round(fsum([move.epsilon for move in moves if isinstance(move, NoisyMove)]), BUDGET_DIGITS)
