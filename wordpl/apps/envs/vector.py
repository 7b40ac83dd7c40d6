"""Many games at once as a vector environment of Gymnasium, in arrays and kernels."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from wordpl.apps.envs import kernels
from wordpl.apps.envs.environment import action_space, observation_space
from wordpl.apps.envs.hashes import fill_keyed
from wordpl.apps.envs.kernels import ENDED, ILLEGAL, WON, GameStates, Tables, Workspace, room_of, rules_of, tables_of
from wordpl.apps.envs.tasks import Task
from wordpl.apps.envs.values import Coefficient, has_values
from wordpl.core.messages import UserError
from wordpl.core.seeds import new_seed, run_key
from wordpl.games.classic import Wordle, WordleHard
from wordpl.games.noisy import Wordpl, WordplCounted

Work = tuple[Callable[[NDArray[np.int64], Workspace], None], NDArray[np.int64]]
"""What to do with some games and the space of a thread, and the games."""
IN_KERNELS = (Wordle, WordleHard, Wordpl, WordplCounted)
"""The games whose rules are compiled; others are played by `gymnasium.make_vec` with its own vector environments."""
MIN_SHARE = 256
"""The fewest games that are worth a thread."""


class WordVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games of a run at once; each is as in `WordEnv` with actions that are numbers of guesses.

    The environment at place i plays the games i, i + n, i + 2n, ... of the run, whenever it comes to them, so that they
    depend on its own actions alone. With `group`, this many neighbours play the same games.

    `infos` has the arrays `won`, `illegal`, `cost` and, if it is measured, `luck`; the mask of each, such as `_won`,
    says which environments made a move.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  # Gymnasium's
    _pool: ThreadPoolExecutor | None = None  # also where creating one has failed

    def __init__(
        self,
        num_envs: int = 1,
        game: str = "wordle/1",
        *,
        luck: bool = False,
        coefficient: float | None = None,
        group: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        **task: Any,
    ):
        """Create an environment; nothing is drawn yet.

        Args:
            num_envs: The number of games at a time.
            game, luck, coefficient, task: See `WordEnv`.
            group: How many neighbours play the same games.
            autoreset_mode: When a new game begins after one has ended; see Gymnasium.
            threads: The number of threads; None: one per processor.

        Raises:
            UserError: A value is not valid, or the game has no compiled rules.
        """
        self.task = own = Task.of(game, **task)
        kind = type(own.game)
        if kind not in IN_KERNELS:
            raise UserError(
                f"{own.game.facts.id} has no compiled rules: use gymnasium.make_vec(..., vectorization_mode='sync')."
            )
        if group < 1 or num_envs % group:
            raise UserError(f"{num_envs} games do not divide into groups of {group}.")
        mode = AutoresetMode(autoreset_mode)
        self.num_envs, self.metadata = num_envs, {**self.metadata, "autoreset_mode": mode}
        self.single_action_space = action_space(own, "index")
        self.single_observation_space = observation_space(own, "index")
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.has_luck = luck or own.reward == "luck-free"
        if self.has_luck and not has_values(own):
            raise UserError(f"the luck of {own.game.facts.id} is not measured.")
        self.coefficient = Coefficient(coefficient if own.reward == "luck-free" else 0.0)
        self._mode, self._group = mode, group
        n_threads = threads or os.cpu_count() or 1
        self._n_threads = max(1, min(n_threads, num_envs // MIN_SHARE))
        self._pool = ThreadPoolExecutor(self._n_threads - 1) if self._n_threads > 1 else None
        self._rules = rules_of(own, has_luck=self.has_luck)
        self._tables: Tables | None = None
        self._key = b""
        self._every = np.arange(num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin games.

        Args:
            seed: The seed of a run; None: that of the last games or, if there are none, a new one.
            options: `game`: the number of each environment's game, or of all; `seed`: a seed that is no integer;
                `reset_mask`: which environments begin a new game, bool[n]; all by default.
        """
        chosen = options or {}
        super().reset(seed=seed if isinstance(seed, int) else None)
        named = chosen.get("seed", seed)
        if named is not None and not isinstance(named, str | int):
            raise UserError("all games of a vector environment belong to one run: give one seed.")
        if self._tables is None:
            self._tables, self._state, self._rooms = self._prepare()
        if named is not None or not self._key:
            self._key = run_key(new_seed() if named is None else named)
            fill_keyed(np.frombuffer(bytearray(self._key + bytes(32)), np.uint64), len(self._key), self._tables.run)
            self._state.number[:] = self._every // self._group - self._stride
        mask = np.ones(self.num_envs, bool) if "reset_mask" not in chosen else np.asarray(chosen["reset_mask"], bool)
        games = np.flatnonzero(mask)
        if "game" in chosen:
            numbers = np.broadcast_to(np.asarray(chosen["game"]), self.num_envs)[games]
            self._run(self._fresh(games, numbers))
        else:
            self._run(self._fresh(games))
        return self._seen(), {"game": self._state.number.copy(), "_game": mask}

    @property
    def _stride(self) -> int:
        return self.num_envs // self._group

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Make a move in every game, or begin a new one where the last one has ended; see `AutoresetMode`."""
        state = self._state
        done = (state.flags & ENDED) > 0
        is_next = self._mode is AutoresetMode.NEXT_STEP
        if not is_next and done.any():
            raise gymnasium.error.ResetNeeded("games have ended: reset them with the option reset_mask.")
        over = np.flatnonzero(done)
        moves = self._moves(actions, np.flatnonzero(~done) if len(over) else self._every)
        state.flags[over], state.reward[over], state.luck[over] = 0, 0.0, 0.0
        self._run(moves, self._fresh(over))
        ended = (state.flags & ENDED) > 0
        infos = self._infos(~done)
        rewards = state.reward.copy()
        self._learn(ended)
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            final, own = self._seen(), infos
            infos = {"final_obs": final | {f"_{name}": ended for name in final}, "_final_obs": ended}
            infos |= {"final_info": {name: np.where(ended, values, 0) if name[0] != "_" else values & ended
                                     for name, values in own.items()}, "_final_info": ended}  # fmt: skip
            infos |= {name: np.where(ended, 0, values) if name[0] != "_" else values & ~ended
                      for name, values in own.items()}  # fmt: skip
            self._run(self._fresh(np.flatnonzero(ended)))
        return self._seen(), rewards, ended, np.zeros(self.num_envs, bool), infos

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        if self._pool:
            self._pool.shutdown()

    def _seen(self) -> Any:
        state = self._state
        seen = {"letters": state.letters.copy(), "marks": state.marks.copy()}
        return seen | ({"epsilons": state.epsilons.copy()} if self.task.has_epsilon else {})

    def _infos(self, moved: NDArray[np.bool_]) -> dict[str, Any]:
        state = self._state
        infos = {"won": (state.flags & WON) > 0, "illegal": (state.flags & ILLEGAL) > 0, "cost": state.paid.copy()}
        if self.has_luck:
            infos["luck"] = state.luck.copy()
        return infos | {f"_{name}": moved for name in infos}

    def _learn(self, ended: NDArray[np.bool_]) -> None:
        """Let the coefficient of the luck know of games that have ended."""
        if self._rules.reward == kernels.LUCK_FREE and ended.any():
            self.coefficient.add(self._state.total[ended], self._state.credit[ended])

    def _fresh(self, games: NDArray[np.int64], numbers: NDArray[np.int64] | None = None) -> Work:
        """Return the work of beginning games, with these numbers or each with its next one."""
        state, tables, rules = self._state, self._tables, self._rules
        assert tables is not None
        state.number[games] = state.number[games] + self._stride if numbers is None else numbers
        state.weight[games] = self.coefficient.value
        state.flags[games] = 0
        return lambda some, _: kernels.begin(state, tables, rules, some), games

    def _moves(self, actions: Any, games: NDArray[np.int64]) -> Work:
        """Return the work of making a move in these games."""
        state, tables, rules = self._state, self._tables, self._rules
        assert tables is not None
        if self.task.has_epsilon:
            words, prices = np.asarray(actions["guess"], np.int64), np.asarray(actions["epsilon"], float)
            return lambda some, _: kernels.play_noisy(state, tables, rules, words, prices, some), games
        guesses = np.asarray(actions, np.int64)
        if self.has_luck:
            asked = np.unique(guesses[games[state.n_made[games] == 0]])
            asked = asked[(asked >= 0) & (asked < len(tables.guesses))]
            unknown = asked[np.isnan(tables.first_mean[asked])]
            self._run((lambda some, room: kernels.learn_first(tables, rules, some, room), unknown))
        return lambda some, room: kernels.play_guesses(state, tables, rules, guesses, some, room), games

    def _run(self, *works: Work) -> None:
        """Do work for games, each thread for its share of them."""
        if self._pool is None or sum(len(games) for _, games in works) < 2 * MIN_SHARE:
            for do, games in works:
                do(games, self._rooms[0])
            return
        n = self._n_threads
        shares = [[games[len(games) * i // n : len(games) * (i + 1) // n] for _, games in works] for i in range(n)]

        def do_share(i: int) -> None:
            for (do, _), games in zip(works, shares[i], strict=True):
                do(games, self._rooms[i])

        others = [self._pool.submit(do_share, i) for i in range(1, n)]
        do_share(0)
        for other in others:
            other.result()

    def _prepare(self) -> tuple[Tables, GameStates, list[Workspace]]:
        """Return the tables that all games share, the games, and space for each thread."""
        n, lists, rows = self.num_envs, self.task.lists, self.task.n_rows
        n_answers, length, has_epsilon, has_luck = (
            len(lists.answers),
            lists.length,
            self.task.has_epsilon,
            self.has_luck,
        )
        members = np.zeros((n, n_answers if has_luck else 0), float if has_epsilon else np.int32)
        state = GameStates(
            number=np.zeros(n, np.int64),
            secret=np.zeros(n, np.int32),
            key=np.zeros((n, 8), np.uint64),
            n_made=np.zeros(n, np.int32),
            paid=np.zeros(n),
            letters=np.zeros((n, rows, length), np.uint8),
            marks=np.zeros((n, rows, length), np.uint8),
            epsilons=np.zeros((n, rows if has_epsilon else 0)),
            weight=np.zeros(n),
            worth=np.zeros(n),
            total=np.zeros(n),
            credit=np.zeros(n),
            members=members,
            size=np.zeros(n),
            reward=np.zeros(n),
            luck=np.zeros(n),
            flags=np.zeros(n, np.uint8),
        )
        return tables_of(self.task, has_luck=has_luck), state, [room_of(self.task) for _ in range(self._n_threads)]
