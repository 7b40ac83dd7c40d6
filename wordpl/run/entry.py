"""An entry of a run and its files: records, repeats, durations, fingerprints and, while it is played, journals.

Only the host writes record files. While a worker plays a chunk of games, it writes a journal: the number of each game
that begins, and the record of each game that ends. The host removes the journal after it has written the records of the
chunk. When a run is resumed, the remaining journals hold the games that the host had not received when it was killed.
"""

import mmap
import os
import time
from array import array
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wordpl.core import bounded
from wordpl.core.files import Appender, append, write_atomically
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.run import records, seal
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Duration, Record, Summary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SYNC_S = 1.0
"""The time between two syncs of records to disk, in seconds."""
JOURNALS = ".begun"
"""The folder of a run that has a folder of journals for each entry."""
REGULAR = (Verdict.WON, Verdict.WRONG, Verdict.UNSOLVED)
"""How games end that the rules end."""
_REGULAR_ENDS = tuple(f'"verdict":"{verdict}"}}\n'.encode() for verdict in REGULAR)


@dataclass(frozen=True)
class PlayedGames:
    """The games of an entry that have records.

    Attributes:
        is_done: For each game of the run, 1 if it has a record, else 0.
        n_won: The number of won games.
    """

    is_done: bytearray
    n_won: int

    @property
    def n_games(self) -> int:
        """The number of games that have a record."""
        return sum(self.is_done)


class RunEntry:
    """An entry of a run.

    Attributes:
        folder: The run's folder.
        run_info: The description of the run.
        info: The description of the entry.
        name: Its name on the board.
        n_games: The number of games of each entry of the run.
        records_path: The path of the records; a finished run may have a compressed file instead, see `records.parts`.
        repeats_path: The path of the records of repeated games.
        durations_path: The path of the durations of games.
        fingerprints_path: The path of the fingerprints of the records, one per line, in the order of games.
        journals_path: The folder of the journals; it exists while the run is played.
    """

    def __init__(self, folder: Path, run_info: RunInfo, info: EntryInfo):
        """Create the entry; nothing is read."""
        self.folder, self.run_info, self.info = folder, run_info, info
        self.name, self.n_games = info.name, run_info.config.n_games
        self.records_path = folder / "records" / f"{info.slug}.jsonl"
        self.repeats_path = folder / "repeats" / f"{info.slug}.jsonl"
        self.durations_path = folder / "durations" / f"{info.slug}.csv"
        self.fingerprints_path = folder / "fingerprints" / f"{info.slug}.txt"
        self.journals_path = folder / JOURNALS / info.slug

    @property
    def numbers(self) -> range:
        """The numbers of the entry's games in this folder: all of the run, or those of a part."""
        return self.run_info.numbers(self.info)

    @property
    def is_compressed(self) -> bool:
        """Whether there is a compressed file of records."""
        return records.compressed_path(self.records_path).exists()

    def read(self) -> list[Record]:
        """Return the records sorted by game, one per game, without torn lines."""
        by_game: dict[int, Record] = {}
        for record in chain.from_iterable(self.record_blocks()):
            by_game.setdefault(record.game, record)
        return [records.plain(by_game[game]) for game in sorted(by_game)]

    def records(self, wanted: Container[int]) -> Iterator[Record]:
        """Yield the records of the wanted games, one per game, in the order of the file."""
        games_seen: set[int] = set()
        for line in chain.from_iterable(records.blocks(self.records_path, self.n_games)):
            game = records.game_of(line)
            if game in wanted and game not in games_seen:
                games_seen.add(game)
                yield self._decoded(line)

    def record_blocks(self) -> Iterator[Sequence[Record]]:
        """Yield lists of records in the order of the file, see `records.record_blocks`; a game may occur twice.

        Raises:
            UserError: A line is not a record of a game of the run.
        """
        for found in records.record_blocks(self.records_path, self.info.game.form, self.n_games):
            records.require_sound(found, self.n_games, self.records_path)
            yield found

    def irregular(self) -> list[Record]:
        """Return the records that are not won, wrong or unsolved, sorted by game; of several of a game, the first."""
        found: dict[int, Record] = {}
        for lines in records.blocks(self.records_path, self.n_games):
            if sum(map(b"".join(lines).count, _REGULAR_ENDS)) == len(lines):  # most blocks, in half the time
                continue
            for line in lines:
                if not line.endswith(_REGULAR_ENDS) and not records.is_torn(line):
                    record = self._decoded(line)
                    if record.verdict not in REGULAR:
                        found.setdefault(record.game, record)
        return [found[game] for game in sorted(found)]

    def repeats(self) -> dict[int, list[Record]]:
        """Return the records of repeated games by the number of the game, in ascending order."""
        repeats: dict[int, list[Record]] = {}
        max_lines = records.MAX_LINES_PER_GAME * self.n_games
        found = list(records.read_records(self.repeats_path, self.info.game.form, max_lines))
        records.require_sound(found, self.n_games, self.repeats_path)
        for record in sorted(found, key=lambda record: record.game):
            repeats.setdefault(record.game, []).append(record)
        return repeats

    def durations(self) -> Iterator[Duration]:
        """Yield the durations of games in the order in which they ended; a replayed game occurs twice."""
        return records.read_durations(self.durations_path, self.n_games)

    def cpu_times(self) -> "NDArray[np.float64]":
        """Return the CPU time of each game in seconds, float[n_games]; NaN if it is unknown."""
        return records.cpu_times(self.durations_path, self.n_games)

    def cpu_used_s(self) -> float:
        """Return the CPU time of all games and of process starts after failures, in seconds, as the limits count it.

        Wall time counts for games whose CPU time is unknown.
        """
        slowness = {name: worker.slowness for name, worker in self.run_info.workers.items()}
        return sum(duration.charged_s / slowness.get(duration.machine, 1.0) for duration in self.durations())

    def fingerprints(self) -> bytes:
        """Return the fingerprints of the records, one per line."""
        blocks = records.blocks(self.records_path, self.n_games)
        return b"".join(map(seal.fingerprints, blocks))

    def played(self) -> PlayedGames:
        """Return which games have records.

        Raises:
            UserError: A line is not a record, or its game does not belong to the run.
        """
        is_done, n_won = bytearray(self.n_games), 0
        for _, game, verdict in self._lines():
            n_won += not is_done[game] and verdict == Verdict.WON
            is_done[game] = 1
        return PlayedGames(is_done, n_won)

    def sort_records(self) -> None:
        """Sort the record file by game, keeping one record per game and dropping torn lines."""
        path = self.records_path
        if not path.exists():
            if not self.is_compressed:
                write_atomically(path, b"")
            return
        numbers = self.numbers
        starts, lengths = array("q", [-1]) * len(numbers), array("q", [0]) * len(numbers)
        end, before, is_sorted = 0, -1, True
        for line, game, _ in self._lines(torn=True):
            if game >= 0 and starts[game - numbers.start] < 0:
                starts[game - numbers.start], lengths[game - numbers.start] = end, len(line)
            is_sorted = is_sorted and game > before
            before, end = game, end + len(line)
        if not (is_sorted and end == path.stat().st_size):
            write_atomically(path, _in_game_order(path, starts, lengths))

    def sort_repeats(self) -> None:
        """Sort the records of repeated games by game, and drop torn lines."""
        text = b"".join(records.encode(record) for repeated in self.repeats().values() for record in repeated)
        if self.repeats_path.exists() and bounded.digest(bounded.SEALED, self.repeats_path) != sha256(text).hexdigest():
            write_atomically(self.repeats_path, text)

    def _lines(self, *, torn: bool = False) -> Iterator[tuple[bytes, int, Verdict | None]]:
        """Yield each line of the record file with its game and verdict; if `torn`, torn lines too, with game -1."""
        n_before, numbers = 0, self.numbers
        for lines in records.blocks(self.records_path, self.n_games):
            summaries = records.summarize_together(lines)
            if summaries and all(summary.game in numbers for summary in summaries):
                for line, summary in zip(lines, summaries, strict=True):
                    yield line, summary.game, summary.verdict
            else:
                yield from self._lines_singly(lines, n_before, torn=torn)
            n_before += len(lines)

    def _lines_singly(
        self, lines: list[bytes], n_before: int, *, torn: bool
    ) -> Iterator[tuple[bytes, int, Verdict | None]]:
        """Yield what `_lines` yields, for lines that follow `n_before` others."""
        for number, line in enumerate(lines, n_before + 1):
            try:
                summary = self._summary(line, f"line {number} of {self.records_path}")
            except UserError:
                if not records.is_torn(line):
                    raise
                if torn:
                    yield line, -1, None
                continue
            yield line, summary.game, summary.verdict

    def compress(self) -> None:
        """Compress a large record file and its durations, and remove its fingerprints, which follow from the records.

        The seal of the run does not change.
        """
        records.compress(self.records_path)
        if self.is_compressed:
            records.compress(self.durations_path, min_bytes=0)
            self.fingerprints_path.unlink(missing_ok=True)

    def journal_path(self, serial: int) -> Path:
        """Return the path of the journal of the chunk with this serial number."""
        return self.journals_path / f"{serial}"

    def journal_files(self) -> list[Path]:
        """Return the paths of all journals."""
        return sorted(self.journals_path.iterdir()) if self.journals_path.is_dir() else []

    def begin_journal(self, serial: int, numbers: Iterable[int]) -> None:
        """Write a journal that says that these games may have begun, for workers without a journal on this disk."""
        path = self.journal_path(serial)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(b"%d\n" % number for number in numbers))

    def remove_journal(self, serial: int) -> None:
        """Remove the journal of a chunk, once its records have been written."""
        self.journal_path(serial).unlink(missing_ok=True)

    def read_journals(self) -> tuple[list[int], list[tuple[Summary, bytes]]]:
        """Return the numbers of the games that began, and the records in the journals with their summaries.

        Torn lines are ignored.

        Raises:
            UserError: A game does not belong to the run.
        """
        begun: list[int] = []
        played: list[tuple[Summary, bytes]] = []
        for path in self.journal_files():
            data = bounded.read(bounded.JOURNAL, path)
            for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
                if line.startswith(b"{") and not records.is_torn(line):
                    played.append((self._summary(line, f"{path}"), line))
                elif line.strip().isdigit():
                    begun.append(self._checked(int(line[: records.MAX_DIGITS]), f"{path}"))
        return begun, played

    def _summary(self, line: bytes, where: str) -> Summary:
        """Return the summary of a record.

        Raises:
            UserError: The line is not a record, or its game does not belong to the run.
        """
        try:
            summary = records.summarize(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UserError(f"{where} is not a record: {error}") from None
        self._checked(summary.game, where)
        return summary

    def _decoded(self, line: bytes) -> Record:
        try:
            record = records.decode(line, self.info.game.form)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UserError(f"a line of {self.records_path} is not a record: {error}") from None
        records.require_sound([record], self.n_games, self.records_path)
        return record

    def _checked(self, game: int, where: str) -> int:
        if game not in self.numbers:
            raise UserError(
                f"{where} is of game {game}; the run has games {self.numbers.start} to {self.numbers.stop - 1}."
            )
        return game


def _in_game_order(path: Path, starts: Sequence[int], lengths: Sequence[int]) -> Iterator[bytes]:
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start, length in zip(starts, lengths, strict=True):
            if start >= 0:
                yield data[start : start + length]


class Journal:
    """The journal of one chunk of games."""

    def __init__(self, path: Path, first: int):
        """Create the journal, and write that game `first` has begun."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        append(self._file, b"%d\n" % first)

    def add(self, record: bytes, following: int | None) -> None:
        """Write the record of a game that has ended and, if there is a following game, that it has begun."""
        append(self._file, record if following is None else b"%b%d\n" % (record, following))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class RecordWriter:
    """Appends records and durations to an entry's files."""

    def __init__(self, entry: RunEntry):
        """Open the files.

        Raises:
            UserError: The run has finished.
        """
        if entry.is_compressed:
            raise UserError(f"{entry.folder} has finished: its records are compressed, and no game can be added.")
        self._records, self._durations = Appender(entry.records_path), Appender(entry.durations_path)
        self._synced = time.monotonic()

    def add(self, lines: Sequence[bytes], times: Iterable[Duration] | bytes = ()) -> None:
        """Append the lines of records and the durations of their games; they are synced to disk every SYNC_S seconds.

        Durations are written first. If the process is killed before it writes the records, the games are replayed and
        their time counts twice, but no time is lost.
        """
        encoded = times if isinstance(times, bytes) else b"".join(map(records.encode_duration, times))
        self._durations.add(encoded, sync=False)
        self._records.add(b"".join(lines), sync=False)
        if time.monotonic() > self._synced + SYNC_S:
            self.sync()

    def sync(self) -> None:
        """Wait until everything is on disk."""
        self._durations.sync()
        self._records.sync()
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync the files to disk and close them."""
        with self._records, self._durations:
            self.sync()
