"""The folder of a run, and the facts in its run.json.

run.json describes what was played, records/ENTRY.jsonl has one line per game, and durations/ENTRY.csv the time of each
game. Only the host appends lines, in the order in which games end. When an entry has played all its games, its records
are sorted by game, so that the same seed gives the same bytes.
"""

from collections.abc import Container, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core import durations, paths, record_files, words
from wordpl.core.errors import UserError
from wordpl.core.files import read_regular_file, write_atomically
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
    "SEEDS_FOLDER",
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
"""The maximum number of records in a compressed file whose run.json is unknown."""
SEEDS_FOLDER = ".seeds"
"""The folder, next to the runs, with the seeds of unfinished runs, so that a published run folder contains no seed."""


class EntryInfo(msgspec.Struct, frozen=True):
    """One entry of a run.

    Attributes:
        name: the name on the board
        slug: the name of its record files without the suffix
        game_id: the name of the game with its version
        measure: the unit of the cost of its games
        file: the path of its file, relative if possible, see `paths.portable_name`
        make: the expression that creates the strategy from that file
        sha256: the digest of its file, see `wordpl.core.entry_files`
        cache: the digest of its cache, if it has one; see `wordpl.core.entry_caches`
        companions: the SHA-256 of its companion files, see `wordpl.core.companions`; not in older runs
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
    """The description of a run in run.json.

    Optional fields are missing in runs of older versions, and where they do not apply. The fields `commitment`,
    `beacon_from`, `beacon` and `drawn_seed` belong to official runs; see docs/fairness.md.

    Attributes:
        format: the version of the file format
        seed: the seed of all secrets and noise; None until an official run has finished
        commitment: the commitment published before the first game
        beacon_from: the source of a public text that is not yet known when the run is announced
        beacon: that text
        drawn_seed: the seed that the host committed to, revealed when the run has finished
        n_games: the number of games of each entry
        every_answer: whether each answer was played once, see `RunConfig`
        timeout_s: the CPU time for one game that entries are told, in seconds
        enforced_s: the CPU time at which a game is stopped, see `wordpl.players.clock`; if missing, it is timeout_s
        warmup_s: the time that a new process has to start, in seconds
        memory_mb: the memory limit of an entry in MiB
        limits: further limits
        total_s: the CPU time of an entry for all its games; the games after that are `unplayed`
        repeats: how many games of each entry are replayed, see `wordpl.contest.determinism`
        loss_cost: the cost of a lost game in the mean cost; if missing, it is today's default
        player: where entries were executed
        level: the sandbox level of entries, see `wordpl.players.sandbox.levels`; "" if they were trusted
        lists: the files, sizes and digests of the word lists
        entries: the entries
        versions: the versions of the software that affects games
        machine: the host's machine
        started, finished: the times of the start and the end of the run
        played_again: by the slug of an entry, the games that were restarted because the referee had been interrupted
        workers: by name, the cluster workers that played games
        calibration_s: the CPU time of the calibration kernel on a machine for which the limits hold as given
        seal: the seal of a finished run, see `wordpl.core.commitments`
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
        """The configuration of the run; its seed is that of the games, or None while it is unknown."""
        return RunConfig(
            n_games=self.n_games,
            every_answer=bool(self.every_answer),
            repeats=self.repeats,
            seed=self.seed,
            answers=self.list_file("answers"),
            guesses=self.list_file("guesses"),
            timeout_s=self.timeout_s,
            # Older runs have no grace period: their commitment does not cover the field.
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
        """Return the path of a word list of the run; None if it is the bundled one.

        Args:
            name: "answers" or "guesses".
        """
        stored = self.lists.get(name, {})
        file, default = str(stored.get("file", "")), {"answers": "answers.txt", "guesses": "valid.txt"}[name]
        is_bundled = file == default and stored.get("sha256") == words.load().sha256[name]
        return None if is_bundled else paths.find_file(file)


class Run:
    """The folder of a run.

    Attributes:
        folder: the path of the folder
        info: the description of the run in its run.json
    """

    def __init__(self, folder: Path):
        """Read the run.json of an existing run.

        Raises:
            UserError: The folder has no valid run.json.
        """
        self.folder = Path(folder)
        self.info = self._read_info()

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> "Run":
        """Create the folder of a new run.

        Raises:
            UserError: The folder cannot be created.
        """
        try:
            for part in ("records", "durations"):
                (folder / part).mkdir(parents=True)
            for entry in info.entries:
                (folder / "durations" / f"{entry.slug}.csv").write_text(f"{durations.HEADER}\n")
            write_atomically(folder / "run.json", _pretty(info))  # last: its presence shows that the folder is complete
        except OSError as error:
            raise UserError(
                f"cannot create the results folder {folder}: {error.strerror}. "
                "Choose another one with --results, or free some disk space."
            ) from None
        return cls(folder)

    def _read_info(self) -> RunInfo:
        path = self.folder / "run.json"
        try:
            info = msgspec.json.decode(read_regular_file(path))
            if info["format"] != FORMAT:
                raise UserError(f"{path} has format {info['format']}; this version of wordpl reads format {FORMAT}.")
            found = msgspec.convert(info, RunInfo)
            if any("/" in entry.slug or entry.slug in ("", ".", "..") for entry in found.entries):
                raise UserError(f"{path} has a slug that cannot name the files of an entry.")
            return found
        except OSError:
            raise UserError(f"{self.folder} is not a run: it has no readable run.json.") from None
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            raise UserError(f"{path} is not the description of a run: {error}") from None

    def write_info(self) -> None:
        """Rewrite run.json."""
        write_atomically(self.folder / "run.json", _pretty(self.info))

    def finish(self, time: str) -> None:
        """Mark the run as finished at this time."""
        self.info.finished = time
        self.write_info()

    def path(self, entry: EntryInfo) -> Path:
        """Return the path of the entry's records."""
        return self.folder / "records" / f"{entry.slug}.jsonl"

    def repeats_path(self, entry: EntryInfo) -> Path:
        """Return the path of the entry's records of repeated games."""
        return self.folder / "repeats" / f"{entry.slug}.jsonl"

    def durations_path(self, entry: EntryInfo) -> Path:
        """Return the path of the durations of the entry's games."""
        return self.folder / "durations" / f"{entry.slug}.csv"

    def journals_path(self, entry: EntryInfo) -> Path:
        """Return the folder of the entry's journals; it exists while the run is played. See `wordpl.core.journal`."""
        return self.folder / ".begun" / entry.slug

    @property
    def entries(self) -> list[EntryInfo]:
        """The entries of the run."""
        return self.info.entries

    def to_frame(self) -> "pd.DataFrame":
        """Return the games as a table; see `wordpl.core.run_records.RunRecords.to_frame`."""
        from wordpl.core.run_records import RunRecords  # imports this module

        return RunRecords(self).to_frame()

    def read(self, entry: EntryInfo) -> list[Record]:
        """Return the entry's records sorted by game, one per game, without torn lines."""
        by_game: dict[int, Record] = {}
        for record in read_records(self.path(entry), entry.measure.kind, self.info.n_games):
            by_game.setdefault(record.game, record)
        return [by_game[game] for game in sorted(by_game)]

    def records(self, entry: EntryInfo, wanted: Container[int]) -> Iterator[Record]:
        """Yield the entry's records of the wanted games, one per game, in the order of the file."""
        seen: set[int] = set()
        for record in read_records(self.path(entry), entry.measure.kind, self.info.n_games):
            if record.game in wanted and record.game not in seen:
                seen.add(record.game)
                yield record

    def durations(self, entry: EntryInfo) -> Iterator[Duration]:
        """Yield the durations of the entry's games in the order in which they ended; a replayed game occurs twice."""
        return durations.read(self.durations_path(entry), self.info.n_games)

    def cpu_times(self, entry: EntryInfo) -> "NDArray[np.float64]":
        """Return the CPU time of each of the entry's games in seconds, float[n_games]; NaN if it is unknown."""
        return durations.cpu_times(self.durations_path(entry), self.info.n_games)

    def cpu_used_s(self, entry: EntryInfo) -> float:
        """Return the CPU time of the entry's games in seconds, as the limits count it; see `durations.charged_s`."""
        slowness = {name: worker.slowness for name, worker in (self.info.workers or {}).items()}
        return durations.charged_s(self.durations(entry), slowness)


def read_records(path: Path, kind: GameKind, max_lines: int = MAX_RECORDS) -> Iterator[Record]:
    """Yield the records of a file in the order of its lines, without torn lines; none if the file does not exist.

    Args:
        path: the path of the plain file; the compressed file is read if there is no plain one
        kind: the kind of the games
        max_lines: the maximum number of records in a compressed file, see `record_files.content`

    Raises:
        UserError: A line is not a record.
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
