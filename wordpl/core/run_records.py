"""The records of a whole run, read once and shared by everything that is computed from them."""

import gc
from collections.abc import Collection, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.core import record_files
from wordpl.core.record import decode, is_torn
from wordpl.core.records import EntryInfo, Record, Run, RunInfo, Verdict, read_records

if TYPE_CHECKING:
    import pandas as pd

MAX_CACHED_GAMES = 400_000
"""The size of a run, in games of all entries, up to which its records are kept in memory: about 1.5 kB each."""
_REGULAR = (Verdict.WON, Verdict.WRONG, Verdict.UNSOLVED)
_REGULAR_ENDS = tuple(f'"verdict":"{verdict}"}}\n'.encode() for verdict in _REGULAR)


class RunRecords:
    """The records of a run, including those of repeated games.

    Records are read on first use, and kept in memory unless the run is large.

    Attributes:
        run: The run.
        folder: The run's folder.
        info: The description of the run.
    """

    def __init__(self, run: Run):
        """Create the records of a run; nothing is read yet."""
        self.run = run
        self.folder: Path = run.folder
        self.info: RunInfo = run.info
        self._records: dict[str, list[Record]] = {}
        self._repeats: dict[str, dict[int, list[Record]]] = {}
        self._irregular: dict[str, list[Record]] = {}

    @property
    def is_large(self) -> bool:
        """Whether the run has too many games to keep all records in memory."""
        return self.info.n_games * len(self.info.entries) > MAX_CACHED_GAMES

    def records_of(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records sorted by game."""
        if self.is_large:
            return self.run.read(entry)
        if entry.slug not in self._records:
            self._records[entry.slug] = self.run.read(entry)
        return self._records[entry.slug]

    def records_of_games(self, entry: EntryInfo, games: Container[int]) -> dict[int, Record]:
        """Return the entry's records of these games, by the number of the game."""
        records = self.run.records(entry, games) if self.is_large else self.records_of(entry)
        return {record.game: record for record in records if record.game in games}

    def irregular(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records, sorted by game, that are not won, wrong or unsolved, or that have a first try."""
        if entry.slug not in self._irregular:
            if self.is_large:
                records = [decode(line, entry.measure.kind) for line in self._irregular_lines(entry)]
            else:
                all_records = self.records_of(entry)
                records = [
                    record for record in all_records if record.verdict not in _REGULAR or record.first_try is not None
                ]
            self._irregular[entry.slug] = sorted(records, key=lambda record: record.game)
        return self._irregular[entry.slug]

    def _irregular_lines(self, entry: EntryInfo) -> Iterator[bytes]:
        for lines in record_files.blocks(self.run.path(entry), self.info.n_games):
            yield from (line for line in lines if not line.endswith(_REGULAR_ENDS) and not is_torn(line))

    def repeats_of(self, entry: EntryInfo) -> dict[int, list[Record]]:
        """Return the records of the entry's repeated games by the number of the game, in ascending order."""
        if entry.slug not in self._repeats:
            self._repeats[entry.slug] = read_repeats(self.run, entry)
        return self._repeats[entry.slug]

    def to_frame(self) -> "pd.DataFrame":
        """Return the games as a table, one row per game.

        Columns: entry, rules, measure, game, secret, verdict, cost (the budget or the number of guesses; infinite if
        the game was not won), n_moves, message, moves (lists of lists, as in the record files).
        """
        table = self.to_categories()
        return table.astype(dict.fromkeys(("entry", "rules", "measure", "secret", "verdict", "message"), str))

    def to_categories(self) -> "pd.DataFrame":
        """Return the table of `to_frame` with categorical columns for texts other than messages, for fast grouping."""
        from wordpl.core import run_frames  # slow to import, and playing does not need it

        tables = []
        with collector_paused():
            for entry in self.info.entries:
                columns = run_frames.EntryColumns(entry, run_frames.COLUMNS)
                columns.add(self.records_of(entry))
                tables.append(columns.table())
            return run_frames.concatenate(tables, run_frames.COLUMNS)


def load_run(folder: str | Path, columns: Collection[str] | None = None) -> "pd.DataFrame":
    """Return the games of a run as a table; see `RunRecords.to_frame`.

    Args:
        folder: The run's folder.
        columns: The columns to read: those of `to_frame`, and `spent`, the sum of a noisy game's epsilons whether or
            not it was won. If given, texts are categorical and files are read in parts, so that millions of games fit
            into memory. None: all columns of `to_frame`.

    Raises:
        UserError: There is no such run or column.
    """
    run = Run(Path(folder))
    if columns is None:
        return RunRecords(run).to_frame()
    from wordpl.core import run_frames

    return run_frames.load(run, columns)


def read_repeats(run: Run, entry: EntryInfo) -> dict[int, list[Record]]:
    """Return the records of the entry's repeated games by the number of the game, in ascending order."""
    repeats: dict[int, list[Record]] = {}
    for record in sorted(_repeats(run, entry), key=lambda record: record.game):
        repeats.setdefault(record.game, []).append(record)
    return repeats


def _repeats(run: Run, entry: EntryInfo) -> Iterator[Record]:
    return read_records(run.repeats_path(entry), entry.measure.kind, run.info.n_games)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would otherwise scan a growing number of live objects again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
