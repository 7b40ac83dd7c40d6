"""What a contest tells while it is played."""

from dataclasses import dataclass

from wordpl.core.records import EntryInfo, Run, WorkerInfo
from wordpl.players.discovery import Fault


@dataclass(frozen=True)
class EntryProgress:
    """How many of its games an entry has played and won."""

    entry: EntryInfo
    n_played: int
    n_won: int
    n_games: int


class Observer:
    """Is told what happens in a contest. Each method does nothing: override those that you need."""

    def no_entry(self, fault: Fault) -> None:
        """Take note of a file from which no entry could be made, and why."""

    def committed(self, run: Run) -> None:
        """Take note of a new official run: its commitment is to be published before the first game."""

    def started(self, run: Run) -> None:
        """Take note that games are going to be played; the run may have some of its games already."""

    def progress(self, progress: EntryProgress) -> None:
        """Take note of how far an entry has come."""

    def repeated(self, n_done: int, n_games: int) -> None:
        """Take note of how many games have been played again in fresh processes, out of how many."""

    def reversed(self, n_done: int, n_games: int) -> None:
        """Take note of how many games `wordpl check` has played again in reverse order, out of how many."""

    def worker_joined(self, name: str, info: WorkerInfo) -> None:
        """Take note that a worker of the cluster plays from now on."""

    def worker_refused(self, name: str, reason: str) -> None:
        """Take note that a worker of the cluster does not play, and why."""

    def worker_lost(self, name: str, why: str, n_games: int) -> None:
        """Take note that a worker of the cluster plays no more; n_games: how many of its games are played elsewhere."""

    def stopped(self, run: Run, n_played: int) -> None:
        """Take note that the run ends before all games are played, by an error or by Ctrl-C."""

    def finished(self, run: Run) -> None:
        """Take note that all games of the run have been played."""
