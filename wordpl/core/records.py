"""Facts on disk: what happened in each game of a run.

A run is a folder: run.json says what was played, records/ENTRY.jsonl holds a line for each game, durations/ENTRY.csv
how long each took. Lines are only ever appended, one write each, by any number of workers in any order; when an entry
has played all its games its lines are put in order once, so that the same seed gives the same bytes.
"""

import os
from collections.abc import Iterator, Sequence
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core import record_files
from wordpl.core.errors import UserError
from wordpl.core.files import write_safely
from wordpl.core.game_kinds import GameKind, Measure, PlayerKind
from wordpl.core.moves import ClassicMove, Move, NoisyMove, total_epsilon
from wordpl.core.run_config import Limits, RunConfig
from wordpl.core.words import HOME

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
MAX_RECORDS = 10_000_000
"""The most records that are read from a compressed file of which no run.json says how many it can have."""
WITHHELD = ".seeds"
"""The folder beside the runs that holds the seeds of those going on, so that publishing a run's folder shows none."""


class Verdict(StrEnum):
    """How a game ended."""

    WON = "won"
    WRONG = "wrong"  # answered with another word than the secret
    UNSOLVED = "unsolved"  # ran out of guesses
    ILLEGAL = "illegal"  # a move the rules don't allow
    CRASHED = "crashed"  # raised, or its process ended
    LATE = "late"  # over the time for one game
    MEMORY = "out of memory"


class FirstTry(msgspec.Struct, frozen=True):
    """A game that ended just after its time, before it was played once more. Only older runs have it."""

    moves: Sequence[Move]
    cpu_s: float
    wall_s: float


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened in one game.

    Attributes:
        secret: empty where the rules draw none
        moves: each with the clues it got, see `wordpl.core.moves`; in a noisy game the answer is the last one
        message: what was wrong, for a game that ended by a fault
        first_try: of a game of an older run that was played twice; the rest is then what happened the second time
    """

    game: int
    secret: str
    moves: Sequence[Move]
    verdict: Verdict
    message: str = ""
    first_try: FirstTry | None = None


class UncheckedRecord(Record, frozen=True, omit_defaults=True):
    """A line of a record file as anybody may have written it: the moves are what JSON gives."""

    moves: list[Any]
    first_try: "_UncheckedFirstTry | None" = None


class _UncheckedFirstTry(FirstTry, frozen=True):
    moves: list[Any]


class _NoisyFirstTry(FirstTry, frozen=True):
    moves: list[NoisyMove]


class _NoisyLine(Record, frozen=True, omit_defaults=True):
    moves: list[NoisyMove]
    first_try: _NoisyFirstTry | None = None


class _ClassicFirstTry(FirstTry, frozen=True):
    moves: list[ClassicMove]


class _ClassicLine(Record, frozen=True, omit_defaults=True):
    moves: list[ClassicMove]
    first_try: _ClassicFirstTry | None = None


class Duration(msgspec.Struct, frozen=True):
    """How long an entry took over one game; cpu_s is None where the system does not tell."""

    game: int
    cpu_s: float | None
    wall_s: float


class EntryInfo(msgspec.Struct, frozen=True):
    """One entry of a run: its name on the board, and where its code stands.

    Attributes:
        slug: the name of its record files
        game_id: the name of the game with its version
        file: relative to the project's folder where it lies inside
        make: the expression that makes the strategy in that file
    """

    name: str
    slug: str
    game_id: str = msgspec.field(name="rules")
    measure: Measure
    file: str
    make: str
    sha256: str


class RunInfo(msgspec.Struct, kw_only=True):
    """What was played, as run.json holds it.

    Of official runs alone, see docs/fairness.md:

    Attributes:
        seed: decides all secrets and noise; None while an official run goes on
        timeout_s: the CPU time for a game that entries are told
        enforced_s: that at which a game is ended, see `wordpl.players.clock`; old runs have none, and end a game at
            timeout_s
        level: the isolation of players, see `wordpl.players.sandbox.levels`; "" where they were trusted
        repeats: how many games of each entry are played again, see `wordpl.contest.determinism`
        seal: of a finished run, see `wordpl.core.commitments`; old runs have none
        commitment: what was published before the first game
        beacon_from: where a text will come from that nobody knows yet
        beacon: that text
        drawn_seed: what the commitment fixes, shown when the run has ended
    """

    format: int = FORMAT
    seed: str | None
    commitment: str | UnsetType = UNSET
    beacon_from: str | UnsetType = UNSET
    beacon: str | UnsetType = UNSET
    drawn_seed: str | UnsetType = UNSET
    n_games: int
    timeout_s: float
    enforced_s: float | UnsetType = UNSET
    warmup_s: float
    memory_mb: int
    limits: Limits = Limits()
    repeats: int = 0
    player: PlayerKind
    level: str = ""
    lists: dict[str, dict[str, str | int]]
    entries: list[EntryInfo]
    versions: dict[str, str]
    machine: dict[str, str | int]
    started: str
    finished: str | None = None
    seal: str | UnsetType = UNSET

    @property
    def config(self) -> RunConfig:
        """What the host chose for the run. Its seed is the one that the games are played with, if that is known yet."""
        return RunConfig(
            n_games=self.n_games,
            repeats=self.repeats,
            seed=self.seed,
            answers=self._list_file("answers", "answers.txt"),
            guesses=self._list_file("guesses", "valid.txt"),
            timeout_s=self.timeout_s,
            # A run from before there was a grace goes on without one, as its commitment does not cover the field.
            enforced_s=self.timeout_s if self.enforced_s is UNSET else self.enforced_s,
            warmup_s=self.warmup_s,
            memory_mb=self.memory_mb,
            limits=self.limits,
            player=self.player,
            level=self.level,
        )

    def _list_file(self, name: str, usual: str) -> Path | None:
        """Return the file of the words; None where it is the contest's own."""
        file = str(self.lists[name]["file"])
        return None if file == usual else HOME / file


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
            for entry in info.entries:
                (folder / "durations" / f"{entry.slug}.csv").write_text("game;cpu_s;wall_s\n")
            write_safely(folder / "run.json", _pretty(info))  # last: a folder that has it is whole
        except OSError as error:
            raise UserError(
                f"cannot make the results folder {folder}: {error.strerror}. Make room, or choose one with --results."
            ) from None
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

    def write_info(self) -> None:
        """Write run.json anew."""
        write_safely(self.folder / "run.json", _pretty(self.info))

    def finish(self, time: str) -> None:
        """Note that all games have been played."""
        self.info.finished = time
        self.write_info()

    def path(self, entry: EntryInfo) -> Path:
        """Return the entry's file of records."""
        return self.folder / "records" / f"{entry.slug}.jsonl"

    def repeats_path(self, entry: EntryInfo) -> Path:
        """Return the entry's file of games that were played again."""
        return self.folder / "repeats" / f"{entry.slug}.jsonl"

    def durations_path(self, entry: EntryInfo) -> Path:
        """Return the entry's file of the time that each game took."""
        return self.folder / "durations" / f"{entry.slug}.csv"

    @property
    def entries(self) -> list[EntryInfo]:
        """The entries that play."""
        return self.info.entries

    def to_frame(self) -> "pd.DataFrame":
        """Return the games as a table, see `wordpl.core.run_records.RunRecords.to_frame`."""
        from wordpl.core.run_records import RunRecords  # brings pandas when the table is made

        return RunRecords(self).to_frame()

    def read(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records in the order of their games, torn lines left out."""
        once: dict[int, Record] = {}
        for record in read_records(self.path(entry), entry.measure.kind, self.info.n_games):
            once.setdefault(record.game, record)
        return [once[game] for game in sorted(once)]

    def duration_lines(self, entry: EntryInfo) -> list[str]:
        """Return the lines of the entry's file of durations, its head first; a game that was replayed has several."""
        return record_files.content(self.durations_path(entry), 1 + 4 * self.info.n_games).decode().splitlines()

    def settle(self, entry: EntryInfo) -> None:
        """Put the entry's records in the order of their games, each once, whole lines only."""
        path = self.path(entry)
        text = b"".join(encode(record) for record in self.read(entry))
        if not record_files.exists(path) or record_files.content(path, self.info.n_games) != text:
            write_safely(path, text)


_encoder = msgspec.json.Encoder()
_decode_line = {
    GameKind.NOISY: msgspec.json.Decoder(_NoisyLine).decode,
    GameKind.CLASSIC: msgspec.json.Decoder(_ClassicLine).decode,
}


def encode(record: Record) -> bytes:
    """Return the record as its line in the file."""
    return _encoder.encode(record) + b"\n"


def decode(line: bytes, kind: GameKind) -> Record:
    """Return the record of a line. Raises msgspec.DecodeError or UnicodeDecodeError for a line that is none.

    kind: of the game that it is a record of
    """
    found = _decode_line[kind](line)
    return Record(found.game, found.secret, found.moves, found.verdict, found.message, found.first_try)


def cost(record: Record, measure: Measure) -> float:
    """Return what a won game cost, the sum of its epsilons or its number of guesses; infinity for any other."""
    if record.verdict != Verdict.WON:
        return inf
    return total_epsilon(record.moves) if measure == Measure.BUDGET else len(record.moves)


def read_records(path: Path, kind: GameKind, max_lines: int = MAX_RECORDS) -> Iterator[Record]:
    """Yield the records of a file in the order of its lines, torn lines left out; none where there is no file.

    Args:
        path: the file; its compressed form is read where there is no plain one.
        kind: of the game that they are records of.
        max_lines: how many records a compressed file can hold, see `record_files.content`.
    """
    data = record_files.content(path, max_lines)
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        try:
            yield decode(line, kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not _is_torn(line):
                raise UserError(f"line {number} of {path} is not a record: {error}") from None


def _is_torn(line: bytes) -> bool:
    """Return whether the line is no JSON: begun by a process that was killed, and perhaps gone on with by another."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return False


def mend(run: Run) -> None:
    """Cut off a line that a crash tore, so that the next game starts on a line of its own."""
    for path in [*run.folder.glob("re*/*.jsonl"), *run.folder.glob("durations/*.csv")]:
        data = path.read_bytes()
        if not data.endswith(b"\n"):
            os.truncate(path, data.rfind(b"\n") + 1)


def _pretty(info: RunInfo) -> bytes:
    return msgspec.json.format(_encoder.encode(info), indent=2) + b"\n"
