"""Writes games down as their records reach the host, which is the only process that does."""

import os
import time
from collections.abc import Iterable, Sequence

from wordpl.core import durations, record_files
from wordpl.core.errors import UserError
from wordpl.core.files import append
from wordpl.core.records import Duration, EntryInfo, Run

SYNC_S = 1.0


class RecordWriter:
    """Appends games to an entry's files."""

    def __init__(self, run: Run, entry: EntryInfo):
        """Open the files; raise UserError where the run has ended."""
        paths = run.path(entry), run.durations_path(entry)
        if record_files.compressed_path(paths[0]).exists():
            raise UserError(f"{run.folder} has ended: its records are compressed, and no game can be added.")
        self._records, self._durations = (
            os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for path in paths
        )
        self._synced = time.monotonic()

    def add(self, records: Sequence[bytes], times: Iterable[Duration] = ()) -> None:
        """Append the lines of records, and how long their games took; what is older than SYNC_S outlives a power cut.

        The durations come first: a game of which the record is missing is played again, so its time counts twice, but
        no time is forgotten.
        """
        append(self._durations, b"".join(map(durations.encode, times)))
        append(self._records, b"".join(records))
        if time.monotonic() > self._synced + SYNC_S:
            os.fsync(self._records)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Force what was written to the disk, and close the files."""
        for file in (self._records, self._durations):
            os.fsync(file)
            os.close(file)
