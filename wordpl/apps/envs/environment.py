"""A game as an environment of Gymnasium."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from wordpl.apps.envs import pictures
from wordpl.apps.envs.episodes import Episode, Episodes
from wordpl.apps.envs.tasks import FORMS, Task, line_of
from wordpl.core.clues import MARKS
from wordpl.core.messages import UserError
from wordpl.core.words import N_LETTERS
from wordpl.games import IllegalMoveError

LETTERS = "abcdefghijklmnopqrstuvwxyz"
IN_TEXT = LETTERS + MARKS + "0123456789+-. \n"
PRICE_CHARACTERS = 16


class WordEnv(gymnasium.Env[Any, Any]):
    """A game of `wordpl evaluate`: an episode is a game, and a step is a move.

    `reset(seed=7)` begins game 0 of the run with seed 7, later resets games 1, 2, ... of it, and
    `reset(seed=7, options={"game": 4})` game 4: the same for everybody who asks for it. The secret is in no observation
    and in no info. An illegal move ends a game, which is lost, as in a contest.

    `info` after a move has `won`, `verdict` and `message`, the `cost` so far (at the end that of the game), and, where
    it is measured, the `luck` of the move's clue: what it saved, compared with what the move could expect. After a
    reset it has the number of the `game` and the `agent_seed`, a seed for the agent's own draws, which entries of a
    contest get too.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012  # Gymnasium's

    def __init__(
        self,
        game: str = "wordle/1",
        *,
        form: str = "index",
        mask: bool = False,
        luck: bool = False,
        coefficient: float | None = None,
        second_asks: int = 0,
        render_mode: str | None = None,
        **task: Any,
    ):
        """Create an environment; nothing is drawn or downloaded.

        Args:
            game: The id of a game or, for a game of your own, FILE:CLASS.
            form: "index": actions are numbers of guesses, observations are arrays; "text": both are text. In games
                whose guesses have a price, an action is a dictionary of `guess` and `epsilon`; epsilon 0 proposes the
                answer.
            mask: Whether `info["action_mask"]` says which guesses are legal, see `action_masks`.
            luck: Whether to measure the luck of each move for other rewards than "luck-free", too.
            coefficient: That of the luck in the reward "luck-free", 0 to 2; None: it is fitted to the games that ended.
            second_asks: How many illegal moves in a row are asked again, for nothing, before the game is lost.
            render_mode: "ansi" or "rgb_array".
            task: See `wordpl.apps.envs.tasks.Task.of`: answers, guesses, part, split_seed, test_share, reward,
                loss_cost.

        Raises:
            UserError: A value is not valid.
        """
        if form not in FORMS:
            raise UserError(f"the form of actions is one of {', '.join(FORMS)}, not {form!r}.")
        self.task = Task.of(game, **task)
        self.form, self.has_mask, self.render_mode = form, mask, render_mode
        self.action_space, self.observation_space = action_space(self.task, form), observation_space(self.task, form)
        self._episodes = Episodes(self.task, second_asks=second_asks, luck=luck, coefficient=coefficient)
        self._episode: Episode | None = None
        self._text = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game.

        Args:
            seed: The seed of a run, of which game 0 begins; None: the next game of the run.
            options: `game`: the number of the game; `seed`: a seed of the run that is no integer.
        """
        super().reset(seed=seed)
        chosen = options or {}
        self._episode = self._episodes.begin(chosen.get("seed", seed), chosen.get("game"))
        self._text = ""
        info: dict[str, Any] = {"game": self._episodes.number, "agent_seed": self._episode.agent_seed}
        if self.has_mask:
            info["action_mask"] = self.action_masks()
        return self._observation(), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make a move; an action that is none is an illegal move."""
        episode = self._episode
        if episode is None or episode.verdict is not None:
            raise gymnasium.error.ResetNeeded("the game has ended: call reset() for the next one.")
        try:
            proposal = self.task.proposal(action, self.form)
        except IllegalMoveError as error:
            proposal = error
        n_made = len(episode.moves)
        result = episode.play(proposal)
        if self.form == "text" and len(episode.moves) > n_made:
            self._text += line_of(episode.moves[-1])
        verdict = episode.verdict
        info = {"won": episode.won, "verdict": verdict or "", "message": episode.message, "cost": episode.spent}
        if result.luck is not None:
            info["luck"] = result.luck
        if self.has_mask:
            info["action_mask"] = self.action_masks()
        return self._observation(), result.reward, verdict is not None, False, info

    def action_masks(self) -> NDArray[np.int8]:
        """Return which guesses are legal now, int8[guesses].

        Where guesses have an epsilon, a second row says which words may be proposed as the answer, int8[2, guesses].
        """
        return self.task.mask(self._episode.moves if self._episode else [])

    def render(self) -> Any:
        """Return the board: text for a terminal, or a picture."""
        moves = self._episode.moves if self._episode else []
        if self.render_mode == "ansi":
            return pictures.ansi(moves)
        if self.render_mode == "rgb_array":
            return pictures.rgb(moves, min(self.task.n_rows, 12), self.task.lists.length)
        return None

    def _observation(self) -> Any:
        moves = self._episode.moves if self._episode else []
        if self.form == "index":
            return self.task.arrays(moves)
        return self._text if len(moves) <= self.task.n_rows else self.task.text(moves)


def action_space(task: Task, form: str) -> spaces.Space[Any]:
    """Return the space of a task's actions."""
    length = task.lists.length
    guess: spaces.Space[Any] = spaces.Discrete(len(task.lists.guesses))
    if form == "text":
        guess = spaces.Text(length, min_length=length, charset=LETTERS)
    if not task.has_epsilon:
        return guess
    return spaces.Dict({"guess": guess, "epsilon": spaces.Box(0.0, task.loss_cost, (), np.float64)})


def observation_space(task: Task, form: str) -> spaces.Space[Any]:
    """Return the space of a task's observations."""
    shape = task.n_rows, task.lists.length
    if form == "text":
        return spaces.Text(task.n_rows * (2 * shape[1] + 3 + PRICE_CHARACTERS), min_length=0, charset=IN_TEXT)
    seen: dict[str, spaces.Space[Any]] = {
        "letters": spaces.Box(0, N_LETTERS, shape, np.uint8),
        "marks": spaces.Box(0, len(MARKS), shape, np.uint8),
    }
    if task.has_epsilon:
        seen["epsilons"] = spaces.Box(0.0, task.loss_cost, shape[:1], np.float64)
    return spaces.Dict(seen)
