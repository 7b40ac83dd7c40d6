"""Contests as a library: find entries, create or resume a run, and play it."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import msgspec

from wordpl.contest import determinism, hidden_files, official, run_folder, runner, workforce
from wordpl.contest.cluster import ClusterAddress
from wordpl.contest.entries import FoundEntries, find_entries
from wordpl.contest.observer import Observer
from wordpl.contest.replay import ReplayedGame, play_one
from wordpl.contest.workforce import Workforce
from wordpl.core import commitments, played_games, run_guards
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import EntryInfo, Run
from wordpl.core.run_config import RunConfig

_LOGGER = logging.getLogger(__name__)


class Contest:
    """A contest between entries that play the same games, and the run folder that stores the results.

    Example:
        run = Contest(RunConfig(n_games=200, seed="7"), [MyBot, OtherBot()]).play()
        run.to_frame().groupby("entry")["cost"].median()
    """

    def __init__(
        self,
        config: RunConfig | None = None,
        entries: Sequence[str | Path | type | object] = (),
        *,
        jobs: int | None = None,
        against: str = "",
        cluster: ClusterAddress | None = None,
    ):
        """Create a contest; nothing is read or played yet.

        Args:
            config: The configuration of the run.
            entries: Names of entries as on the command line, paths of files, or classes and objects with the methods
                of a strategy; empty: all files of strategies/. Classes and objects run in this process, without a
                sandbox and without enforced time limits, and the results say so.
            jobs: The number of games to play at a time; None: one per processor, or one if entries are trusted.
            against: The name of an entry that plays even if it is not among `entries`.
            cluster: The scheduler of a cluster to play the games on; None: play them on this machine.
        """
        has_objects = any(not isinstance(entry, str | Path) for entry in entries)
        base_config = config or RunConfig()
        self.config = msgspec.structs.replace(base_config, player=PlayerKind.TRUSTED) if has_objects else base_config
        self._wanted, self._against = tuple(entries), against
        self._jobs = 1 if has_objects else jobs
        self.cluster = cluster
        self._run: Run | None = None
        self._is_resumed = False

    @classmethod
    def resume(cls, folder: str | Path, *, jobs: int | None = None, cluster: ClusterAddress | None = None) -> "Contest":
        """Return a contest that plays the remaining games of the run in this folder, under the terms of the run."""
        run = Run(Path(folder).absolute())
        contest = cls(run.info.config, jobs=jobs, cluster=cluster)
        contest._run, contest._is_resumed = run, True
        return contest

    @cached_property
    def found(self) -> FoundEntries:
        """The entries, and the files that could not be loaded."""
        if self._is_resumed and self._run is not None:
            return FoundEntries(self._run.entries, [])
        return find_entries(self._wanted, self.config, self._against)

    @property
    def entries(self) -> list[EntryInfo]:
        """The entries of the contest."""
        return self.found.entries

    @property
    def jobs(self) -> int:
        """The number of games to play at a time."""
        return self._jobs or (1 if self.config.is_trusted else run_folder.n_processors())

    def open(self, observer: Observer | None = None) -> Run:
        """Return the run to be played: a new one in the results folder, or the one to be resumed.

        For an official run, this creates and reports the commitment to its seed.
        """
        if self._run is None:
            self._run = self._new_run(observer or Observer())
        return self._run

    def play(self, observer: Observer | None = None, *, beacon: str | None = None) -> Run:
        """Play all games of the run that have not been played yet.

        A new official run that waits for a beacon is only created: resume it when the beacon is known. After an error
        or Ctrl-C, all finished games are kept, and the run can be resumed.

        Args:
            observer: Receives the events of the contest.
            beacon: The text that an official run waits for.

        Returns:
            The run, with its `info`, its `entries` and its records, which `to_frame()` returns as a table.

        Raises:
            UserError: The user can correct the problem; for example, the file of an entry has changed.
            KeyboardInterrupt: The user pressed Ctrl-C.
        """
        observer = observer or Observer()
        run = self.open(observer)
        if official.is_waiting_for_beacon(run.info) and not self._is_resumed:
            return run
        with run_guards.exclusive(run.folder):
            if self._is_resumed:
                run_folder.prepare_resume(run)
            key = official.run_key(run, beacon)
            names = ", ".join(entry.name for entry in run.entries)
            _LOGGER.info("playing %s: %d games of each of %s", run.folder, run.info.n_games, names)
            observer.started(run)
            try:
                with run_guards.explain(run.folder):
                    self._play_all(run, key, observer)
            finally:
                if run.info.finished is None:
                    _LOGGER.info("%s was interrupted", run.folder)
                    with suppress(OSError):  # for example, a full disk; they are collected when the run is resumed
                        run_folder.collect_journals(run)
                    observer.stopped(run, sum(played_games.find_played(run, entry).n_games for entry in run.entries))
        _LOGGER.info("%s is finished", run.folder)
        observer.finished(run)
        return run

    def replay(self, number: int, output: int | None = None) -> Iterator[ReplayedGame]:
        """Yield one game of each entry, played on demand; nothing is stored.

        Args:
            number: The number of the game.
            output: The file descriptor that receives what entries print.
        """
        info = run_folder.describe(self.config, self.entries)
        config = msgspec.structs.replace(self.config, seed=info.seed)
        for entry in self.entries:
            yield play_one(entry, number, config, output, self.found)

    def _new_run(self, observer: Observer) -> Run:
        for fault in self.found.faults:
            observer.no_entry(fault)
        info = run_folder.describe(self.config, self.entries)
        folder = run_folder.new_folder(self.config.results.absolute(), info)  # a player may change the current folder
        self.found.caches.keep(self.entries, folder)
        if not self.config.official:
            return Run.create(folder, info)
        run = official.new_run(folder, info, self.config.beacon_from)
        observer.committed(run)
        return run

    def _play_all(self, run: Run, key: bytes, observer: Observer) -> None:
        strategies = {} if self._is_resumed else self.found.strategies
        if self.cluster is not None:
            from wordpl.contest.cluster.workforce import connect

            with connect(run, key, self.cluster, observer) as workers:
                _play_games(run, workers, observer)
        else:
            with workforce.local(run, key, self.jobs, strategies) as workers:
                if run.info.finished is None and not self.config.is_trusted:
                    hidden_files.require_hidden(run, workers.task.parent)
                hidden_files.build_programs(run, workers.task.parent)
                _play_games(run, workers, observer)
        commitments.compress(run)
        official.remove_seed(run)


def _play_games(run: Run, workers: Workforce, observer: Observer) -> None:
    runner.play_remaining(run, workers, observer.progress)
    if run.info.repeats:
        _LOGGER.info("playing %d games of each entry again, in fresh processes", run.info.repeats)
        determinism.play_repeats(run, workers, observer.repeated)
    if run.info.finished is None:
        official.reveal(run)
        commitments.finish(run, run_folder.now())
        run_folder.remove_journals(run)
