"""Facts on disk: what happened in each game of a run.

A run is a folder: run.json says what was played, records/ENTRY.jsonl holds a line for each game, durations/ENTRY.csv
how long each took. Lines are only ever appended, one write each, by any number of workers in any order; when an entry
has played all its games its lines are put in order once, so that the same seed gives the same bytes.
"""

import os
import time
from collections.abc import Iterable
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wordpl.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
SYNC_S = 1.0


class Verdict(StrEnum):
    """How a game ended."""

    WON = "won"
    WRONG = "wrong"  # answered with another word than the secret
    UNSOLVED = "unsolved"  # ran out of guesses
    ILLEGAL = "illegal"  # a move the rules don't allow
    CRASHED = "crashed"  # raised, or its process ended
    LATE = "late"  # over the time for one game
    MEMORY = "out of memory"


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened in one game.

    moves: noisy games (guess, epsilon, clues), the answer last as (answer, 0, ""); classic games (guess, clues).
    message: what was wrong, for a game that ended by a fault.
    """

    game: int
    secret: str
    moves: list[Any]
    verdict: Verdict
    message: str = ""


class Duration(msgspec.Struct, frozen=True):
    """How long an entry took over one game; cpu_s is None where the system does not tell."""

    game: int
    cpu_s: float | None
    wall_s: float


class EntryInfo(msgspec.Struct, frozen=True):
    """One entry of a run: its name on the board, and where its code stands.

    slug: the name of its record files. file: relative to the project's folder where it lies inside. make: the
    expression that makes the strategy in that file.
    """

    name: str
    slug: str
    rules: str
    measure: str
    file: str
    make: str
    sha256: str


class RunInfo(msgspec.Struct, kw_only=True):
    """What was played, as run.json holds it."""

    format: int = FORMAT
    seed: str
    n_games: int
    timeout_s: float
    warmup_s: float
    memory_mb: int
    player: str
    lists: dict[str, dict[str, str | int]]
    entries: list[EntryInfo]
    versions: dict[str, str]
    machine: dict[str, str | int]
    started: str
    finished: str | None = None


class Run:
    """A run's folder."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        self.info = self._read_info()

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> "Run":
        """Return a new run in `folder`, which must not exist."""
        try:
            for part in ("records", "durations"):
                (folder / part).mkdir(parents=True)
        except OSError as error:
            raise UserError(f"cannot make the results folder {folder}: {error.strerror}.") from None
        write_safely(folder / "run.json", _pretty(info))
        for entry in info.entries:
            (folder / "durations" / f"{entry.slug}.csv").write_text("game;cpu_s;wall_s\n")
        return cls(folder)

    def _read_info(self) -> RunInfo:
        path = self.folder / "run.json"
        try:
            info = msgspec.json.decode(path.read_bytes())
            if info["format"] != FORMAT:
                raise UserError(f"{path} has format {info['format']}; this version of wordpl reads format {FORMAT}.")
            return msgspec.convert(info, RunInfo)
        except OSError:
            raise UserError(f"{self.folder} is no run: it has no run.json that can be read.") from None
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise UserError(f"{path} is not the description of a run: {error}") from None

    def finish(self, time: str) -> None:
        """Note that all games have been played."""
        self.info.finished = time
        write_safely(self.folder / "run.json", _pretty(self.info))

    def path(self, entry: EntryInfo) -> Path:
        """Return the entry's file of records."""
        return self.folder / "records" / f"{entry.slug}.jsonl"

    def read(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records in the order of their games, a torn last line left out."""
        return sorted(self._lines(self.path(entry)), key=lambda record: record.game)

    def _lines(self, path: Path) -> Iterable[Record]:
        seen: set[int] = set()
        for number, line in enumerate(_whole_lines(path), 1):
            try:
                record = _decoder.decode(line)
            except msgspec.DecodeError as error:
                raise UserError(f"line {number} of {path} is not a record: {error}") from None
            if record.game not in seen:
                seen.add(record.game)
                yield record

    def settle(self, entry: EntryInfo) -> None:
        """Put the entry's records in the order of their games, each once, whole lines only."""
        path = self.path(entry)
        text = b"".join(encode(record) for record in self.read(entry))
        if not path.exists() or path.read_bytes() != text:
            write_safely(path, text)


class RecordWriter:
    """Appends games to an entry's files."""

    def __init__(self, run: Run, entry: EntryInfo):
        paths = run.path(entry), run.folder / "durations" / f"{entry.slug}.csv"
        self._records, self._durations = (
            os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) for path in paths
        )
        self._synced = time.monotonic()
        self._new_records: list[bytes] = []
        self._new_durations: list[bytes] = []

    def add(self, record: Record, duration: Duration) -> None:
        """Note a game, to be written with the next flush."""
        cpu = "" if duration.cpu_s is None else f"{duration.cpu_s:.6f}"
        self._new_records.append(encode(record))
        self._new_durations.append(f"{duration.game};{cpu};{duration.wall_s:.6f}\n".encode())

    def flush_records(self) -> None:
        """Append the records that wait: in one write, so that workers that share the file never mix their lines."""
        os.write(self._records, b"".join(self._new_records))
        self._new_records.clear()

    def flush(self) -> None:
        """Append all that waits, how long games took included; what is older than SYNC_S then outlives a power cut."""
        self.flush_records()
        os.write(self._durations, b"".join(self._new_durations))
        self._new_durations.clear()
        if time.monotonic() > self._synced + SYNC_S:
            os.fsync(self._records)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Flush, force what was written to the disk, and let go of the files."""
        self.flush()
        for file in (self._records, self._durations):
            os.fsync(file)
            os.close(file)


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Record)


def encode(record: Record) -> bytes:
    """Return the record as its line in the file."""
    return _encoder.encode(record) + b"\n"


def cost(record: Record, measure: str) -> float:
    """Return what a won game cost, the sum of its epsilons or its number of guesses; infinity for any other."""
    if record.verdict != Verdict.WON:
        return inf
    return sum(move[1] for move in record.moves) if measure == "budget" else len(record.moves)


def load_run(folder: str | Path) -> "pd.DataFrame":
    """Return a run as a table, one row a game.

    Columns: entry, rules, measure, game, secret, verdict, cost (the budget or the number of guesses, infinite unless
    won), n_moves, message, moves.
    """
    import pandas as pd  # slow to import, and playing does not need it

    run = Run(Path(folder))
    rows = [
        (entry.name, entry.rules, entry.measure, r.game, r.secret, str(r.verdict), float(cost(r, entry.measure)),
         len(r.moves), r.message, r.moves)
        for entry in run.info.entries
        for r in run.read(entry)
    ]  # fmt: skip
    names = ["entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "message", "moves"]
    return pd.DataFrame(rows, columns=names)


def _whole_lines(path: Path) -> list[bytes]:
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1].splitlines()


def mend(run: Run) -> None:
    """Cut off a line that a crash tore, so that the next game starts on a line of its own."""
    for path in [*run.folder.glob("records/*.jsonl"), *run.folder.glob("durations/*.csv")]:
        data = path.read_bytes()
        if not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)


def _pretty(info: RunInfo) -> bytes:
    return msgspec.json.format(_encoder.encode(info), indent=2) + b"\n"


def write_safely(path: Path, data: bytes) -> None:
    """Write the file so that a crash leaves the old one or the new one, never half of it."""
    draft = path.with_name(f".{path.name}.new")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
