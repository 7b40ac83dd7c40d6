"""Facts on disk: what happened in each game of a run.

A run is a folder: run.json says what was played, records/ENTRY.jsonl holds a line for each game, durations/ENTRY.csv
how long each took. Lines are only ever appended, by the host alone, in the order in which games end; when an entry has
played all its games its lines are put in order once, so that the same seed gives the same bytes.
"""

from collections.abc import Container, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core import durations, paths, record_files, words
from wordpl.core.errors import UserError
from wordpl.core.files import read_plain, write_safely
from wordpl.core.game_kinds import GameKind, Measure, PlayerKind
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
from wordpl.core.run_config import Limits, RunConfig
from wordpl.core.worker_info import WorkerInfo

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = [
    "FORMAT",
    "WITHHELD",
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

FORMAT = 1
MAX_RECORDS = 10_000_000
"""The most records that are read from a compressed file of which no run.json says how many it can have."""
WITHHELD = ".seeds"
"""The folder beside the runs that holds the seeds of those going on, so that publishing a run's folder shows none."""


class EntryInfo(msgspec.Struct, frozen=True):
    """One entry of a run: its name on the board, and where its code stands.

    Attributes:
        slug: the name of its record files
        game_id: the name of the game with its version
        file: relative to the project's folder where it lies inside
        make: the expression that makes the strategy in that file
        cache: the digest of what it kept before the first game, see `wordpl.core.entry_caches`; most keep nothing
        companions: the SHA-256 of what belongs to it beside its file, see `wordpl.core.companions`; old runs have none
    """

    name: str
    slug: str
    game_id: str = msgspec.field(name="rules")
    measure: Measure
    file: str
    make: str
    sha256: str
    cache: str | UnsetType = UNSET
    companions: dict[str, str] | UnsetType = UNSET


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
        every_answer: each answer was played once, see `RunConfig`
        loss_cost: what a lost game counts as in the mean cost; old runs have none, and take the one of today
        total_s: the CPU time of an entry for all games, after which the rest are `unplayed`; old runs have none
        played_again: by the slug of an entry, games that began once more because the referee had ended before
        workers: by name, the processes of a cluster that played games; runs without a cluster have none
        calibration_s: the CPU time of the fixed kernel that stands for the limits as given; runs without a cluster have
            none
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
    every_answer: bool | UnsetType = UNSET
    timeout_s: float
    enforced_s: float | UnsetType = UNSET
    warmup_s: float
    memory_mb: int
    limits: Limits = Limits()
    total_s: float | UnsetType = UNSET
    repeats: int = 0
    loss_cost: float | UnsetType = UNSET
    player: PlayerKind
    level: str = ""
    lists: dict[str, dict[str, str | int]]
    entries: list[EntryInfo]
    versions: dict[str, str]
    machine: dict[str, str | int]
    started: str
    finished: str | None = None
    played_again: dict[str, list[int]] | UnsetType = UNSET
    workers: dict[str, WorkerInfo] | UnsetType = UNSET
    calibration_s: float | UnsetType = UNSET
    seal: str | UnsetType = UNSET

    @property
    def config(self) -> RunConfig:
        """What the host chose for the run. Its seed is the one that the games are played with, if that is known yet."""
        return RunConfig(
            n_games=self.n_games,
            every_answer=bool(self.every_answer),
            repeats=self.repeats,
            seed=self.seed,
            answers=self.list_file("answers"),
            guesses=self.list_file("guesses"),
            timeout_s=self.timeout_s,
            # A run from before there was a grace goes on without one, as its commitment does not cover the field.
            enforced_s=self.timeout_s if self.enforced_s is UNSET else self.enforced_s,
            warmup_s=self.warmup_s,
            memory_mb=self.memory_mb,
            limits=self.limits,
            total_s=None if self.total_s is UNSET else self.total_s,
            player=self.player,
            level=self.level,
            loss_cost=RunConfig().loss_cost if self.loss_cost is UNSET else self.loss_cost,
        )

    def list_file(self, name: str) -> Path | None:
        """Return the file of a word list; None where it is the contest's own, and not another one of that name.

        Args:
            name: "answers" or "guesses".
        """
        said = self.lists.get(name, {})
        file, usual = str(said.get("file", "")), {"answers": "answers.txt", "guesses": "valid.txt"}[name]
        return None if file == usual and said.get("sha256") == words.load().sha256[name] else paths.find_file(file)


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
                (folder / "durations" / f"{entry.slug}.csv").write_text(f"{durations.HEAD}\n")
            write_safely(folder / "run.json", _pretty(info))  # last: a folder that has it is whole
        except OSError as error:
            raise UserError(
                f"cannot make the results folder {folder}: {error.strerror}. Make room, or choose one with --results."
            ) from None
        return cls(folder)

    def _read_info(self) -> RunInfo:
        path = self.folder / "run.json"
        try:
            info = msgspec.json.decode(read_plain(path))
            if info["format"] != FORMAT:
                raise UserError(f"{path} has format {info['format']}; this version of wordpl reads format {FORMAT}.")
            found = msgspec.convert(info, RunInfo)
            if any("/" in entry.slug or entry.slug in ("", ".", "..") for entry in found.entries):
                raise UserError(f"{path} has a slug that cannot name the files of an entry.")
            return found
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

    def begun_path(self, entry: EntryInfo) -> Path:
        """Return the entry's folder of journals, see `wordpl.core.journal`; it exists while the run is played."""
        return self.folder / ".begun" / entry.slug

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

    def records(self, entry: EntryInfo, wanted: Container[int]) -> Iterator[Record]:
        """Yield the entry's records of these games, each once, in the order of the file."""
        seen: set[int] = set()
        for record in read_records(self.path(entry), entry.measure.kind, self.info.n_games):
            if record.game in wanted and record.game not in seen:
                seen.add(record.game)
                yield record

    def durations(self, entry: EntryInfo) -> Iterator[Duration]:
        """Yield how long the entry's games took, in the order in which they ended; a game that was replayed twice."""
        return durations.read(self.durations_path(entry), self.info.n_games)

    def cpu_times(self, entry: EntryInfo) -> "NDArray[np.float64]":
        """Return the CPU time of each of the entry's games in seconds, float[n_games]; NaN where it is not known."""
        return durations.cpu_times(self.durations_path(entry), self.info.n_games)

    def cpu_used_s(self, entry: EntryInfo) -> float:
        """Return the CPU time of the entry's games, as the limits count it; time on the wall where nothing tells it."""
        speeds = {name: worker.slowness for name, worker in (self.info.workers or {}).items()}
        return durations.used_s(self.durations(entry), speeds)


def read_records(path: Path, kind: GameKind, max_lines: int = MAX_RECORDS) -> Iterator[Record]:
    """Yield the records of a file in the order of its lines, torn lines left out; none where there is no file.

    Args:
        path: the file; its compressed form is read where there is no plain one.
        kind: of the game that they are records of.
        max_lines: how many records a compressed file can hold, see `record_files.content`.
    """
    lines = chain.from_iterable(record_files.blocks(path, max_lines))
    for number, line in enumerate(lines, 1):
        try:
            yield decode(line, kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if not is_torn(line):
                raise UserError(f"line {number} of {path} is not a record: {error}") from None


def _pretty(info: RunInfo) -> bytes:
    return msgspec.json.format(msgspec.json.encode(info), indent=2) + b"\n"
