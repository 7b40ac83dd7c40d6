"""The writer of record files. Only the host writes them, as records arrive from its workers."""

import os
import time
from collections.abc import Iterable, Sequence

from wordpl.core import durations, record_files
from wordpl.core.errors import UserError
from wordpl.core.files import append
from wordpl.core.records import Duration, EntryInfo, Run

SYNC_S = 1.0


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
