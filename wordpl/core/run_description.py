"""The description of a run in its run.json: the terms, the entries, the workers and the state of the run."""

from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core import paths, words
from wordpl.core.game_kinds import Measure, PlayerKind
from wordpl.core.run_config import Limits, RunConfig

FORMAT = 1


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster worker that played games of a run.

    Attributes:
        machine: Its host name, system and type of processor.
        level: The strongest sandbox level that it supports.
        versions: The versions of the software that affects games.
        calibration_s: The CPU time of the calibration kernel on it, see `wordpl.contest.cluster.calibration`.
        slowness: Its `calibration_s` divided by that of the run; the CPU limits of players are multiplied by it.
    """

    machine: dict[str, str | int]
    level: str
    versions: dict[str, str]
    calibration_s: float
    slowness: float = 1.0


class EntryInfo(msgspec.Struct, frozen=True):
    """One entry of a run.

    Attributes:
        name: The name on the board.
        slug: The name of its record files without the suffix.
        game_id: The name of the game with its version.
        measure: The unit of the cost of its games.
        file: The path of its file, relative if possible, see `paths.portable_name`.
        make: The expression that creates the strategy from that file.
        sha256: The digest of its file, see `wordpl.core.entry_files`.
        cache: The digest of its cache, if it has one; see `wordpl.core.entry_caches`.
        companions: The SHA-256 of its companion files, see `wordpl.core.entry_files`; not in older runs.
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
        format: The version of the file format.
        seed: The seed of all secrets and noise; None until an official run has finished.
        commitment: The commitment published before the first game.
        beacon_from: The source of a public text that is not yet known when the run is announced.
        beacon: That text.
        drawn_seed: The seed that the host committed to, revealed when the run has finished.
        n_games: The number of games of each entry.
        every_answer: Whether each answer was played once, see `RunConfig`.
        timeout_s: The CPU time limit for one game that is announced to entries, in seconds.
        enforced_s: The CPU time at which a game is stopped, see `wordpl.players.clock`; if missing, it is timeout_s.
        warmup_s: The time that a new process has to start, in seconds.
        memory_mb: The memory limit of an entry in MiB.
        limits: Further limits.
        total_s: The CPU time of an entry for all its games; the games after that are `unplayed`.
        repeats: How many games of each entry are replayed, see `wordpl.contest.determinism`.
        loss_cost: The cost of a lost game in the mean cost; if missing, it is today's default.
        player: Where entries were executed.
        level: The sandbox level of entries, see `wordpl.players.sandbox.levels`; "" if they were trusted.
        lists: The files, sizes and digests of the word lists.
        entries: The entries.
        versions: The versions of the software that affects games.
        machine: The host's machine.
        started, finished: The times of the start and the end of the run.
        played_again: By the slug of an entry, the games that were restarted because the referee had been interrupted.
        workers: By name, the cluster workers that played games.
        calibration_s: The CPU time of the calibration kernel on a machine for which the limits hold as given.
        seal: The seal of a finished run, see `wordpl.core.commitments`.
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
