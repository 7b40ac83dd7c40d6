"""The records of a whole run, read once for everything that is computed from them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wordpl.core.records import EntryInfo, Record, Run, RunInfo, cost, read_records

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "message", "moves"]


class RunRecords:
    """All games that a run's folder holds: those of the run, and those that were played again.

    Attributes:
        run: The run.
        folder: The run's folder.
        info: What was played.
    """

    def __init__(self, run: Run):
        """Read the records of the run."""
        self.run = run
        self.folder: Path = run.folder
        self.info: RunInfo = run.info
        self._records = {entry.slug: run.read(entry) for entry in run.entries}
        self._repeats = {entry.slug: read_repeats(run, entry) for entry in run.entries}

    def of(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records in the order of their games."""
        return self._records[entry.slug]

    def repeats_of(self, entry: EntryInfo) -> dict[int, list[Record]]:
        """Return the records of each game of the entry that was played again, in the order of the games."""
        return self._repeats[entry.slug]

    def to_frame(self) -> "pd.DataFrame":
        """Return the games as a table, one row a game.

        Columns: entry, rules, measure, game, secret, verdict, cost (the budget or the number of guesses, infinite
        unless won), n_moves, message, moves (lists of lists, as the record files hold them).
        """
        import pandas as pd  # slow to import, and playing does not need it

        rows = [
            (entry.name, entry.game_id, str(entry.measure), r.game, r.secret, str(r.verdict),
             float(cost(r, entry.measure)), len(r.moves), r.message, msgspec.to_builtins(r.moves))
            for entry in self.info.entries
            for r in self.of(entry)
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=COLUMNS)


def read_cpu_times(run: Run, entry: EntryInfo) -> dict[int, float]:
    """Return the CPU time of each game of the entry, in seconds; games without a known time are left out."""
    return {one.game: one.cpu_s for one in run.durations(entry) if one.cpu_s is not None}


def load_run(folder: str | Path) -> "pd.DataFrame":
    """Return the games of the run in this folder as a table, see `RunRecords.to_frame`."""
    return RunRecords(Run(Path(folder))).to_frame()


def read_repeats(run: Run, entry: EntryInfo) -> dict[int, list[Record]]:
    """Return the records of each game of the entry that was played again, in the order of the games."""
    found: dict[int, list[Record]] = {}
    for record in sorted(_repeats(run, entry), key=lambda record: record.game):
        found.setdefault(record.game, []).append(record)
    return found


def _repeats(run: Run, entry: EntryInfo) -> Iterator[Record]:
    return read_records(run.repeats_path(entry), entry.measure.kind, run.info.n_games)
