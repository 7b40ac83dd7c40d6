"""Plays games of any entries on request and hands back what happened; nothing is written down.

Matches, searches and the development loop decide game by game what to play next. Every game is decided by the seed and
its number, as in a run, so the same number is the same game for all entries.
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
from wordpl.contest import match, run_folder, workforce
from wordpl.contest.run_worker import prepare_process
from wordpl.core import seeds, words
from wordpl.core.errors import UserError
from wordpl.core.records import Duration, EntryInfo, Record
from wordpl.core.run_config import RunConfig
from wordpl.core.words import WordLists
from wordpl.games import Game
from wordpl.players.base import Player
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.pool import PlayerPool

MAX_PLAYERS = 4
"""Players that a worker keeps alive at a time."""


class PlayedGame(NamedTuple):
    """A game that was played: what happened, and how long the entry took."""

    record: Record
    duration: Duration

    @property
    def cpu_s(self) -> float:
        """The CPU time of the entry; the time on the wall where the system tells no other."""
        return self.duration.wall_s if self.duration.cpu_s is None else self.duration.cpu_s


@dataclass(frozen=True)
class ArenaTask:
    """What a worker has to know to play.

    Attributes:
        parent: The folder for the players' working directories.
        config: The terms of all games, with a seed.
        strategies: Strategies that were given as objects, by the slug of their entries; they play in this process.
    """

    parent: Path
    config: RunConfig
    strategies: Mapping[str, Any] = field(default_factory=dict)


class Arena:
    """Workers that play what they are asked to. Used as a context, it ends all players when it is left."""

    def __init__(self, config: RunConfig, *, jobs: int | None = None, strategies: Mapping[str, Any] | None = None):
        """Prepare workers; none is started yet.

        Args:
            config: The terms of all games; it needs a seed.
            jobs: How many games are played at a time; None: one for each processor, one if entries are trusted.
            strategies: Strategies that were given as objects, by the slug of their entries.
        """
        if config.seed is None:
            raise UserError("games are decided by a seed: choose one.")
        self.config = config
        self.jobs = 1 if config.is_trusted else jobs or run_folder.n_processors()
        self._strategies = dict(strategies or {})
        self._exits = ExitStack()
        self._task: ArenaTask | None = None

    def __enter__(self) -> "Arena":
        """Make room for the players."""
        parent = self._exits.enter_context(workforce.player_folder(self.jobs))
        self._exits.callback(_SLOT.close)
        self._task = ArenaTask(parent, self.config, self._strategies)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """End all players."""
        self._exits.close()

    @property
    def task(self) -> ArenaTask:
        """What workers have to know."""
        if self._task is None:
            raise RuntimeError("an arena is used as a context: with Arena(...) as arena")
        return self._task

    def play(
        self,
        wanted: Sequence[tuple[EntryInfo, Sequence[int]]],
        progress: Callable[[int], object] = lambda n_played: None,
    ) -> list[list[PlayedGame]]:
        """Play games and return them, for each of `wanted` in the order of its numbers.

        Args:
            wanted: Entries with the numbers of their games; an entry may come more than once.
            progress: Called with how many games have just been played.
        """
        parts = [
            (at, start, entry, numbers[start :: self.jobs])
            for at, (entry, numbers) in enumerate(wanted)
            for start in range(min(self.jobs, len(numbers)))
        ]
        found: list[list[PlayedGame | None]] = [[None] * len(numbers) for _, numbers in wanted]
        tasks = ((self.task, at, start, entry, tuple(numbers)) for at, start, entry, numbers in parts)
        with workforce.unordered(_play_part, tasks, self.jobs) as outcomes:
            for at, start, played in outcomes:
                found[at][start :: self.jobs] = played
                progress(len(played))
        return [[one for one in games_ if one is not None] for games_ in found]


class _ArenaWorker:
    """The referee in one worker: it keeps the players of the entries that it played last."""

    def __init__(self, task: ArenaTask):
        self.task = task
        self.lists: WordLists = words.load(task.config.answers, task.config.guesses)
        self._key = seeds.run_key(task.config.seed or "")
        self._pool = PlayerPool(self.lists, task.parent, [task.config.results])
        self._players: OrderedDict[bytes, Player] = OrderedDict()
        self._games: dict[str, Game] = {}

    def play(self, entry: EntryInfo, numbers: Iterable[int]) -> list[PlayedGame]:
        """Play these games of the entry."""
        game = self._games.setdefault(entry.game_id, games.make_game(entry.game_id, self.lists))
        player = self._player(entry)
        found = []
        for number in numbers:
            record = match.play(game, player, number, self._key, self.task.config)
            found.append(PlayedGame(record, player.duration(number)))
        return found

    def _player(self, entry: EntryInfo) -> Player:
        key = msgspec.json.encode(entry)
        if key not in self._players:
            if len(self._players) >= (1 if self.task.config.is_trusted else MAX_PLAYERS):
                self._players.popitem(last=False)[1].close()
            self._players[key] = self._made(entry)
        self._players.move_to_end(key)
        return self._players[key]

    def _made(self, entry: EntryInfo) -> Player:
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
    """Holds the worker of this process: players outlive the function calls that play."""

    def __init__(self) -> None:
        self._worker: _ArenaWorker | None = None

    def worker(self, task: ArenaTask) -> _ArenaWorker:
        """Return the worker for this task; it replaces that of another one."""
        if self._worker is None:
            prepare_process()
        if self._worker is None or self._worker.task.parent != task.parent:
            self.close()
            self._worker = _ArenaWorker(task)
        return self._worker

    def close(self) -> None:
        """End this process's players, if it has any."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


_SLOT = _WorkerSlot()
"""The worker of this process. joblib calls functions in processes that it reuses, so that a worker has to be global."""


def _play_part(
    task: ArenaTask, at: int, start: int, entry: EntryInfo, numbers: tuple[int, ...]
) -> tuple[int, int, list[PlayedGame]]:
    """Play these games of an entry, in a worker; `at` and `start` say where they belong."""
    return at, start, _SLOT.worker(task).play(entry, numbers)
