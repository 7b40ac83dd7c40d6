"""Writes games down as they are played: any number of workers may append to one entry's files."""

import os
import time

from wordpl.core import record_files
from wordpl.core.errors import UserError
from wordpl.core.files import append
from wordpl.core.records import Duration, EntryInfo, Record, Run, encode

SYNC_S = 1.0


class RecordWriter:
    """Appends games to an entry's files."""

    def __init__(self, run: Run, entry: EntryInfo):
        paths = run.path(entry), run.durations_path(entry)
        if record_files.compressed_path(paths[0]).exists():
            raise UserError(f"{run.folder} has ended: its records are compressed, and no game can be added.")
        self._records, self._durations = (
            os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for path in paths
        )
        run.begun_path(entry).parent.mkdir(exist_ok=True)
        self._begun = os.open(run.begun_path(entry), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._synced = time.monotonic()
        self._new_records: list[bytes] = []
        self._new_durations: list[bytes] = []

    def begin(self, game: int) -> None:
        """Note on disk that a game begins: if its record is never written, it was played for nothing and is known."""
        append(self._begun, b"%d\n" % game)

    def add(self, record: Record, duration: Duration) -> None:
        """Note a game, to be written with the next flush."""
        cpu = "" if duration.cpu_s is None else f"{duration.cpu_s:.6f}"
        self._new_records.append(encode(record))
        self._new_durations.append(f"{duration.game};{cpu};{duration.wall_s:.6f};{duration.start_s:.6f}\n".encode())

    def add_unplayed(self, record: Record) -> None:
        """Note a game that is not played, and so took no time."""
        self._new_records.append(encode(record))

    def flush_records(self) -> None:
        """Append the records that wait: in one write, so that workers that share the file never mix their lines."""
        append(self._records, b"".join(self._new_records))
        self._new_records.clear()

    def flush(self) -> None:
        """Append all that waits, how long games took included; what is older than SYNC_S then outlives a power cut."""
        self.flush_records()
        append(self._durations, b"".join(self._new_durations))
        self._new_durations.clear()
        if time.monotonic() > self._synced + SYNC_S:
            os.fsync(self._records)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Flush, force what was written to the disk, and let go of the files."""
        self.flush()
        for file in (self._records, self._durations, self._begun):
            os.fsync(file)
            os.close(file)
