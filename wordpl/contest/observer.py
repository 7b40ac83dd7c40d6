"""Events of a contest while it is played."""

from dataclasses import dataclass

from wordpl.core.records import EntryInfo, Run, WorkerInfo
from wordpl.players.discovery import Fault


@dataclass(frozen=True)
class EntryProgress:
    """The number of games that an entry has played and won, out of all its games."""

    entry: EntryInfo
    n_played: int
    n_won: int
    n_games: int


class Observer:
    """Receives the events of a contest. All methods do nothing: override those that you need."""

    def no_entry(self, fault: Fault) -> None:
        """A file could not be loaded."""

    def committed(self, run: Run) -> None:
        """An official run was created; its commitment must be published before the first game."""

    def started(self, run: Run) -> None:
        """Play is about to start; a resumed run already has some of its games."""

    def progress(self, progress: EntryProgress) -> None:
        """An entry has played some games."""

    def repeated(self, n_done: int, n_games: int) -> None:
        """`n_done` of `n_games` games have been repeated in new processes."""

    def reversed(self, n_done: int, n_games: int) -> None:
        """`wordpl check` has repeated `n_done` of `n_games` games in reverse order."""

    def worker_joined(self, name: str, info: WorkerInfo) -> None:
        """A worker has joined the cluster."""

    def worker_refused(self, name: str, reason: str) -> None:
        """A worker was not admitted to the cluster."""

    def worker_lost(self, name: str, why: str, n_games: int) -> None:
        """A worker has left the cluster; `n_games` of its games will be played by other workers."""

    def stopped(self, run: Run, n_played: int) -> None:
        """The run was interrupted by an error or Ctrl-C before all games were played."""

    def finished(self, run: Run) -> None:
        """All games of the run have been played."""
