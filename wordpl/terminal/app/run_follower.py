"""A run's record files read as they grow: what has been read is counted and forgotten, so that memory stays small."""

import gzip
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path

import msgspec

from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Record, Run, Verdict, cost, decode

CHUNK_BYTES = 1 << 20
MAX_POINTS = 64
"""Points of a running percentile that are kept; when there are more, every other one is dropped."""
MAX_FAULTS = 200
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)
COST_STEP = 0.01


@dataclass(frozen=True)
class Fault:
    """A game that ended by the player's fault."""

    entry: str
    game: int
    verdict: Verdict
    message: str


class GrowingFile:
    """Whole lines of a file, each read once, from where the last reading ended.

    A file that was replaced, or has become shorter, is read from its beginning again; one that was compressed when the
    run ended is read from its .gz.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._compressed = path, path.with_name(f"{path.name}.gz")
        self._offset, self._identity = 0, (0, 0)

    def lines(self) -> Iterator[bytes]:
        """Yield the whole lines that have been added."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            yield from self._compressed_lines()
            return
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity or status.st_size < self._offset:
            self._identity, self._offset = identity, 0
        with self._path.open("rb") as file:
            file.seek(self._offset)
            while data := file.read(CHUNK_BYTES):
                whole = data[: data.rfind(b"\n") + 1]
                if not whole:
                    return  # a line that is being written, or one longer than any record
                self._offset += len(whole)
                file.seek(self._offset)
                yield from whole.splitlines()

    def _compressed_lines(self) -> Iterator[bytes]:
        try:
            status = self._compressed.stat()
        except FileNotFoundError:
            return
        identity = (status.st_dev, status.st_ino)
        if identity == self._identity:
            return
        self._identity = identity
        with gzip.open(self._compressed, "rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))


@dataclass
class EntryProgress:
    """What has happened to an entry so far, in numbers.

    Attributes:
        verdicts: how many games ended each way.
        costs: how many games were won at each cost, in units of COST_STEP.
        medians: the running median after some numbers of games, infinite where most were lost.
    """

    entry: EntryInfo
    n_games: int
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    costs: Counter[int] = field(default_factory=Counter)
    medians: list[float] = field(default_factory=list)
    _stride: int = 1
    _seen: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self._seen = bytearray((self.n_games + 7) // 8)

    @property
    def n_played(self) -> int:
        """How many games have ended."""
        return self.verdicts.total()

    @property
    def n_won(self) -> int:
        """How many games were won."""
        return self.verdicts[Verdict.WON]

    def add(self, record: Record) -> bool:
        """Count a game; return whether it is new."""
        byte, bit = record.game >> 3, 1 << (record.game & 7)
        if byte >= len(self._seen) or self._seen[byte] & bit:
            return False
        self._seen[byte] |= bit
        self.verdicts[record.verdict] += 1
        spent = cost(record, self.entry.measure)
        if isfinite(spent):
            self.costs[round(spent / COST_STEP)] += 1
        if self.n_played % self._stride == 0:
            self._sample()
        return True

    def _sample(self) -> None:
        self.medians.append(self.percentiles((0.5,))[0])
        if len(self.medians) > MAX_POINTS:
            self.medians, self._stride = self.medians[1::2], 2 * self._stride

    def percentiles(self, shares: tuple[float, ...]) -> list[float]:
        """Return the costs within which these shares of all games were won, ascending; infinite for lost games."""
        ranks = [max(1, -int(-share * self.n_played // 1)) for share in shares]
        found, n_within, wanted = [], 0, iter(ranks)
        rank = next(wanted, None)
        for value in sorted(self.costs):
            n_within += self.costs[value]
            while rank is not None and n_within >= rank:
                found.append(value * COST_STEP)
                rank = next(wanted, None)
        return found + [inf] * (len(shares) - len(found))


class RunFollower:
    """Reads what is new in a run's folder, again and again.

    Attributes:
        run: the run, its description read anew when its file changes.
        entries: the progress of each entry, in the order of the run.
        faults: the newest games that ended by a player's fault.
    """

    def __init__(self, folder: Path) -> None:
        self.run = Run(folder)
        self.entries = [EntryProgress(entry, self.run.info.n_games) for entry in self.run.info.entries]
        self.faults: deque[Fault] = deque(maxlen=MAX_FAULTS)
        self._files = [GrowingFile(self.run.path(entry)) for entry in self.run.info.entries]
        self._changed_ns = self._stamp()

    def read(self) -> int:
        """Take in what is new, and return the number of games that were."""
        stamp = self._stamp()
        if stamp != self._changed_ns:
            self._changed_ns = stamp
            self.run = Run(self.run.folder)
        return sum(self._read(file, progress) for file, progress in zip(self._files, self.entries, strict=True))

    def _stamp(self) -> int:
        try:
            return (self.run.folder / "run.json").stat().st_mtime_ns
        except OSError:
            raise UserError(f"the run {self.run.folder} is gone.") from None

    def _read(self, file: GrowingFile, progress: EntryProgress) -> int:
        n_new = 0
        for line in file.lines():
            try:
                record = decode(line, progress.entry.measure.kind)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # torn by a process that was killed
            if progress.add(record):
                n_new += 1
                if record.verdict in FAULTS:
                    self.faults.append(Fault(progress.entry.name, record.game, record.verdict, record.message))
        return n_new
