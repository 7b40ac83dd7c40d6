"""Facts about games, and their moves.

A move is what a player proposed, together with the clues it received; a verdict ends a game.
"""

import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import fsum, inf
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType


class MoveForm(StrEnum):
    """The form of a game's moves. An entry made for one game can play every game of the same form."""

    NOISY = "noisy"  # (guess, epsilon), where epsilon 0 proposes the answer and ends the game
    CLASSIC = "classic"  # a guess, which wins if it is the secret


class GameFacts(msgspec.Struct, frozen=True):
    """What a record, a score and a board need to know of a game.

    Attributes:
        id: The name of the game with its version; any change of the rules is a new version.
        form: The form of its moves.
        unit: The unit of the cost of a won game, in which the host reads tables.
        limit: The number of guesses within which a player has to win; None: there is no practical limit.
        loss_cost: The cost of a lost game in means; None: the host chooses it for a run.
        bins: The number of bins of a histogram of guesses: 1, 2, ... `bins`, and one for all other games; 0: none.
        has_secret: Whether a secret is drawn before the first guess. If not, records have an empty secret.
        sha256: The digest of the file that a host's own game comes from; "" for the games of the package.
        has_false_clues: Whether clues may be false, where that differs from what the form of moves suggests: they may
            be if guesses have an epsilon. The class of a game finds it from its channel.
    """

    id: str
    form: MoveForm
    unit: str
    limit: int | None = None
    loss_cost: float | None = None
    bins: int = 0
    has_secret: bool = True
    sha256: str = ""
    has_false_clues: bool | UnsetType = UNSET

    @classmethod
    def of_guesses(cls, id: str, limit: int) -> "GameFacts":
        """Return the facts of a game of `limit` guesses, where a lost game counts as one guess more.

        >>> GameFacts.of_guesses("wordle/1", 6).loss_cost
        7.0
        """
        return cls(id, MoveForm.CLASSIC, "guesses", limit, limit + 1.0, limit)

    def as_text(self) -> str:
        """Return the facts as JSON, for the cells of a table."""
        return msgspec.json.encode(self).decode()

    @property
    def has_epsilon(self) -> bool:
        """Whether guesses have an epsilon; then the cost of a game is the sum of them, otherwise its guesses."""
        return self.form is MoveForm.NOISY

    @property
    def is_exact(self) -> bool:
        """Whether clues are shown as they are."""
        return not (self.has_epsilon if self.has_false_clues is UNSET else self.has_false_clues)

    @property
    def has_answer_move(self) -> bool:
        """Whether the answer is a move of its own, so that the clues before it tell the chance that it wins."""
        return self.form is MoveForm.NOISY


def facts_from_text(text: str) -> GameFacts:
    """Return the facts that `GameFacts.as_text` wrote.

    Raises:
        ValueError: The text does not describe a game.
    """
    return msgspec.json.decode(text, type=GameFacts)


UNKNOWN_GAME = GameFacts("", MoveForm.NOISY, "")
"""Stands for the game of an entry that has not been asked for it yet."""


BUDGET_DIGITS = 5
"""The number of decimals to which spent budgets are rounded."""


LARGEST_BUDGET = sys.float_info.max
"""Stands for an infinite budget, a sum that overflows, wherever the cost of a lost game is infinite."""


def budget_text(budget: float) -> str:
    """Return a budget as text.

    >>> budget_text(14.32), budget_text(2e308)
    ('14.32', '∞')
    """
    return f"{budget:.6g}" if budget < LARGEST_BUDGET else "∞"


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
