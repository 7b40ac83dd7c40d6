"""Who plays the games of a run: worker processes of this machine, by joblib, or something with the same methods."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from wordpl.contest.run_worker import WORKER, Chunk, Outcome, WorkerTask, do_chunk
from wordpl.core.records import Run
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.sandbox import cgroup


class Workforce(Protocol):
    """Who plays the games of a run."""

    @property
    def key(self) -> bytes:
        """The key of all draws."""

    @property
    def n_workers(self) -> int:
        """How many games are played at a time; of a cluster, at the moment."""

    def outcomes(self, chunks: Iterable[Chunk]) -> AbstractContextManager[Iterator[Outcome]]:
        """Give the outcome of each chunk, as it comes; chunks are asked for late, a few ahead of the workers."""


@dataclass(frozen=True)
class LocalWorkforce:
    """Worker processes of this machine; a single one is this process.

    Attributes:
        task: What workers have to know of the run.
        n_workers: How many games are played at a time.
    """

    task: WorkerTask
    n_workers: int

    @property
    def key(self) -> bytes:
        """The key of all draws."""
        return self.task.key

    @contextmanager
    def outcomes(self, chunks: Iterable[Chunk]) -> Iterator[Iterator[Outcome]]:
        """Give the outcome of each chunk, as it comes; chunks are asked for late, a few ahead of the workers."""
        with unordered(do_chunk, ((self.task, chunk) for chunk in chunks), self.n_workers) as outcomes:
            yield outcomes


@contextmanager
def unordered(work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], jobs: int) -> Iterator[Iterator[Any]]:
    """Give what `work` returns for each task, as it comes; tasks are asked for late, a few ahead of the workers."""
    from joblib import Parallel, delayed  # slow to import, and a command's help does not need it

    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)
    outcomes = pool(delayed(work)(*task) for task in tasks)
    try:
        yield outcomes
    finally:
        with warnings.catch_warnings():  # whoever leaves early, because the disk is full, knows what is lost
            warnings.simplefilter("ignore")
            outcomes.close()


@contextmanager
def local(run: Run, key: bytes, jobs: int, strategies: Mapping[str, Any] | None = None) -> Iterator[LocalWorkforce]:
    """Give workers of this machine; when the context is left, they and their players have ended.

    Args:
        run: The run that they play.
        key: The key of all draws.
        jobs: How many games are played at a time.
        strategies: See `WorkerTask`.
    """
    with workers(jobs) as parent:
        yield LocalWorkforce(WorkerTask(run.folder, parent, key, strategies or {}), jobs)


@contextmanager
def workers(jobs: int) -> Iterator[Path]:
    """Give a folder for the players of `jobs` workers; when it is left, workers and players have ended."""
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
    """End the worker processes, and with them the players they have."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)
