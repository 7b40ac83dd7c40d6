"""A server of the games for OpenEnv, whose clients, TRL and verifiers among them, play by `reset` and `step`.

    uvicorn --factory wordpl.apps.envs.openenv:app

The arguments of an environment stand in WORDPL_ENV as JSON, such as {"game": "wordle/1", "reward": "luck-free"}. A
reset takes `seed` and `game`, or a `split` and an `index` in it: the same game for a whole group of rollouts.
"""

import json
import os
from typing import Any

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from wordpl.apps.envs.talk import Conversation

SETTINGS = "WORDPL_ENV"
SPLITS = ("train", "test")
MAX_SESSIONS = 256
N_TASKS = 1_000_000
"""The number of games that are listed of a split; all are drawn when they are played."""


class WordAction(Action):
    """A move: a word and, in games whose guesses have a price, what is paid; 0 answers."""

    word: str
    epsilon: float | None = None


class WordObservation(Observation):
    """What an agent is told."""

    text: str = ""
    won: bool = False


class WordEnvironment(Environment[WordAction, WordObservation, State]):
    """A game of a run; its state has the number of moves and nothing else."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, **arguments: Any):
        """Prepare games; arguments: those of `Task.of`, `second_asks` and `coefficient`."""
        super().__init__()
        self._arguments, self._part = arguments, ""
        self._conversation = Conversation(**arguments)
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> WordObservation:
        """Begin a game: `game` of the run with this seed, or `index` of a `split`."""
        part, number = kwargs.get("split", ""), kwargs.get("index", kwargs.get("game"))
        if part != self._part:
            self._part = part
            self._conversation = Conversation(**self._arguments | ({"part": part} if part else {}))
        if part and seed is None:
            seed = 0
        self._state = State(episode_id=episode_id, step_count=0)
        return WordObservation(text=self._conversation.begin(seed, number))

    def step(self, action: WordAction, timeout_s: float | None = None, **kwargs: Any) -> WordObservation:
        """Make a move."""
        self._state.step_count += 1
        text, reward = self._conversation.tell(action.word, action.epsilon)
        return WordObservation(text=text, reward=reward, done=self._conversation.is_over, won=self._conversation.won)

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> WordObservation:
        """Do what `reset` does, which is too short for a thread of its own."""
        return self.reset(seed, episode_id, **kwargs)

    async def step_async(self, action: WordAction, timeout_s: float | None = None, **kwargs: Any) -> WordObservation:
        """Do what `step` does."""
        return self.step(action)

    @property
    def state(self) -> State:
        """The number of moves: nothing that tells the secret."""
        return self._state

    def list_splits(self) -> list[str]:
        """Return the parts of the answers."""
        return list(SPLITS)

    def num_tasks(self, split: str) -> int:
        """Return the number of games that are listed of a part."""
        return N_TASKS

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a game of a part."""
        if not 0 <= index < N_TASKS:
            raise IndexError(index)
        return {"id": f"{split}-{index}", "index": index}

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the first games of a part."""
        return self.get_task_range(split, 0, 100)

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Return some games of a part."""
        return [self.get_task(split, index) for index in range(N_TASKS)[slice(start, stop)][:1000]]


def app() -> Any:
    """Return the server's application."""
    arguments = json.loads(os.environ.get(SETTINGS, "{}"))
    return create_app(
        lambda: WordEnvironment(**arguments),
        WordAction,
        WordObservation,
        env_name="wordpl",
        max_concurrent_envs=MAX_SESSIONS,
    )
