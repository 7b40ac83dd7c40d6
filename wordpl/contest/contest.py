"""Contests as a library: find entries, create or resume a run, play it, and replay one of its games."""

import logging
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from shutil import rmtree

import msgspec

from wordpl import games
from wordpl.contest import determinism, hosted, isolation, official, parts, run_folder, run_worker, runner
from wordpl.contest.entries import FoundEntries, find_added, find_entries, require_all_loaded, require_named
from wordpl.contest.isolation import ReaderTerms, require_own_choice
from wordpl.contest.referee import play
from wordpl.contest.runner import Observer
from wordpl.core import paths
from wordpl.core.files import temporary_folder
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws
from wordpl.games import Game
from wordpl.players.base import Player
from wordpl.players.pool import PlayerPool
from wordpl.players.process import TrustedPlayer
from wordpl.run import invariants
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.folder import MAX_READ_GAMES, Run, exclusive, explain
from wordpl.run.info import EntryInfo, RunInfo
from wordpl.run.records import Duration, Record


@dataclass(frozen=True)
class ReplayedGame:
    """A replayed game.

    Attributes:
        entry: The entry that played.
        game: The rules.
        seed: The seed of the run.
        record: The record of the game.
        duration: The time that it took.
    """

    entry: EntryInfo
    game: Game
    seed: str
    record: Record
    duration: Duration


def play_one(
    entry: EntryInfo,
    number: int,
    info: RunInfo,
    config: RunConfig,
    output: int | None = None,
    found: FoundEntries | None = None,
) -> ReplayedGame:
    """Play one game of an entry under the terms of a run.

    Args:
        number: The number of the game.
        info: The description of the run.
        config: The configuration of the game.
        output: The file descriptor that receives what the entry prints.
        found: The entries among which it was found, with their files and with strategies passed as objects.

    Raises:
        UserError: The seed of the run is not known.
    """
    hosted.refuse([entry], f"its games {hosted.NOT_REPEATED}; `wordpl replay RUN {number}` shows what it replied")
    if info.draws is None or info.seed is None:
        raise UserError("a game can be replayed when the run has finished and its seed is known.")
    lists = config.load_lists()
    game = games.make_game(entry.game, lists)
    strategies, store = (found.strategies, found.store) if found else ({}, None)
    with (
        temporary_folder() as parent,
        PlayerPool(lists, Path(parent), store=store) as pool,
    ):
        player: Player
        if entry.slug in strategies:
            player = TrustedPlayer(entry, pool.folder, strategies[entry.slug])
        elif config.is_trusted:
            player = pool.player(entry, config)
        else:
            player = pool.isolated(entry, config, output=output)
        try:
            record = play(game, player, number, info.draws, config)
            return ReplayedGame(entry, game, info.seed, record, player.duration(number))
        finally:
            player.close()


_LOGGER = logging.getLogger(__name__)


def clear_up(run: Run) -> None:
    """Remove what a finished run needs no more, and compress its files, also if that was interrupted."""
    run.remove_journals()
    if run.info.part is None:
        run.compress()
        official.remove_seed(run)
        parts.forget_given(run)


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
        without: Sequence[str] = (),
    ):
        """Create a contest; nothing is read or played yet.

        Args:
            config: The configuration of the run.
            entries: Names of entries as on the command line, paths of files, or classes and objects with the methods
                of a strategy; empty: all files of strategies/. Classes and objects run in this process, without a
                sandbox and without enforced time limits, and the results say so.
            jobs: The number of games to play at a time; None: one per processor, or one if entries are trusted.
            against: The name of an entry that plays even if it is not among `entries`.
            without: Names of files of strategies/ that are left out, if `entries` is empty.
        """
        has_objects = any(not isinstance(entry, str | Path) for entry in entries)
        base_config = config or RunConfig()
        self.config = msgspec.structs.replace(base_config, player=PlayerKind.TRUSTED) if has_objects else base_config
        self._wanted, self._against, self._without = tuple(entries), against, tuple(without)
        self._jobs = 1 if has_objects else jobs
        self._run: Run | None = None
        self._base: Run | None = None
        self._is_resumed = False

    @classmethod
    def resume(
        cls,
        folder: str | Path,
        *,
        jobs: int | None = None,
        level: str = "",
        trusted: bool = False,
        max_games: int | None = MAX_READ_GAMES,
    ) -> "Contest":
        """Return a contest that plays the remaining games of the run in this folder, under the terms of the run.

        The folder may be that of a part of a run.

        A run.json cannot make this machine play without isolation: if the run does, `level` or `trusted` must say so.

        Args:
            folder: The run's folder.
            jobs: The number of games to play at a time; None: one per processor, or one if entries are trusted.
            level: The sandbox level of the run, if that is C or D.
            trusted: Whether to play in this process, if the run's entries are trusted.
            max_games: Refuse a run of more games, of all entries together; None: refuse none.

        Raises:
            UserError: It is not a run, or it plays without isolation, and this was not chosen.
        """
        run = Run(Path(folder).absolute(), max_games, may_be_part=True)
        require_own_choice(run.info.config, level, trusted=trusted)
        return cls._of_run(run, jobs)

    @classmethod
    def part(
        cls, folder: str | Path, text: str, *, beacon: str | None = None, jobs: int | None = None, level: str = "",
        trusted: bool = False, max_games: int = MAX_READ_GAMES,
    ) -> "Contest":  # fmt: skip
        """Return a contest that plays a part of a prepared run in a folder of its own, which is created.

        Args:
            folder: The run's folder.
            text: The part, such as "3/40".
            beacon: The text that an official run waits for.
            jobs, level, trusted, max_games: As for `resume`.

        Raises:
            UserError: There is no such run or part, or the run has finished.
        """
        run = Run(Path(folder).absolute(), max_games)
        require_own_choice(run.info.config, level, trusted=trusted)
        with exclusive(run.folder) if beacon is not None else nullcontext():
            place = parts.prepare(run, *parts.numbered(text), beacon)
        return cls.resume(place, jobs=jobs, level=level, trusted=trusted, max_games=max_games)

    @classmethod
    def _of_run(cls, run: Run, jobs: int | None = None) -> "Contest":
        contest = cls(run.info.config, jobs=jobs)
        contest._run, contest._is_resumed = run, True
        return contest

    @classmethod
    def of(
        cls, folder: str | Path, entries: Sequence[str] = (), *, level: str = "", max_games: int = MAX_READ_GAMES
    ) -> "Contest":
        """Return a contest whose `replay` plays games of a run again, by its rules and with the files it stores.

        Entries play in the sandbox and within the limits of `ReaderTerms`, whatever the run says.

        Args:
            folder: The run's folder.
            entries: Entries of the run, by their names on the board, classes or files; empty: all of them.
            level: The sandbox level; "": the strongest one that this machine supports.
            max_games: Refuse a run of more games, of all entries together.

        Raises:
            UserError: It is not a run, or this machine cannot isolate its entries, and no level was chosen.
        """
        contest = cls._of_run(Run(Path(folder).absolute(), max_games).require_as_sealed())
        contest._wanted = tuple(entries)
        contest.config = ReaderTerms.of(contest._run.info, level=level).config if contest._run else contest.config
        return contest

    @classmethod
    def add(
        cls, folder: str | Path, entries: Sequence[str | Path], results: Path, *, jobs: int | None = None,
        level: str = "", max_games: int = MAX_READ_GAMES,
    ) -> "Contest":  # fmt: skip
        """Return a contest that plays the games of a finished run with further entries, for comparison only.

        It creates a new run with the games of both. Since the seed of the run is known, the added entries are marked
        as playing after the seed was known, and the new run cannot hold records.

        Args:
            folder: The folder of a finished run, which stays as it is.
            entries: Names of entries as on the command line, or paths of files.
            results: The folder in which the new run is created.
            jobs: The number of games to play at a time; None: one per processor.
            level: The sandbox level; "": the strongest one that this machine supports.
            max_games: Refuse a run of more games, of all entries together.

        Raises:
            UserError: It is not a finished run, no entry is given, or this machine cannot isolate the entries.
        """
        base = Run(Path(folder).absolute(), max_games).require_as_sealed()
        if base.info.finished is None or base.info.seed is None:
            raise UserError(f"{folder} has not ended, so its seed is not known: add entries when it has.")
        base.info.require_written_format(str(folder))
        if not entries:
            raise UserError("name the entry to add, such as `wordpl evaluate --add RUN my_bot.py`.")
        terms = ReaderTerms.of(base.info, level=level)
        if terms.capped:
            raise UserError(
                f"{folder} gives its entries more than this machine would give to yours "
                f"({', '.join(terms.capped)}), so they cannot be compared: evaluate all of them in a new run."
            )
        config = msgspec.structs.replace(terms.config, results=results)
        contest = cls(config, entries, jobs=jobs)
        contest._base = base
        return contest

    @cached_property
    def found(self) -> FoundEntries:
        """The entries, and the files that could not be loaded."""
        if self._base is not None:
            return find_added(self._wanted, self.config, self._base)
        if self._is_resumed and self._run is not None:
            entries = self._run.info.entries
            named = [entry for text in self._wanted for entry in require_named(str(text), entries)]
            return FoundEntries(named or entries, [], store=self._run.store)
        return find_entries(self._wanted, self.config, self._against, self._without)

    def play_only(self, entries: Sequence[EntryInfo]) -> None:
        """Play only these of the entries that were found, and forget which files failed; before the run is opened."""
        self.found = replace(self.found, entries=list(entries), faults=[])

    @property
    def entries(self) -> list[EntryInfo]:
        """The entries of the contest."""
        return self.found.entries

    def entries_of(self, place: Path) -> list[EntryInfo]:
        """Return the entries that a file or folder declares."""
        name = paths.portable_name(place)
        return [entry for entry in self.entries if entry.file == name]

    @property
    def changed(self) -> list[str]:
        """A sentence for each entry of an existing run whose author's file has changed since."""
        return [] if self._run is None else run_folder.changed_files(self.entries)

    @property
    def jobs(self) -> int:
        """The number of games to play at a time."""
        return self._jobs or (1 if self.config.is_trusted else run_folder.n_processors())

    def open(self, observer: Observer | None = None, taken: Collection[str] = ()) -> Run:
        """Return the run to be played: a new one in the results folder, or the one to be resumed.

        For an official run, this creates and reports the commitment to its seed.

        Args:
            observer: Receives the events of the contest.
            taken: Names that the folder of a new run does not get.
        """
        if self._run is None:
            self._run = self._new_run(observer or Observer(), taken)
        return self._run

    def play(
        self, observer: Observer | None = None, *, beacon: str | None = None, parts_played: Iterable[Path] = ()
    ) -> Run:
        """Play all games of the run that have not been played yet.

        A new official run that waits for a beacon is only created: resume it when the beacon is known. After an error
        or Ctrl-C, all finished games are kept, and the run can be resumed.

        Args:
            observer: Receives the events of the contest.
            beacon: The text that an official run waits for.
            parts_played: Folders of parts of the run, whose games are taken first. A part that was interrupted is
                played to its end in its folder.

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
        with exclusive(run.folder), explain(run.folder):
            if self._is_resumed:
                run_folder.prepare_resume(run)
            draws = official.draws(run, beacon)
            names = ", ".join(entry.name for entry in run.info.entries)
            _LOGGER.info("playing %s: %d games of each of %s", run.folder, run.info.config.n_games, names)
            observer.started(run)
            try:
                self._play_all(run, draws, parts_played, observer)
            finally:
                if run.info.finished is None:
                    _LOGGER.info("%s was interrupted", run.folder)
                    with suppress(OSError):  # for example, a full disk; they are collected when the run is resumed
                        run.collect_journals()
                    observer.stopped(run, sum(entry.played().n_games for entry in run.entries))
        _LOGGER.info("%s is finished", run.folder)
        observer.finished(run)
        return run

    def replay(self, number: int, output: int | None = None) -> Iterator[ReplayedGame]:
        """Yield one game of each entry, played on demand; nothing is stored.

        Args:
            number: The number of the game.
            output: The file descriptor that receives what entries print.
        """
        if self._is_resumed and self._run is not None:
            info, config = self._run.info, ReaderTerms.of(self._run.info, level=self.config.level).config
        else:
            info, config = run_folder.describe(self.config, self.entries), self.config
        for entry in self.entries:
            yield play_one(entry, number, info, config, output, self.found)

    def _new_run(self, observer: Observer, taken: Collection[str]) -> Run:
        if self.config.official:
            require_all_loaded(self.found.faults, named=bool(self._wanted))
        for fault in self.found.faults:
            observer.no_entry(fault)
        info = run_folder.describe(self.config, self.entries)
        hosted.settle(info, self.found.store, self._base.info if self._base else None)
        invariants.require(info, "a new run")
        if self._base is not None:
            old = self._base.info
            info.added_to = old.added_to or old.seal
            info.seed_source = old.seed_source
            info.repeats_seed, info.n_repeats = old.repeats_seed, old.n_repeats
            info.after_seed = [*old.after_seed, *(entry.slug for entry in self.entries[len(old.entries) :])]
        results = self.config.results.absolute()  # a player may change the current folder
        folder = run_folder.new_folder(results, info, taken)
        store = BundleStore(folder / STORE)
        try:
            store.copy_from(self.found.store, chain.from_iterable(entry.digests for entry in self.entries))
            if not self.config.official:
                store.publish()
                if self._base is not None:
                    run_folder.copy_games(self._base, folder)
                return Run.create(folder, info)
            run = official.new_run(folder, info)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
        observer.committed(run)
        return run

    def _play_all(self, run: Run, draws: Draws, parts_played: Iterable[Path], observer: Observer) -> None:
        """Take the games of the parts, play the rest and the repetitions, and finish the run."""
        with parts.Join(run, observer.progress) as join:
            for folder in parts_played:
                part = Run(folder.absolute(), None, may_be_part=True)
                if part.info.part is not None and part.info.finished is None:
                    Contest._of_run(part, self._jobs).play()
                join.take(folder)
        strategies = {} if self._is_resumed else self.found.strategies
        jobs = min(self.jobs, run.info.config.n_games * len(run.info.entries))
        with run_worker.local(run, draws, jobs, strategies) as workers:
            if run.info.finished is None and not self.config.is_trusted:
                isolation.require_hidden(run, workers.task.parent)
            isolation.build_programs(run, workers.task.parent)
            started = time.perf_counter()
            runner.play_remaining(run, workers, observer.progress, taken=join.taken)
            if run.info.games_to_repeat and run.info.part is None:
                _LOGGER.info("playing games of each entry again, in fresh processes")
                games_s = time.perf_counter() - started
                if run.info.parts:  # which were played elsewhere
                    used_s = (join.taken[entry.info.slug].cpu_s if entry.info.slug in join.taken else entry.cpu_used_s()
                              for entry in run.entries)  # fmt: skip
                    games_s = sum(used_s) / workers.n_workers
                determinism.play_repeats(run, workers, observer.repeated, games_s)
            if run.info.finished is None:
                if run.info.part is None:
                    official.reveal(run)
                hosted.finish(run)
                run.finish(run_folder.now())
        clear_up(run)
        run.store.publish()
