"""One game between an agent and the rules, with the harness's own draws."""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from wordpl.apps.envs.tasks import Task
from wordpl.contest.referee import GameSetup
from wordpl.core.moves import Move, Verdict
from wordpl.core.seeds import Draws, GameDraws, new_seed
from wordpl.games import IllegalMoveError

if TYPE_CHECKING:
    from wordpl.apps.envs.values import Coefficient, Value, ValueFollower


class StepResult(NamedTuple):
    """What a move brought.

    Attributes:
        reward: Its reward.
        luck: What its clue saved, compared with what the move could expect; None if that is not measured.
        is_asked_again: Whether the move was illegal and another one may take its place.
    """

    reward: float
    luck: float | None = None
    is_asked_again: bool = False


class Episode:
    """A game of a run that an agent plays; the rules are those of `wordpl evaluate`, and so is a game's secret.

    Attributes:
        task: What the agent learns.
        moves: The moves made so far, with their clues.
        verdict: How the game ended; None while it continues.
        message: What was wrong with the last move, or more about the verdict.
        spent: What the moves cost so far or, when the game has ended, what it costs.
    """

    def __init__(
        self,
        task: Task,
        draws: GameDraws,
        *,
        second_asks: int = 0,
        values: "ValueFollower | None" = None,
        coefficient: "Coefficient | None" = None,
    ):
        """Begin a game.

        Args:
            task: What the agent learns.
            draws: The draws of the game.
            second_asks: How many illegal moves in a row are asked again before the game is lost.
            values: Measures the luck of clues; required for the reward "luck-free".
            coefficient: That of the luck; it is fixed now, and learns of the game when that ends.
        """
        self.task, self.second_asks = task, second_asks
        self._secret, self._draws = GameSetup.of(task.game, draws)
        self.agent_seed = draws.strategy_seed
        self.moves: list[Move] = []
        self.verdict: Verdict | None = None
        self.message, self.spent = "", 0.0
        self._asks_left, self._values, self._coefficient = second_asks, values, coefficient
        self._weight = coefficient.value if coefficient else 0.0
        self._worth: float | None = None
        self._luck = 0.0
        if values:
            values.begin()

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        return self.verdict is Verdict.WON

    def play(self, proposal: Any) -> StepResult:
        """Make a move.

        Args:
            proposal: What the agent proposes: a word, or a pair of a word and an epsilon; any value.
        """
        game, before = self.task.game, self.spent
        try:
            if isinstance(proposal, IllegalMoveError):
                raise proposal
            move = game.check(proposal)
            reply = game.reply(self._secret, self.moves, move, self._noise)
        except IllegalMoveError as error:
            self.message = str(error)
            if self._asks_left:
                self._asks_left -= 1
                return StepResult(0.0, is_asked_again=True)
            self.verdict = Verdict.ILLEGAL
            return self._result(None, before)
        self._asks_left = self.second_asks
        move = move.with_clues(reply.clues)
        self.moves.append(move)
        self.verdict, self.message = reply.verdict, reply.message
        self.spent = self.task.spent(self.moves)
        value = None
        if self._values is not None and (reply.clues or self.verdict in (Verdict.WON, Verdict.WRONG)):
            value = self._values.after(move, self.spent, won=self.won)
        return self._result(value, before)

    def _noise(self) -> Sequence[int]:
        return self._draws.noise(len(self.moves) + 1, self.task.lists.length)

    def _result(self, value: "Value | None", before: float) -> StepResult:
        task, won = self.task, self.won
        if self.verdict is not None and not won:
            self.spent = task.loss_cost
        cost, luck = self.spent - before, value.luck if value else None
        is_answer = task.game.facts.has_answer_move and self.verdict in (Verdict.WON, Verdict.WRONG)
        if value and not is_answer:
            self._luck += value.luck
        if self._coefficient and self.verdict is not None:
            self._coefficient.add([self._luck], [value.expected if value and is_answer else self.spent])
        if task.reward == "cost":
            return StepResult(-cost, luck)
        if task.reward == "win":
            return StepResult(float(won), luck)
        expected, weight, worth = value.expected if value else task.loss_cost, self._weight, self._worth
        reward = weight * ((worth or 0.0) - expected) - (1 - weight) * cost
        if is_answer:  # credited with its probability, whatever the coefficient
            reward = before - expected + (0.0 if worth is None else weight * (worth - before))
        self._worth = value.now if value else None
        return StepResult(reward, luck)


class Episodes:
    """The games of a run, one after the other: those that `wordpl evaluate` plays with the same seed.

    Attributes:
        task: What an agent learns.
        number: The number of the last game; -1 before the first one.
        coefficient: That of the luck, for the reward "luck-free".
    """

    def __init__(self, task: Task, *, second_asks: int = 0, luck: bool = False, coefficient: float | None = None):
        """Prepare games; nothing is drawn yet.

        Args:
            task: What an agent learns.
            second_asks: See `Episode`.
            luck: Whether to measure the luck of clues for other rewards than "luck-free", too.
            coefficient: That of the luck; None: it is fitted to the games that have ended.

        Raises:
            UserError: The luck of such games is not measured.
        """
        self.task, self.number, self._second_asks = task, -1, second_asks
        self._draws: Draws | None = None
        self.coefficient: Coefficient | None = None
        self._values: ValueFollower | None = None
        if luck or task.reward == "luck-free":
            from wordpl.apps.envs import values  # statistics, which are slow to import

            self._values = values.follower(task)
            self.coefficient = values.Coefficient(coefficient) if task.reward == "luck-free" else None

    def begin(self, seed: str | int | None = None, number: int | None = None) -> Episode:
        """Return the next game.

        Args:
            seed: The seed of the run, whose game 0 is next; None: that of the last game or, if there is none, a new
                one.
            number: The number of the game; None: the next one.
        """
        if seed is not None or self._draws is None:
            self._draws, self.number = Draws.of(new_seed() if seed is None else seed), -1
        self.number = self.number + 1 if number is None else number
        return Episode(
            self.task,
            self._draws.game(self.number),
            second_asks=self._second_asks,
            values=self._values,
            coefficient=self.coefficient,
        )

    def copy(self) -> "Episodes":
        """Return games of the same task that begin on their own, and share the coefficient."""
        other = copy(self)
        other._draws, other.number = None, -1
        if self._values is not None:
            other._values = self._values.copy()
        return other
