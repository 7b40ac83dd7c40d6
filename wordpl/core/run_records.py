"""The records of a whole run, read once for everything that is computed from them."""

from collections.abc import Collection, Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core import record_files
from wordpl.core.collector import collector_paused
from wordpl.core.record import decode, is_torn
from wordpl.core.records import EntryInfo, Record, Run, RunInfo, Verdict, read_records

if TYPE_CHECKING:
    import pandas as pd

MAX_KEPT = 400_000
"""The games of a run up to which their records are kept in memory, some 1.5 kB each."""
_REGULAR = (Verdict.WON, Verdict.WRONG, Verdict.UNSOLVED)
_REGULAR_ENDS = tuple(f'"verdict":"{verdict}"}}\n'.encode() for verdict in _REGULAR)


class RunRecords:
    """All games that a run's folder holds: those of the run, and those that were played again.

    Records are read when they are asked for, and kept unless the run is large.

    Attributes:
        run: The run.
        folder: The run's folder.
        info: What was played.
    """

    def __init__(self, run: Run):
        """Prepare to read the records of the run."""
        self.run = run
        self.folder: Path = run.folder
        self.info: RunInfo = run.info
        self._records: dict[str, list[Record]] = {}
        self._repeats: dict[str, dict[int, list[Record]]] = {}
        self._irregular: dict[str, list[Record]] = {}

    @property
    def is_large(self) -> bool:
        """Whether there are so many games that not all of their records fit into memory."""
        return self.info.n_games * len(self.info.entries) > MAX_KEPT

    def of(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records in the order of their games."""
        if self.is_large:
            return self.run.read(entry)
        if entry.slug not in self._records:
            self._records[entry.slug] = self.run.read(entry)
        return self._records[entry.slug]

    def some(self, entry: EntryInfo, games: Container[int]) -> dict[int, Record]:
        """Return the entry's records of these games, by game."""
        found = self.run.records(entry, games) if self.is_large else self.of(entry)
        return {record.game: record for record in found if record.game in games}

    def irregular(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's games that were neither won, answered wrongly nor unsolved, and those with a first try."""
        if entry.slug not in self._irregular:
            if self.is_large:
                found = [decode(line, entry.measure.kind) for line in self._irregular_lines(entry)]
            else:
                found = [one for one in self.of(entry) if one.verdict not in _REGULAR or one.first_try is not None]
            self._irregular[entry.slug] = sorted(found, key=lambda record: record.game)
        return self._irregular[entry.slug]

    def _irregular_lines(self, entry: EntryInfo) -> Iterator[bytes]:
        for lines in record_files.blocks(self.run.path(entry), self.info.n_games):
            yield from (line for line in lines if not line.endswith(_REGULAR_ENDS) and not is_torn(line))

    def repeats_of(self, entry: EntryInfo) -> dict[int, list[Record]]:
        """Return the records of each game of the entry that was played again, in the order of the games."""
        if entry.slug not in self._repeats:
            self._repeats[entry.slug] = read_repeats(self.run, entry)
        return self._repeats[entry.slug]

    def to_frame(self) -> "pd.DataFrame":
        """Return the games as a table, one row a game.

        Columns: entry, rules, measure, game, secret, verdict, cost (the budget or the number of guesses, infinite
        unless won), n_moves, message, moves (lists of lists, as the record files hold them).
        """
        table = self.to_categories()
        return table.astype(dict.fromkeys(("entry", "rules", "measure", "secret", "verdict", "message"), str))

    def to_categories(self) -> "pd.DataFrame":
        """Return the table of `to_frame` with categories for texts but for messages: much is computed faster so."""
        from wordpl.core import run_frames  # slow to import, and playing does not need it

        tables = []
        with collector_paused():
            for entry in self.info.entries:
                columns = run_frames.EntryColumns(entry, run_frames.COLUMNS)
                columns.add(self.of(entry))
                tables.append(columns.table())
            return run_frames.joined(tables, run_frames.COLUMNS)


def load_run(folder: str | Path, columns: Collection[str] | None = None) -> "pd.DataFrame":
    """Return the games of the run in this folder as a table, see `RunRecords.to_frame`.

    Args:
        folder: The run's folder.
        columns: The columns to read, of those and `spent`, the sum of a noisy game's epsilons, won or not. With them,
            files are read in parts, and texts are categories: millions of games fit into memory. None: all columns, as
            plain texts and lists.

    Raises:
        UserError: There is no such run or column.
    """
    run = Run(Path(folder))
    if columns is None:
        return RunRecords(run).to_frame()
    from wordpl.core import run_frames

    return run_frames.load(run, columns)


def read_repeats(run: Run, entry: EntryInfo) -> dict[int, list[Record]]:
    """Return the records of each game of the entry that was played again, in the order of the games."""
    found: dict[int, list[Record]] = {}
    for record in sorted(_repeats(run, entry), key=lambda record: record.game):
        found.setdefault(record.game, []).append(record)
    return found


def _repeats(run: Run, entry: EntryInfo) -> Iterator[Record]:
    return read_records(run.repeats_path(entry), entry.measure.kind, run.info.n_games)
