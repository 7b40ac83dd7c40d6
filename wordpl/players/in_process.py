"""A player in the referee's process, for debugging and for trusted code. Its time limits are not enforced."""

import json
import os
import sys
import time
from bdb import BdbQuit
from pathlib import Path
from typing import Any

from wordpl import strategy as contract
from wordpl.core import lazy_random, paths
from wordpl.core.moves import Move
from wordpl.core.records import Duration, EntryInfo, Verdict
from wordpl.players import worker
from wordpl.players.base import Player, PlayerError, TimeLimits


class TrustedPlayer(Player):
    """A player that calls the strategy directly, so that debuggers work. The strategy could read the secret."""

    def __init__(self, entry: EntryInfo, folder: Path, given: Any = None):
        """Create a player.

        Args:
            folder: The working directory of the player.
            given: The strategy, if it was passed as an object; None: create it from the entry's file.
        """
        self._entry, self._folder, self._given = entry, folder, given
        self._strategy: Any = None
        self._started = 0.0
        self._home = Path.cwd()
        self._file = paths.find_file(entry.file)  # before the working directory changes

    def prepare(self) -> bool:
        """Import the file and create the strategy, unless that has been done.

        There is no warm-up game, because no time limit is enforced, so that breakpoints stop only in the game to debug.
        """
        if self._strategy is not None:
            return False
        import numpy.random  # noqa: F401 - begin_game seeds it only where it is loaded

        if str(paths.IMPORT_ROOT) not in sys.path:
            sys.path.insert(0, str(paths.IMPORT_ROOT))
        os.chdir(self._folder)
        lazy_random.seed_random_module(0)  # before the file imports functions from `random`
        try:
            self._strategy = self._from_file() if self._given is None else self._given
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error
        if isinstance(self._strategy, contract.Strategy):
            self._strategy.rules = self._entry.game_id
        return False

    def _from_file(self) -> Any:
        return contract.make_strategy(contract.import_file(self._file), self._entry.make)

    def first_move(self, seed: int, allowance: TimeLimits) -> Any:
        """Begin a game and return the first move; the time limits are not enforced."""
        contract.begin_game(self._strategy, seed)
        self._started = time.perf_counter()
        try:
            return as_sent(self._strategy.first_move())
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error

    def next_move(self, move: Move) -> Any:
        """Return the next proposal of the strategy."""
        try:
            return as_sent(self._strategy.next_move(*move.arguments))
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error

    def duration(self, game: int) -> Duration:
        """Return the wall time since the first move, including the referee's; the CPU time of the player is unknown."""
        return Duration(game, None, time.perf_counter() - self._started)

    def close(self) -> None:
        """Discard the strategy, and restore the working directory."""
        self._strategy = None
        os.chdir(self._home)


def _crashed(error: BaseException) -> PlayerError:
    if isinstance(error, BdbQuit):  # quitting the debugger ends the run
        raise KeyboardInterrupt from error
    return PlayerError(Verdict.MEMORY if isinstance(error, MemoryError) else Verdict.CRASHED, worker.explain(error))


def as_sent(move: Any) -> Any:
    """Return a move as it would arrive from another process, so that both kinds of players behave the same."""
    return move if worker.is_plain(move) else json.loads(worker.to_line(move))["move"]
