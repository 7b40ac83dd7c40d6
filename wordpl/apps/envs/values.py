"""What the games of a task are worth to a learner: the value of what is known, and the luck of clues.

After each move a game has a value: the cost that it is expected to end with. For games that a right guess ends, it is
that of near-optimal play from the set of words that are left (`wordpl.stats.guess_luck`); for noisy games, that of
answering at once with the likeliest word (`wordpl.stats.clue_luck`). The luck of a move is the expectation of the value
before the clue, given the guess, minus the value after it. It has mean zero whatever an agent does, so that subtracting
it with a coefficient that was fixed before the game biases nothing.

With the coefficient b, the reward "luck-free" for a move is

    -(1 - b) cost + b (value before the move - its expectation after the move),

which is known before the clue. Without the constant value before the first move, which is left out, the rewards of a
game add up to minus what it cost minus b times the luck of its clues. The values between moves cancel, as in potentials
(A. Ng, D. Harada and S. Russell 1999), so that the reward to go is that of a critic. An answer to a noisy game is
always credited with its probability.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np

from wordpl.apps.envs.tasks import Task, gains
from wordpl.core.clues import encode
from wordpl.core.messages import UserError
from wordpl.core.moves import ClassicMove, Move, NoisyMove
from wordpl.games.classic import Wordle, WordleHard
from wordpl.kernels.clue_matrix import clue_row
from wordpl.stats.clue_luck import after_clue
from wordpl.stats.estimates import has_luck
from wordpl.stats.guess_luck import WON, ExactSets, GuessOutcomes, Posteriors, is_measured, table_fits

MAX_PLAIN_MOVES = 300
"""The number of moves that numpy alone measures as fast as loading the kernels takes."""
MAX_QUESTIONS = 4096
"""The most questions whose outcomes are remembered."""
MIN_GAMES = 50
"""The number of games from which the coefficient is estimated; before, it is 0."""
MEMORY = 20_000
"""The number of games after which an earlier one counts 1/e as much: a policy that learns needs a new coefficient."""
MAX_COEFFICIENT = 2.0


class Value(NamedTuple):
    """What a game is worth after a move.

    Attributes:
        expected: The expected cost of the game before the clue of this move, given the move.
        now: The same after the clue.
    """

    expected: float
    now: float

    @property
    def luck(self) -> float:
        """What the clue saved, compared with what the move could expect."""
        return self.expected - self.now


class ValueFollower(Protocol):
    """Follows one game after the other."""

    def copy(self) -> "ValueFollower":
        """Return another follower for games at the same time."""

    def begin(self) -> None:
        """Begin a game."""

    def after(self, move: Move, paid: float, *, won: bool) -> Value:
        """Return what the game is worth after its next move.

        Args:
            move: The move with its clues.
            paid: What the game costs up to and including this move.
            won: Whether it won.
        """


def follower(task: Task) -> ValueFollower:
    """Return what measures the luck of a task's games.

    Raises:
        UserError: There is no value for such games.
    """
    if is_measured(task.game):
        return _GuessFollower(task)
    if has_luck(task.game.facts):
        return _ClueFollower(task)
    raise UserError(f"the luck of {task.game.facts.id} is not measured: choose the reward 'cost' or 'win'.")


def has_values(task: Task) -> bool:
    """Return whether the luck of a task's games is measured."""
    return is_measured(task.game) or has_luck(task.game.facts)


class _GuessFollower:
    """Follows games that a right guess ends; after MAX_PLAIN_MOVES with kernels, where these have the rules."""

    def __init__(self, task: Task):
        self._task, game = task, task.game
        self._n_plain, self._has_kernels = 0, type(game) in (Wordle, WordleHard) and table_fits(game)
        self._tables: Any = None
        self._rules: Any = None
        self._room: Any = None
        self._states = ExactSets(game) if game.is_exact else Posteriors(game)
        self._gains, self._numbers = gains(task), {word: number for number, word in enumerate(game.lists.guesses)}
        self._asked: dict[tuple[Any, ...], GuessOutcomes] = {}
        self.begin()

    def copy(self) -> "_GuessFollower":
        """Return another follower, which shares what does not change."""
        other = copy(self)
        other._room = None
        other.begin()
        return other

    def begin(self) -> None:
        if self._has_kernels and self._n_plain >= MAX_PLAIN_MOVES and self._room is None:
            from wordpl.apps.envs import kernels  # numba, which is slow to import

            if self._tables is None:
                self._tables = kernels.tables_of(self._task, has_luck=True)
                self._rules = kernels.rules_of(self._task, has_luck=True)
            self._room, self._ask = kernels.room_of(self._task), kernels.ask
        self._members = np.arange(len(self._task.lists.answers)).astype(np.int32)
        self._state: Any = self._states.first()
        self._past: tuple[tuple[str, int], ...] = ()

    def after(self, move: Move, paid: float, *, won: bool) -> Value:
        assert isinstance(move, ClassicMove)
        code = WON if won and not self._task.game.is_exact else encode(move.clues)
        n_made = len(self._past)
        if self._room is not None:
            return self._after_in_kernels(move, code, n_made)
        key = (*self._past, move.guess)
        question = self._asked.get(key)
        if question is None:
            if len(self._asked) >= MAX_QUESTIONS:
                self._asked.clear()
            question = self._states.ask(self._state, self._past, move.guess, self._numbers[move.guess])
            self._asked[key] = question
        self._n_plain += 1
        shares = question.after(code)
        assert shares is not None  # the clue of a game that is being played is possible
        self._state = self._states.told(self._state, question, move.guess, code)
        self._past = (*self._past, (move.guess, code))
        return Value(self._cost(question.expected, n_made), self._cost(shares, n_made))

    def _after_in_kernels(self, move: ClassicMove, code: int, n_made: int) -> Value:
        room, guess = self._room, self._numbers[move.guess]
        expected, part = self._ask(self._tables, self._rules, guess, self._members, n_made, code, room)
        self._members = room.parted[room.firsts[part] : room.firsts[part + 1]].copy()
        self._past = (*self._past, (move.guess, code))
        return Value(float(expected), float(room.costs[code]))

    def _cost(self, shares: np.ndarray, n_made: int) -> float:
        left = np.minimum(np.arange(len(self._gains) - n_made), len(shares) - 1)
        return float(self._task.loss_cost - shares[left] @ self._gains[n_made:])


class _ClueFollower:
    """Follows noisy games, in which the answer is a move of its own."""

    def copy(self) -> "_ClueFollower":
        """Return another follower, which shares what does not change."""
        other = copy(self)
        other.begin()
        return other

    def __init__(self, task: Task):
        self._task, self._lists, self._rule = task, task.lists, task.game.clue_rule
        self._places = {word: place for place, word in enumerate(task.lists.answers)}
        self.begin()

    def begin(self) -> None:
        self._weights = np.ones(len(self._lists.answers))
        self._total = float(len(self._weights))

    def after(self, move: Move, paid: float, *, won: bool) -> Value:
        assert isinstance(move, NoisyMove)
        loss = self._task.loss_cost
        if move.is_answer:
            chance = float(self._weights[self._places[move.guess]] / self._total)
            return Value(loss - (loss - paid) * chance, paid if won else loss)
        row, length = clue_row(self._lists, self._rule, move.guess), self._lists.length
        self._weights, self._total, top, expected = after_clue(
            self._weights, self._total, row, move.epsilon / length, encode(move.clues), length
        )
        return Value(loss - (loss - paid) * expected, loss - (loss - paid) * top)


class Coefficient:
    """The coefficient of the luck, which is fitted to the games that have ended before a game begins.

    It is the slope of the cost of games over minus their luck, with a penalty as of a few games: 1 where all of the
    luck reaches the cost, and near 0 for an agent that makes nothing of its clues.
    """

    PENALTY = 2.0

    def __init__(self, fixed: float | None = None):
        """Begin without games; `fixed`: the coefficient, if it is not to be fitted."""
        self._fixed = fixed
        self._sums = np.zeros(5)  # of 1, luck, saved, luck^2, luck * saved

    def add(self, luck: Sequence[float] | np.ndarray, costs: Sequence[float] | np.ndarray) -> None:
        """Add games that have ended: the luck of their clues and what they cost, float[n] each."""
        x, y = np.asarray(luck, float), -np.asarray(costs, float)
        self._sums *= np.exp(-len(x) / MEMORY)
        self._sums += [len(x), x.sum(), y.sum(), x @ x, x @ y]

    @property
    def value(self) -> float:
        """The coefficient for games that begin now."""
        n, x, y, xx, xy = self._sums
        if self._fixed is not None:
            return self._fixed
        spread = xx - x * x / max(n, 1)
        if n < MIN_GAMES or spread <= 0:
            return 0.0
        return float(np.clip((xy - x * y / n) / (spread * (1 + self.PENALTY / n)), 0.0, MAX_COEFFICIENT))
