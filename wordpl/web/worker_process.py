"""A process for slow computations of the server, so that they do not delay other requests."""

import asyncio
from typing import Any

from wordpl.core import words
from wordpl.core.words import WordLists
from wordpl.games import OwnGame, bind_all, bound
from wordpl.players.killable import KillableProcess, ProcessEndedError
from wordpl.web.errors import RefusedError

MAX_WAITING = 16
_served: list[WordLists] = []


class WorkerProcess:
    """One process that calls functions one after the other. It is started when it is first used."""

    def __init__(self, timeout_s: float, lists: WordLists | None = None):
        """Configure the process: the time limit of a call, after which it is stopped, and the server's word lists."""
        self._timeout_s, self._lists = timeout_s, lists
        self._process: KillableProcess | None = None
        self._n_waiting = 0

    async def run(self, function: str, *arguments: Any) -> Any:
        """Call a function in the process and return its result.

        Args:
            function: The function, as module:name.
            arguments: Its arguments.

        Raises:
            RefusedError: Too many calls are waiting, the function took too long, or the process has died.
        """
        if self._n_waiting >= MAX_WAITING:
            raise RefusedError(503, "the server is busy: try again in a moment.", 5)
        self._n_waiting += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._started().call(function, *arguments)
        except (TimeoutError, ProcessEndedError):
            self.close()
            raise RefusedError(503, "the request took too long: try again.", 5) from None
        finally:
            self._n_waiting -= 1

    def close(self) -> None:
        """Stop the process."""
        process, self._process = self._process, None
        if process is not None:
            process.stop(0)

    def _started(self) -> KillableProcess:
        if self._process is None:
            self._process = KillableProcess()
            self._process.prepare(f"{__name__}:prepare", self._lists, bound())
        return self._process


def prepare(lists: WordLists | None, own_games: tuple[OwnGame, ...]) -> None:
    """Set the server's word lists in this process, and bind the host's own games."""
    _served[:] = [lists] if lists else []
    bind_all(own_games)


def served_lists() -> WordLists:
    """Return the server's word lists in such a process, elsewhere the contest's."""
    return _served[0] if _served else words.load()
