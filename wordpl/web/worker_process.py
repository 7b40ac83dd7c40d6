"""A worker process for slow computations, so that they do not delay other requests."""

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
    """One process that runs functions one after the other. It is started when it is first used."""

    def __init__(
        self, timeout_s: float, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()
    ):
        """Configure the process.

        Args:
            timeout_s: The time limit of a function in seconds, after which the process is stopped.
            initializer: A module-level function that the process calls first.
        """
        self._timeout_s = timeout_s
        self._initializer, self._initargs = initializer, initargs
        self._pool: ProcessPoolExecutor | None = None
        self._n_waiting = 0

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a module-level function in the process and return its result.

        Raises:
            RefusedError: Too many calls are waiting, the function took too long, or the process has died.
        """
        if self._n_waiting >= MAX_WAITING:
            raise RefusedError(503, "the server is busy: try again in a moment.", 5)
        self._n_waiting += 1
        try:
            pool = self._started()
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
        except (TimeoutError, BrokenProcessPool):
            self.close()
            raise RefusedError(503, "the request took too long: try again.", 5) from None
        finally:
            self._n_waiting -= 1

    def close(self) -> None:
        """Stop the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            processes = list((getattr(pool, "_processes", None) or {}).values())  # Python 3.14 has a method for this
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
    """Initialize the process, and make it end with the server even if the server is killed."""
    Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        initializer(*initargs)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
