"""A trained policy as an entry of a contest, which is checked, isolated, replayed and ranked as any other."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wordpl import games
from wordpl.apps.envs.tasks import Task
from wordpl.core.messages import UserError
from wordpl.core.moves import MOVE_TYPES, Move
from wordpl.games import IllegalMoveError, make_game
from wordpl.strategy import Strategy

Policy = Callable[[Any, np.random.Generator], Any]
"""Returns an action, given an observation of the environment and a generator of this game's own draws."""


class _PolicyStrategy(Strategy):
    """Plays what a policy says; see `as_strategy`."""

    def __init__(self, policy: Policy, name: str, game: str, form: str, loss_cost: float):
        self._policy, self._name, self.game, self._form, self._loss_cost = policy, name, game, form, loss_cost

    def first_move(self) -> Any:
        self._moves: list[Move] = []
        return self._choice()

    def next_move(self, *move: Any) -> Any:
        self._moves.append(MOVE_TYPES[games.game_class(self.rules).facts.form](*move))
        return self._choice()

    def _choice(self) -> Any:
        task = self._task
        seen = task.arrays(self._moves) if self._form == "index" else task.text(self._moves)
        action = self._policy(seen, self.rng)
        try:
            return task.proposal(action, self._form)
        except IllegalMoveError:
            return action  # the referee says what is wrong with it

    @property
    def _task(self) -> Task:
        if "_made" not in vars(self):
            game = make_game(self.rules, self.lists)
            cost = self._loss_cost if game.facts.loss_cost is None else game.facts.loss_cost
            self._made = Task(game, "cost", cost)
        return self._made

    def __repr__(self) -> str:
        return self._name


def as_strategy(
    policy: Policy, name: str, *, game: str = "wordle/1", form: str = "index", loss_cost: float = 100.0
) -> Strategy:
    """Return a strategy that plays what a policy says, for the `ENTRIES` of a file.

    Args:
        policy: Returns an action, given what the environment shows and a generator, which is seeded by the run.
        name: The name on the board.
        game: The game that it is made for.
        form: The form of the environment that it was trained in, "index" or "text".
        loss_cost: That of the environment.

    Raises:
        UserError: The policy cannot be called.
    """
    if not callable(policy):
        raise UserError(
            f"a policy is called with an observation and a generator, but {type(policy).__name__} cannot be."
        )
    return _PolicyStrategy(policy, name, game, form, loss_cost)
