"""The folder of a run, and the facts in its run.json.

run.json describes what was played, records/ENTRY.jsonl has one line per game, and durations/ENTRY.csv the time of each
game. Only the host appends lines, in the order in which games end. When an entry has played all its games, its records
are sorted by game, so that the same seed gives the same bytes.
"""

from collections.abc import Container, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wordpl.core import durations, record_files
from wordpl.core.errors import UserError
from wordpl.core.files import read_regular_file, write_atomically
from wordpl.core.game_kinds import GameKind
from wordpl.core.record import (
    Duration,
    FirstTry,
    Record,
    UncheckedRecord,
    Verdict,
    cost,
    decode,
    encode,
    is_torn,
)
from wordpl.core.run_config import Limits
from wordpl.core.run_description import FORMAT, EntryInfo, RunInfo, WorkerInfo

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = [
    "FORMAT",
    "SEEDS_FOLDER",
    "Duration",
    "EntryInfo",
    "FirstTry",
    "Limits",
    "Record",
    "Run",
    "RunInfo",
    "UncheckedRecord",
    "Verdict",
    "WorkerInfo",
    "cost",
    "decode",
    "encode",
    "read_records",
]

MAX_RECORDS = 10_000_000
"""The maximum number of records in a compressed file whose run.json is unknown."""
SEEDS_FOLDER = ".seeds"
"""The folder, next to the runs, with the seeds of unfinished runs, so that a published run folder contains no seed."""


class Run:
    """The folder of a run.

    Attributes:
        folder: The path of the folder.
        info: The description of the run in its run.json.
    """

    def __init__(self, folder: Path):
        """Read the run.json of an existing run.

        Raises:
            UserError: The folder has no valid run.json.
        """
        self.folder = Path(folder)
        self.info = self._read_info()

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> "Run":
        """Create the folder of a new run.

        Raises:
            UserError: The folder cannot be created.
        """
        try:
            for part in ("records", "durations"):
                (folder / part).mkdir(parents=True)
            for entry in info.entries:
                (folder / "durations" / f"{entry.slug}.csv").write_text(f"{durations.HEADER}\n")
            write_atomically(folder / "run.json", _pretty(info))  # last: its presence shows that the folder is complete
        except OSError as error:
            raise UserError(
                f"cannot create the results folder {folder}: {error.strerror}. "
                "Choose another one with --results, or free some disk space."
            ) from None
        return cls(folder)

    def _read_info(self) -> RunInfo:
        path = self.folder / "run.json"
        try:
            info = msgspec.json.decode(read_regular_file(path))
            if info["format"] != FORMAT:
                raise UserError(f"{path} has format {info['format']}; this version of wordpl reads format {FORMAT}.")
            run_info = msgspec.convert(info, RunInfo)
            if any("/" in entry.slug or entry.slug in ("", ".", "..") for entry in run_info.entries):
                raise UserError(f"{path} has a slug that cannot name the files of an entry.")
            return run_info
        except OSError:
            raise UserError(f"{self.folder} is not a run: it has no readable run.json.") from None
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise UserError(f"{path} is not the description of a run: {error}") from None

    def write_info(self) -> None:
        """Rewrite run.json."""
        write_atomically(self.folder / "run.json", _pretty(self.info))

    def finish(self, time: str) -> None:
        """Mark the run as finished at this time."""
        self.info.finished = time
        self.write_info()

    def path(self, entry: EntryInfo) -> Path:
        """Return the path of the entry's records."""
        return self.folder / "records" / f"{entry.slug}.jsonl"

    def repeats_path(self, entry: EntryInfo) -> Path:
        """Return the path of the entry's records of repeated games."""
        return self.folder / "repeats" / f"{entry.slug}.jsonl"

    def durations_path(self, entry: EntryInfo) -> Path:
        """Return the path of the durations of the entry's games."""
        return self.folder / "durations" / f"{entry.slug}.csv"

    def journals_path(self, entry: EntryInfo) -> Path:
        """Return the folder of the entry's journals; it exists while the run is played. See `wordpl.core.journal`."""
        return self.folder / ".begun" / entry.slug

    @property
    def entries(self) -> list[EntryInfo]:
        """The entries of the run."""
        return self.info.entries

    def to_frame(self) -> "pd.DataFrame":
        """Return the games as a table; see `wordpl.core.run_records.RunRecords.to_frame`."""
        from wordpl.core.run_records import RunRecords  # imports this module

        return RunRecords(self).to_frame()

    def read(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records sorted by game, one per game, without torn lines."""
        by_game: dict[int, Record] = {}
        for record in chain.from_iterable(self.record_blocks(entry)):
            by_game.setdefault(record.game, record)
        return [by_game[game] for game in sorted(by_game)]

    def records(self, entry: EntryInfo, wanted: Container[int]) -> Iterator[Record]:
        """Yield the entry's records of the wanted games, one per game, in the order of the file."""
        games_seen: set[int] = set()
        for record in chain.from_iterable(self.record_blocks(entry)):
            if record.game in wanted and record.game not in games_seen:
                games_seen.add(record.game)
                yield record

    def record_blocks(self, entry: EntryInfo) -> Iterator[list[Record]]:
        """Yield lists of the entry's records in the order of the file; a game may occur twice."""
        return record_blocks(self.path(entry), entry.measure.kind, self.info.n_games)

    def durations(self, entry: EntryInfo) -> Iterator[Duration]:
        """Yield the durations of the entry's games in the order in which they ended; a replayed game occurs twice."""
        return durations.read(self.durations_path(entry), self.info.n_games)

    def cpu_times(self, entry: EntryInfo) -> "NDArray[np.float64]":
        """Return the CPU time of each of the entry's games in seconds, float[n_games]; NaN if it is unknown."""
        return durations.cpu_times(self.durations_path(entry), self.info.n_games)

    def cpu_used_s(self, entry: EntryInfo) -> float:
        """Return the CPU time of the entry's games in seconds, as the limits count it; see `durations.charged_s`."""
        slowness = {name: worker.slowness for name, worker in (self.info.workers or {}).items()}
        return durations.charged_s(self.durations(entry), slowness)


def read_records(path: Path, kind: GameKind, max_lines: int = MAX_RECORDS) -> Iterator[Record]:
    """Yield the records of a file one by one; see `record_blocks`."""
    return chain.from_iterable(record_blocks(path, kind, max_lines))


def record_blocks(path: Path, kind: GameKind, max_lines: int = MAX_RECORDS) -> Iterator[list[Record]]:
    """Yield lists of the records of a file in the order of its lines, without torn lines; none if there is no file.

    Args:
        path: The path of the plain file; the compressed file is read if there is no plain one.
        kind: The kind of the games.
        max_lines: The maximum number of records in a compressed file, see `record_files.content`.

    Raises:
        UserError: A line is not a record.
    """
    n_before = 0
    for lines in record_files.blocks(path, max_lines):
        records = []
        for number, line in enumerate(lines, n_before + 1):
            try:
                records.append(decode(line, kind))
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                if not is_torn(line):
                    raise UserError(f"line {number} of {path} is not a record: {error}") from None
        n_before += len(lines)
        yield records


def _pretty(info: RunInfo) -> bytes:
    return msgspec.json.format(msgspec.json.encode(info), indent=2) + b"\n"
