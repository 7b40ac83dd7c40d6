"""A process for what takes long, so that it delays no move."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

from wordpl.web.errors import RefusedError

MAX_WAITING = 16


class WorkerProcess:
    """One process that computes one thing after the other; it is started with the first."""

    def __init__(
        self, timeout_s: float, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()
    ):
        """Prepare the process.

        Args:
            timeout_s: after how many seconds a computation is stopped, with the process.
            initializer: a function of a module that the process calls first, with these arguments.
            initargs: its arguments.
        """
        self._timeout_s = timeout_s
        self._initializer, self._initargs = initializer, initargs
        self._pool: ProcessPoolExecutor | None = None
        self._n_waiting = 0

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function of a module returns in the process.

        Raises:
            RefusedError: too many wait already, it took too long, or the process has died.
        """
        if self._n_waiting >= MAX_WAITING:
            raise RefusedError(503, "the server is busy with many requests like this: try again in a moment.", 5)
        self._n_waiting += 1
        try:
            pool = self._started()
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
        except (TimeoutError, BrokenProcessPool):
            self.close()
            raise RefusedError(503, "that took too long: try again.", 5) from None
        finally:
            self._n_waiting -= 1

    def close(self) -> None:
        """End the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            processes = list((getattr(pool, "_processes", None) or {}).values())  # only Python 3.14 can ask the pool
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            spawn = get_context("spawn")
            initargs = (self._initializer, self._initargs)
            self._pool = ProcessPoolExecutor(1, spawn, initializer=_begin, initargs=initargs)
        return self._pool


def _begin(initializer: Callable[..., None] | None, initargs: tuple[Any, ...]) -> None:
    """Prepare the process, which ends with the server even if that is killed."""
    Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        initializer(*initargs)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
