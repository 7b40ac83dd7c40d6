"""Workforces, which play the games of a run: worker processes on this machine, or another implementation."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from wordpl.contest.chunks import Chunk, Outcome
from wordpl.contest.run_worker import WORKER, WorkerTask, run_chunk_with_journal
from wordpl.core.records import Run
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.sandbox import cgroup


class Workforce(Protocol):
    """The interface of a group of workers that plays the games of a run."""

    @property
    def key(self) -> bytes:
        """The key of all draws."""

    @property
    def n_workers(self) -> int:
        """The number of games played at a time, which may change during a run on a cluster."""

    def outcomes(self, chunks: Iterable[Chunk]) -> AbstractContextManager[Iterator[Outcome]]:
        """Yield an iterator over outcomes in the order of completion; chunks are consumed lazily, a few in advance."""


@dataclass(frozen=True)
class LocalWorkforce:
    """Worker processes on this machine; a single worker is this process.

    Attributes:
        task: The task of the workers.
        n_workers: The number of games played at a time.
    """

    task: WorkerTask
    n_workers: int

    @property
    def key(self) -> bytes:
        """The key of all draws."""
        return self.task.key

    @contextmanager
    def outcomes(self, chunks: Iterable[Chunk]) -> Iterator[Iterator[Outcome]]:
        """Yield an iterator over outcomes in the order of completion; chunks are consumed lazily, a few in advance."""
        with unordered(run_chunk_with_journal, ((self.task, chunk) for chunk in chunks), self.n_workers) as outcomes:
            yield outcomes


@contextmanager
def unordered(work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], jobs: int) -> Iterator[Iterator[Any]]:
    """Yield an iterator over the results of `work` for all tasks in the order of completion.

    Args:
        work: The function to call in worker processes.
        tasks: The arguments of each call, consumed lazily, a few in advance.
        jobs: The number of worker processes.
    """
    from joblib import Parallel, delayed  # slow to import

    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)
    outcomes = pool(delayed(work)(*task) for task in tasks)
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():  # about unfinished tasks, if the context is left early by an exception
            warnings.simplefilter("ignore")
            outcomes.close()


@contextmanager
def local(run: Run, key: bytes, jobs: int, strategies: Mapping[str, Any] | None = None) -> Iterator[LocalWorkforce]:
    """Yield a workforce on this machine; when the context ends, all workers and players have been stopped.

    Args:
        key: The key of all draws.
        jobs: The number of games to play at a time.
        strategies: See `WorkerTask`.
    """
    with player_folder(jobs) as parent:
        yield LocalWorkforce(WorkerTask(run.folder, parent, key, strategies or {}), jobs)


@contextmanager
def player_folder(jobs: int) -> Iterator[Path]:
    """Yield a folder for players; when the context ends, all workers and players have been stopped.

    Args:
        jobs: The number of workers.
    """
    with TemporaryDirectory(prefix="wordpl-", ignore_cleanup_errors=True) as name:
        parent = Path(name)
        try:
            yield parent
        finally:
            try:
                WORKER.close()
            finally:
                if jobs != 1:
                    dismiss_workers()
                wait_until_empty(parent)
                cgroup.remove_abandoned()


def dismiss_workers() -> None:
    """Stop the worker processes and their players."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)
