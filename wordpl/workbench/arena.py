"""Plays games of any entries on request and returns their records, without writing files.

Matches and parameter searches decide after each step what to play next. As in a run, a game is determined by the seed
and its number, so the same number is the same game for all entries.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from wordpl import games
from wordpl.contest import referee, run_folder, run_worker
from wordpl.contest.run_worker import prepare_process
from wordpl.core import seeds
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.games import Game, OwnGame, bound
from wordpl.players.base import Player
from wordpl.players.pool import PlayerPool
from wordpl.players.process import TrustedPlayer
from wordpl.run.bundle import BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration, Record

MAX_PLAYERS = 4
"""Number of players that a worker keeps alive."""


class ArenaGame(NamedTuple):
    """The record of a game and its duration."""

    record: Record
    duration: Duration

    @property
    def cpu_s(self) -> float:
        """CPU time of the entry, or wall time if the system does not report it."""
        return self.duration.wall_s if self.duration.cpu_s is None else self.duration.cpu_s


@dataclass(frozen=True)
class ArenaTask:
    """What a worker needs to play.

    Attributes:
        parent: Folder for the players' working directories.
        config: Configuration of all games, with a seed.
        strategies: Strategies given as objects, by the slug of their entries. They play in this process.
        store: Folder with the files of the entries. By default, these are read from where they were found.
        games: The host's own games.
    """

    parent: Path
    config: RunConfig
    strategies: Mapping[str, Any] = field(default_factory=dict)
    store: Path | None = None
    games: tuple[OwnGame, ...] = field(default_factory=bound)


class Arena:
    """Worker processes that play games on request. As a context manager, it ends all players on exit."""

    def __init__(
        self,
        config: RunConfig,
        *,
        jobs: int | None = None,
        strategies: Mapping[str, Any] | None = None,
        store: BundleStore | None = None,
    ):
        """Prepare the workers, without starting any.

        Args:
            config: Configuration of all games, with a seed.
            jobs: Number of games played in parallel. By default one per processor, or one if entries are trusted.
            strategies: Strategies given as objects, by the slug of their entries.
            store: Files of the entries. By default, these are read from where they were found.
        """
        if config.seed is None:
            raise UserError("the games need a seed.")
        self.config = config
        self.jobs = 1 if config.is_trusted else jobs or run_folder.n_processors()
        self._strategies, self._store = dict(strategies or {}), store
        self._exits = ExitStack()
        self._task: ArenaTask | None = None

    def __enter__(self) -> "Arena":
        """Create the folder for the players."""
        parent = self._exits.enter_context(run_worker.player_folder(self.jobs))
        self._exits.callback(_SLOT.close)
        self._task = ArenaTask(parent, self.config, self._strategies, self._store.folder if self._store else None)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """End all players."""
        self._exits.close()

    @property
    def task(self) -> ArenaTask:
        """What a worker needs to play."""
        if self._task is None:
            raise RuntimeError("use the arena as a context manager: with Arena(...) as arena")
        return self._task

    def play(
        self,
        wanted: Sequence[tuple[EntryInfo, Sequence[int]]],
        progress: Callable[[int], object] = lambda n_played: None,
    ) -> list[list[ArenaGame]]:
        """Play games and return them, for each item of `wanted` in the order of its numbers.

        Args:
            wanted: Entries with the numbers of their games. An entry may occur more than once.
            progress: Called with the number of games that have just been played.
        """
        parts = [
            (index, start, entry, numbers[start :: self.jobs])
            for index, (entry, numbers) in enumerate(wanted)
            for start in range(min(self.jobs, len(numbers)))
        ]
        games_by_entry: list[list[ArenaGame | None]] = [[None] * len(numbers) for _, numbers in wanted]
        tasks = ((self.task, index, start, entry, tuple(numbers)) for index, start, entry, numbers in parts)
        with run_worker.unordered(_play_part, tasks, self.jobs) as outcomes:
            for index, start, played in outcomes:
                games_by_entry[index][start :: self.jobs] = played
                progress(len(played))
        return [[game for game in games_ if game is not None] for games_ in games_by_entry]


class _ArenaWorker:
    """The referee of one worker process, with the players of the entries that it played last."""

    def __init__(self, task: ArenaTask):
        self.task = task
        self.lists: WordLists = task.config.load_lists()
        self._key = seeds.run_key(task.config.seed or "")
        store = None if task.store is None else BundleStore(task.store)
        self._pool = PlayerPool(self.lists, task.parent, [task.config.results], store)
        self._players: OrderedDict[bytes, Player] = OrderedDict()
        self._games: dict[str, Game] = {}

    def play(self, entry: EntryInfo, numbers: Iterable[int]) -> list[ArenaGame]:
        """Play these games of the entry."""
        game = self._games.setdefault(entry.game.id, games.make_game(entry.game, self.lists))
        player = self._player(entry)
        arena_games = []
        for number in numbers:
            record = referee.play(game, player, number, self._key, self.task.config)
            arena_games.append(ArenaGame(record, player.duration(number)))
        return arena_games

    def _player(self, entry: EntryInfo) -> Player:
        key = msgspec.json.encode(entry)
        if key not in self._players:
            if len(self._players) >= (1 if self.task.config.is_trusted else MAX_PLAYERS):
                self._players.popitem(last=False)[1].close()
            self._players[key] = self._make_player(entry)
        self._players.move_to_end(key)
        return self._players[key]

    def _make_player(self, entry: EntryInfo) -> Player:
        if entry.slug in self.task.strategies:
            return TrustedPlayer(entry, self._pool.folder, self.task.strategies[entry.slug])
        return self._pool.player(entry, self.task.config)

    def close(self) -> None:
        """End all players."""
        try:
            while self._players:
                self._players.popitem()[1].close()
        finally:
            self._pool.close()


class _WorkerSlot:
    """Holds the worker of this process, so that its players outlive single function calls."""

    def __init__(self) -> None:
        self._worker: _ArenaWorker | None = None

    def worker(self, task: ArenaTask) -> _ArenaWorker:
        """Return the worker for this task. A worker for another task is closed."""
        if self._worker is None:
            prepare_process()
        if self._worker is None or self._worker.task.parent != task.parent:
            self.close()
            self._worker = _ArenaWorker(task)
        return self._worker

    def close(self) -> None:
        """End the players of this process, if it has any."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


_SLOT = _WorkerSlot()
"""The worker of this process. It is global because joblib reuses processes for its function calls."""


def _play_part(
    task: ArenaTask, index: int, start: int, entry: EntryInfo, numbers: tuple[int, ...]
) -> tuple[int, int, list[ArenaGame]]:
    """Play these games of an entry, in a worker process.

    Returns:
        `index` and `start`, which tell the caller where the games belong, and the games.
    """
    games.bind_all(task.games)
    return index, start, _SLOT.worker(task).play(entry, numbers)
