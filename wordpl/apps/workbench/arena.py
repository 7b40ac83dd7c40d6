"""Plays games of any entries on request and returns their records, without writing files.

Matches and parameter searches decide after each step what to play next. As in a run, a game is determined by the seed
and its number, so the same number is the same game for all entries.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordpl.contest import run_folder, run_worker
from wordpl.contest.run_worker import WORKER, Worker, WorkerTask
from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws
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
        results = paths.user_folder() / self.config.results
        pool = PlayerPool(self.config.load_lists(), self.parent, [results], store)
        max_players = 1 if self.config.is_trusted else MAX_PLAYERS
        return Worker(self.config, self.draws, pool, strategies=self.strategies, max_players=max_players)


ArenaGame = tuple[Record, Duration]


@dataclass(frozen=True)
class Arena:
    """Worker processes that play games on request.

    Attributes:
        task: What each worker needs.
        jobs: Number of games played in parallel.
    """

    task: ArenaTask
    jobs: int

    @classmethod
    @contextmanager
    def open(
        cls,
        config: RunConfig,
        *,
        draws: Draws | None = None,
        jobs: int | None = None,
        strategies: Mapping[str, Any] | None = None,
        store: BundleStore | None = None,
    ) -> Iterator["Arena"]:
        """Yield an arena, whose workers and players have ended when the context ends.

        Args:
            config: Configuration of all games.
            draws: The draws of the games. By default, those of the seed in the configuration.
            jobs: Number of games played in parallel. By default one per processor, or one if entries are trusted.
            strategies: Strategies given as objects, by the slug of their entries.
            store: Files of the entries. By default, these are read from where they were found.
        """
        if config.seed is None and draws is None:
            raise UserError("the games need a seed.")
        jobs = 1 if config.is_trusted else jobs or run_folder.n_processors()
        n_answers = len(config.load_lists().answers) if config.every_answer else 0
        task_draws = draws or Draws.of(config.seed or "", n_answers)
        files = store.folder.absolute() if store else None
        with run_worker.player_folder(jobs) as parent:
            task = ArenaTask(parent=parent, draws=task_draws, strategies=strategies or {}, config=config, store=files)
            yield cls(task, jobs)

    def play(self, wanted: Sequence[tuple[EntryInfo, Sequence[int]]]) -> list[list[ArenaGame]]:
        """Play games and return them, for each item of `wanted` in the order of its numbers.

        Args:
            wanted: Entries with the numbers of their games. An entry may occur more than once.
        """
        tasks = (
            (self.task, index, start, entry, tuple(numbers[start :: self.jobs]))
            for index, (entry, numbers) in enumerate(wanted)
            for start in range(min(self.jobs, len(numbers)))
        )
        played: list[list[Any]] = [[None] * len(numbers) for _, numbers in wanted]
        with run_worker.unordered(_play_part, tasks, self.jobs) as outcomes:
            for index, start, part in outcomes:
                played[index][start :: self.jobs] = part
        return played


def _play_part(
    task: ArenaTask, index: int, start: int, entry: EntryInfo, numbers: tuple[int, ...]
) -> tuple[int, int, list[ArenaGame]]:
    """Play these games of an entry in a worker process; return them after `index` and `start`, where they belong."""
    worker = WORKER.worker(task)
    return index, start, [worker.play(entry, number) for number in numbers]
