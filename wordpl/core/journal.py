"""Writing the records of games as they end, and journals, so that no finished game is lost when the harness is killed.

Only the host writes record files. While a worker plays a chunk of games, it writes a journal: the number of each game
that begins, and the record of each game that ends. The host removes the journal after it has written the records of the
chunk. When a run is resumed, the remaining journals hold the games that the host had not received when it was killed.
"""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from wordpl.core import durations, record_files
from wordpl.core.errors import UserError
from wordpl.core.files import append
from wordpl.core.records import Duration, EntryInfo, Run

SYNC_S = 1.0
"""The time between two syncs of records to disk, in seconds."""


class Journal:
    """The journal of one chunk of games."""

    def __init__(self, path: Path, first: int):
        """Create the journal, and write that game `first` has begun."""
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o600)
        append(self._file, b"%d\n" % first)

    def add(self, record: bytes, following: int | None) -> None:
        """Write the record of a game that has ended and, if there is a following game, that it has begun."""
        append(self._file, record if following is None else b"%b%d\n" % (record, following))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def begin(run: Run, entry: EntryInfo, serial: int, numbers: Iterable[int]) -> None:
    """Write a journal on the host that says that these games may have begun, for workers without a local journal."""
    path = path_of(run, entry, serial)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(b"%d\n" % number for number in numbers))


def path_of(run: Run, entry: EntryInfo, serial: int) -> Path:
    """Return the path of the journal of the chunk with this serial number."""
    return run.journals_path(entry) / f"{serial}"


def remove(run: Run, entry: EntryInfo, serial: int) -> None:
    """Remove the journal of a chunk, once its records have been written."""
    path_of(run, entry, serial).unlink(missing_ok=True)


def read(run: Run, entry: EntryInfo) -> tuple[list[int], list[bytes]]:
    """Return the numbers of the games that began and the lines of records in the entry's journals.

    Incomplete last lines are ignored.
    """
    begun: list[int] = []
    records: list[bytes] = []
    for path in _files(run.journals_path(entry)):
        data = path.read_bytes()
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            if line.startswith(b"{"):
                records.append(line)
            elif line.strip().isdigit():
                begun.append(int(line))
    return begun, records


def next_serial(run: Run) -> int:
    """Return a serial number greater than those of all journals of the run."""
    numbers = [
        int(path.name) for entry in run.entries for path in _files(run.journals_path(entry)) if path.name.isdigit()
    ]
    return max(numbers, default=0) + 1


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.iterdir())
    return [path] if path.exists() else []  # a run begun by an older version has one file of numbers


class RecordWriter:
    """Appends records and durations to an entry's files."""

    def __init__(self, run: Run, entry: EntryInfo):
        """Open the files.

        Raises:
            UserError: The run has finished.
        """
        paths = run.path(entry), run.durations_path(entry)
        if record_files.compressed_path(paths[0]).exists():
            raise UserError(f"{run.folder} has finished: its records are compressed, and no game can be added.")
        self._records, self._durations = (
            os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for path in paths
        )
        self._synced = time.monotonic()

    def add(self, records: Sequence[bytes], times: Iterable[Duration] = ()) -> None:
        """Append the lines of records and the durations of their games; they are synced to disk every SYNC_S seconds.

        Durations are written first. If the process is killed before it writes the records, the games are replayed and
        their time counts twice, but no time is lost.
        """
        append(self._durations, b"".join(map(durations.encode, times)))
        append(self._records, b"".join(records))
        if time.monotonic() > self._synced + SYNC_S:
            os.fsync(self._records)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Sync the files to disk and close them."""
        for file in (self._records, self._durations):
            os.fsync(file)
            os.close(file)
