"""A player in the referee's process, for debugging and for trusted code. Its time limits are not enforced."""

import json
import os
import sys
import time
from bdb import BdbQuit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from wordpl import strategy as contract
from wordpl.core import paths, seeds
from wordpl.core.moves import Move, Verdict
from wordpl.players import worker
from wordpl.players.base import Player, PlayerError, TimeLimits
from wordpl.run.bundle import find_place
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration

T = TypeVar("T")


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
        self._place = find_place(entry.file)  # before the working directory changes

    def prepare(self) -> bool:
        """Import the file and create the strategy, unless that has been done.

        There is no warm-up game, because no time limit is enforced, so that breakpoints stop only in the game to debug.
        """
        if self._strategy is None:
            given = self._given
            self._strategy = self._loaded(lambda: self._from_file() if given is None else given)
            if isinstance(self._strategy, contract.Strategy):
                self._strategy.rules = self._entry.game.id
        return False

    def declared_entries(self) -> list[tuple[str, str, str]]:
        """Return the expression, name and game of each entry that the file declares, or of the requested entry.

        The file is imported anew, as in a new process, in case that it has changed since it was last imported.
        """
        for name in [name for name in sys.modules if name.partition(".")[0] == "strategies"]:
            del sys.modules[name]
        try:
            declared = self._loaded(lambda: list(contract.declared_entries(self._module(), self._entry.make)))
            return [(entry.make, entry.name, entry.game) for entry in declared]
        finally:
            self.close()

    def _loaded(self, load: Callable[[], T]) -> T:
        """Return what `load` returns in the player's working directory."""
        import numpy.random  # noqa: F401 - begin_game seeds it only where it is loaded

        if str(paths.IMPORT_ROOT) not in sys.path:
            sys.path.insert(0, str(paths.IMPORT_ROOT))
        os.chdir(self._folder)
        seeds.seed_random_module(0)  # before the file imports functions from `random`
        try:
            return load()
        except (Exception, SystemExit) as error:
            raise _crashed(error) from error

    def _from_file(self) -> Any:
        return contract.make_strategy(self._module(), self._entry.make)

    def _module(self) -> ModuleType:
        return contract.import_entry(self._place, paths.bundled() / "strategies")

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
