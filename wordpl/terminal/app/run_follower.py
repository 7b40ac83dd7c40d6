"""Reads the record files of a run: follows them as they grow, and finds games in them.

Files are read line by line, and games are counted instead of kept, so that memory use does not grow with the run.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import inf, isfinite
from pathlib import Path

import msgspec

from wordpl.core import bounded
from wordpl.core.errors import UserError
from wordpl.core.moves import Verdict
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import MAX_RECORDS, Record, blocks, cost, decode

CHUNK_BYTES = 1 << 20
MAX_POINTS = 64
"""The maximum number of points of a running share; when there are more, every other point is dropped."""
MAX_FAULTS = 200
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)
COST_STEP = 0.01
MAX_GAMES = 500


@dataclass(frozen=True)
class FaultyGame:
    """A game that ended by a fault of the player."""

    entry: str
    game: int
    verdict: Verdict
    message: str


class GrowingFile:
    """Reads the complete lines of a growing file, each line once.

    A file that was replaced or truncated is read from its start again. If the file was compressed at the end of the
    run, its .gz is read instead.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._compressed = path, path.with_name(f"{path.name}.gz")
        self._offset, self._identity = 0, (0, 0)

    def lines(self) -> Iterator[bytes]:
        """Yield the complete lines that were added since the last call."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            yield from self._compressed_lines()
            return
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity or status.st_size < self._offset:
            self._identity, self._offset = identity, 0
        with bounded.open_file(bounded.RECORDS, self._path) as file:
            file.seek(self._offset)
            while data := file.read(CHUNK_BYTES):
                whole_lines = data[: data.rfind(b"\n") + 1]
                if not whole_lines:
                    return  # an incomplete line, or one that is longer than any record
                self._offset += len(whole_lines)
                file.seek(self._offset)
                yield from whole_lines.splitlines()

    def _compressed_lines(self) -> Iterator[bytes]:
        try:
            status = self._compressed.stat()
        except FileNotFoundError:
            return
        identity = (status.st_dev, status.st_ino)
        if identity == self._identity:
            return
        self._identity = identity
        lines = chain.from_iterable(blocks(self._path, MAX_RECORDS))
        yield from (line for line in lines if line.endswith(b"\n"))


@dataclass
class FollowedEntry:
    """The results of an entry so far.

    Attributes:
        verdicts: The number of games with each verdict.
        costs: The number of games won at each cost, in units of COST_STEP.
        shares: The share of games won after increasing, equally spaced numbers of games.
    """

    entry: EntryInfo
    n_games: int
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    costs: Counter[int] = field(default_factory=Counter)
    shares: list[float] = field(default_factory=list)
    _stride: int = 1
    _seen: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self._seen = bytearray((self.n_games + 7) // 8)

    @property
    def n_played(self) -> int:
        """The number of games that have ended."""
        return self.verdicts.total()

    @property
    def n_won(self) -> int:
        """The number of games won."""
        return self.verdicts[Verdict.WON]

    def add(self, record: Record) -> bool:
        """Count a game; return whether it is new."""
        byte, bit = record.game >> 3, 1 << (record.game & 7)
        if byte >= len(self._seen) or self._seen[byte] & bit:
            return False
        self._seen[byte] |= bit
        self.verdicts[record.verdict] += 1
        spent = cost(record, self.entry.game)
        if isfinite(spent):
            self.costs[round(spent / COST_STEP)] += 1
        if self.n_played % self._stride == 0:
            self._sample()
        return True

    def _sample(self) -> None:
        self.shares.append(self.n_won / self.n_played)
        if len(self.shares) > MAX_POINTS:
            self.shares, self._stride = self.shares[1::2], 2 * self._stride

    def percentiles(self, shares: tuple[float, ...]) -> list[float]:
        """Return the costs within which these shares of all games were won; infinite if fewer were won.

        Args:
            shares: The shares, in ascending order.
        """
        ranks = [max(1, -int(-share * self.n_played // 1)) for share in shares]
        percentile_costs, n_within, next_ranks = [], 0, iter(ranks)
        rank = next(next_ranks, None)
        for value in sorted(self.costs):
            n_within += self.costs[value]
            while rank is not None and n_within >= rank:
                percentile_costs.append(value * COST_STEP)
                rank = next(next_ranks, None)
        return percentile_costs + [inf] * (len(shares) - len(percentile_costs))


class RunFollower:
    """Follows a run while it is played.

    Attributes:
        run: The run; its description is reloaded when its file changes.
        entries: The progress of each entry, in the order of the run.
        faults: The newest games that ended by a fault of the player.
    """

    def __init__(self, folder: Path) -> None:
        self.run = Run(folder)
        self.entries = [FollowedEntry(entry, self.run.info.config.n_games) for entry in self.run.info.entries]
        self.faults: deque[FaultyGame] = deque(maxlen=MAX_FAULTS)
        self._files = [GrowingFile(self.run.entry(entry).records_path) for entry in self.run.info.entries]
        self._last_modified_ns = self._modified_ns()

    def read(self) -> int:
        """Read new games, and return their number."""
        stamp = self._modified_ns()
        if stamp != self._last_modified_ns:
            self._last_modified_ns = stamp
            self.run = Run(self.run.folder)
        return sum(self._read(file, progress) for file, progress in zip(self._files, self.entries, strict=True))

    def _modified_ns(self) -> int:
        try:
            return (self.run.folder / "run.json").stat().st_mtime_ns
        except OSError:
            raise UserError(f"the run {self.run.folder} does not exist any more.") from None

    def _read(self, file: GrowingFile, progress: FollowedEntry) -> int:
        n_new = 0
        for record in _decoded(file.lines(), progress.entry):
            if progress.add(record):
                n_new += 1
                if record.verdict in FAULTS:
                    self.faults.append(FaultyGame(progress.entry.name, record.game, record.verdict, record.message))
        return n_new


def find_games(
    run: Run, entry: str = "", verdict: str = "", secret: str = ""
) -> tuple[list[tuple[EntryInfo, Record]], int]:
    """Return the first matching games, entry by entry and at most MAX_GAMES, and the number of all matching ones.

    Args:
        run: The run.
        entry: The name of an entry; "" for all.
        verdict: A verdict; "" for all.
        secret: The secret or its first letters; "" for all.
    """
    games: list[tuple[EntryInfo, Record]] = []
    n_found = 0
    entries = [info for info in run.info.entries if entry in ("", info.name)]
    share = max(1, MAX_GAMES // max(1, len(entries)))
    for info in entries:
        n_kept = 0
        for record in _decoded(GrowingFile(run.entry(info).records_path).lines(), info):
            if verdict in ("", record.verdict) and record.secret.startswith(secret):
                n_found += 1
                if n_kept < share:
                    n_kept += 1
                    games.append((info, record))
    return games, n_found


def read_game(run: Run, entry: EntryInfo, number: int) -> Record:
    """Return one game of an entry. Raises UserError if it has not been played."""
    start = b'{"game":%d,' % number
    lines = (line for line in GrowingFile(run.entry(entry).records_path).lines() if line.startswith(start))
    for record in _decoded(lines, entry):
        return record
    raise UserError(f"{entry.name} has no game {number} in this run.")


def _decoded(lines: Iterable[bytes], entry: EntryInfo) -> Iterator[Record]:
    for line in lines:
        try:
            yield decode(line, entry.game.form)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # an incomplete line of a killed process
