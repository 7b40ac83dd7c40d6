"""Plays games of any entries on request and returns their records, without writing files.

Matches and parameter searches decide after each step what to play next. As in a run, a game is determined by the seed
and its number, so the same number is the same game for all entries.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from wordpl.contest import run_folder, run_worker
from wordpl.contest.run_worker import WORKER, Worker, WorkerTask
from wordpl.core import seeds
from wordpl.core.messages import UserError
from wordpl.players.pool import PlayerPool
from wordpl.run.bundle import BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration, Record

MAX_PLAYERS = 4
"""Number of players that a worker keeps alive."""


@dataclass(frozen=True, kw_only=True)
class ArenaTask(WorkerTask):
    """The task of a worker that plays games of any entries.

    Attributes:
        config: Configuration of all games.
        store: Folder with the files of the entries. By default, these are read from where they were found.
    """

    config: RunConfig
    store: Path | None = None

    def worker(self) -> Worker:
        """Return a new worker, which keeps the players of several entries."""
        store = None if self.store is None else BundleStore(self.store)
        pool = PlayerPool(self.config.load_lists(), self.parent, [self.config.results], store)
        max_players = 1 if self.config.is_trusted else MAX_PLAYERS
        return Worker(self.config, self.key, pool, strategies=self.strategies, max_players=max_players)


ArenaGame = tuple[Record, Duration]


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
        self._task = ArenaTask(
            parent=self._exits.enter_context(run_worker.player_folder(self.jobs)),
            key=seeds.run_key(str(self.config.seed)),
            strategies=self._strategies,
            config=self.config,
            store=self._store.folder if self._store else None,
        )
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """End all players."""
        self._exits.close()

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
        if self._task is None:
            raise RuntimeError("use the arena as a context manager: with Arena(...) as arena")
        tasks = (
            (self._task, index, start, entry, tuple(numbers[start :: self.jobs]))
            for index, (entry, numbers) in enumerate(wanted)
            for start in range(min(self.jobs, len(numbers)))
        )
        played: list[list[Any]] = [[None] * len(numbers) for _, numbers in wanted]
        with run_worker.unordered(_play_part, tasks, self.jobs) as outcomes:
            for index, start, part in outcomes:
                played[index][start :: self.jobs] = part
                progress(len(part))
        return played


def _play_part(
    task: ArenaTask, index: int, start: int, entry: EntryInfo, numbers: tuple[int, ...]
) -> tuple[int, int, list[ArenaGame]]:
    """Play these games of an entry, in a worker process.

    Returns:
        `index` and `start`, which tell the caller where the games belong, and the games.
    """
    worker = WORKER.worker(task)
    return index, start, [worker.play(entry, number) for number in numbers]
