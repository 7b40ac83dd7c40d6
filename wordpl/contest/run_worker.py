"""The referee in a worker process, which plays chunks of games and returns their records."""

import logging
import multiprocessing
import os
import signal
import sys
import time
import warnings
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from wordpl import games
from wordpl.contest.isolation import player_pool
from wordpl.contest.referee import (
    GameComparison,
    GameSetup,
    compare,
    failure_in_warm_up,
    is_played_anew,
    play,
    play_game,
)
from wordpl.core import current_folder
from wordpl.core.files import temporary_folder
from wordpl.core.messages import WordplError, start_log_in_worker
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.games import Game, OwnGame
from wordpl.players.base import Player, PlayerError
from wordpl.players.fork_client import LOCK_FILE, wait_until_empty
from wordpl.players.pool import PlayerPool
from wordpl.players.process import TrustedPlayer
from wordpl.players.sandbox import processes
from wordpl.players.sandbox.processes import die_with_parent
from wordpl.run.config import RunConfig
from wordpl.run.entry import Journal
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import WALL_SHARE, Duration, Record, Replay, decode, encode


class Work(Enum):
    """What a worker does with the games of a chunk."""

    PLAY = "play"
    SKIP = "skip"  # record them as unplayed, because the entry has used up its time
    REPEAT = "repeat"  # play finished games again, each in a new process


@dataclass(frozen=True)
class Chunk:
    """Games of one entry for a worker.

    Attributes:
        entry: The index of the entry.
        numbers: The numbers of the games.
        work: What to do with the games.
        serial: The number of the chunk in the run, which names its journal.
        in_new_process: Whether to play each game in a new process, because a lost worker may have begun it.
        first: For repetitions: the lines of the games' records in the run.
        fresh: For repetitions: the draws from a fresh seed.
    """

    entry: int
    numbers: tuple[int, ...]
    work: Work = Work.PLAY
    serial: int = 0
    in_new_process: bool = False
    first: tuple[bytes, ...] = ()
    fresh: Draws | None = None


@dataclass
class Outcome:
    """The results of a chunk.

    Attributes:
        entry: The index of the entry.
        serial: The number of the chunk.
        numbers: The numbers of the finished games.
        left: The numbers of unplayed games, which the worker returns.
        records: The lines of the games' records: one per game, or one to three per repeated game.
        durations: The durations of the games.
        n_won: The number of won games.
        pace_s: The mean wall time per game in seconds.
        cpu_s: The time in seconds that counts towards the entry's limit for all games, or for its repetitions.
        void: The numbers of the games that were played again, because the referee had paused.
    """

    entry: int
    serial: int
    numbers: tuple[int, ...]
    left: tuple[int, ...] = ()
    records: list[bytes] = field(default_factory=list)
    durations: list[Duration] = field(default_factory=list)
    n_won: int = 0
    pace_s: float = 1.0
    cpu_s: float = 0.0
    void: list[int] = field(default_factory=list)


_LOGGER = logging.getLogger(__name__)
MAX_CHUNK_S = 1.5
"""The time after which a worker returns the unplayed games of its chunk, as an entry may become slow at any time."""
FREE_S = 1.0
"""Repetitions that take no longer are not charged to the entry, as each starts one to three processes."""
FAULT_DELAY_S = 1.0
"""The time after which a game counts as lost because its player was killed from outside.

If a host is shut down, its processes may be killed in any order. A worker that outlives a player by less than this time
has not reported the game, which is played again when the run is resumed.
"""
UNPLAYED_MESSAGE = "not played: the entry had used up its time for all games"


@dataclass(frozen=True, kw_only=True)
class WorkerTask(ABC):
    """What a worker on the host's machine needs to play games.

    Attributes:
        parent: The folder for the players' working directories.
        draws: The draws of the run.
        strategies: Strategies that were passed as objects, by the slugs of their entries; they play in this process.
        games: The host's own games.
    """

    parent: Path
    draws: Draws
    strategies: Mapping[str, Any] = field(default_factory=dict)
    games: tuple[OwnGame, ...] = field(default_factory=games.bound)

    @abstractmethod
    def worker(self) -> "Worker":
        """Return a new worker for this task."""


@dataclass(frozen=True, kw_only=True)
class RunTask(WorkerTask):
    """The task of a worker that plays the run in a folder."""

    folder: Path

    def worker(self) -> "Worker":
        """Return a new worker for the run."""
        run = Run(self.folder, max_games=None, may_be_part=True)
        pool = player_pool(run, self.parent)
        return Worker(run.info.config, self.draws, pool, run.info.entries, self.strategies, run=run)


@dataclass(frozen=True)
class ActiveEntry:
    """An entry that a worker plays, with the rules and its player."""

    info: EntryInfo
    game: Game
    player: Player


@dataclass
class Worker:
    """The referee in one worker, with the players of the entries that it played last.

    Attributes:
        config: The configuration of all games.
        draws: The draws of the games.
        pool: Creates the players; it is closed with the worker.
        entries: The entries of the run to which the indices of chunks refer.
        strategies: See `WorkerTask`.
        run: The run whose folder receives the worker's journals; None: it keeps no journal.
        max_players: The number of entries whose players are kept alive.
    """

    config: RunConfig
    draws: Draws
    pool: PlayerPool
    entries: Sequence[EntryInfo] = ()
    strategies: Mapping[str, Any] = field(default_factory=dict)
    run: Run | None = None
    max_players: int = 1

    def __post_init__(self) -> None:
        """Load the word lists."""
        self._lists = self.config.load_lists()
        self._kept: OrderedDict[bytes, ActiveEntry] = OrderedDict()
        self._active: ActiveEntry | None = None

    def play(self, entry: EntryInfo, number: int, *, in_new_process: bool = False) -> tuple[Record, Duration]:
        """Play one game of an entry.

        Args:
            entry: The entry.
            number: The number of the game.
            in_new_process: Whether to start a new process, which has played no game that counts.
        """
        active = self._activate(entry)
        if self.config.every_answer or self.config.fresh or in_new_process:
            active.player.renew()
        record = play(active.game, active.player, number, self.draws, self.config)
        return record, active.player.duration(number)

    def take_void_games(self) -> list[int]:
        """Return the games of the last entry that were played again because the referee paused, and forget them."""
        player = self._active.player if self._active else None
        void = player.void_games[:] if player else []
        if player:
            player.void_games.clear()
        return void

    def skip(self, entry: EntryInfo, number: int) -> Record:
        """Return the record of a game that is not played because the entry has used up its time."""
        secret = self._setup(entry, number).secret
        return Record(number, secret, [], Verdict.UNPLAYED, UNPLAYED_MESSAGE)

    def play_again(self, entry: EntryInfo, number: int, *, in_new_process: bool = False) -> Record:
        """Repeat one game of an entry; arguments as for `play`."""
        active = self._activate(entry)
        if in_new_process:
            active.player.renew()
        return play_game(active.game, active.player, self._setup(entry, number), self.config)

    def replay(self, entry: EntryInfo, recorded: Record) -> Record:
        """Replay a recorded game in a new process, with its clues and another secret; see `referee.play_game`."""
        active = self._activate(entry)
        active.player.renew()
        record = play_game(active.game, active.player, self._setup(entry, recorded.game), self.config, recorded)
        return msgspec.structs.replace(record, replay=Replay.SECRET)

    def play_anew(self, entry: EntryInfo, number: int, fresh: Draws) -> Record:
        """Play a game with its own secret and these other draws, in a new process."""
        active = self._activate(entry)
        active.player.renew()
        setup = self._setup(entry, number)._replace(draws=fresh.game(number))
        return msgspec.structs.replace(play_game(active.game, active.player, setup, self.config), replay=Replay.DRAWS)

    def _setup(self, entry: EntryInfo, number: int) -> GameSetup:
        return GameSetup.of(self._activate(entry).game, self.draws.game(number))

    def late_start(self, entry: EntryInfo) -> PlayerError | None:
        """Return the error of a new player of the entry that exceeds the time limit for its start and warm-up game."""
        active = self._activate(entry)
        active.player.renew()
        failure: WordplError | None = None
        try:
            if active.player.prepare():
                failure = failure_in_warm_up(active.game, active.player, self.config.warmup_s)
        except PlayerError as error:
            failure = error
        return failure if isinstance(failure, PlayerError) and failure.verdict == Verdict.LATE else None

    def close(self) -> None:
        """Stop all players."""
        self._active = None
        try:
            while self._kept:
                self._kept.popitem()[1].player.close()
        finally:  # stop players even if, for example, the disk is full
            self.pool.close()

    def _activate(self, entry: EntryInfo) -> ActiveEntry:
        if self._active is None or self._active.info is not entry:
            key = msgspec.json.encode(entry)
            if key not in self._kept:
                self._active = None
                if len(self._kept) >= self.max_players:
                    self._kept.popitem(last=False)[1].player.close()
                _LOGGER.info("this worker now plays %s", entry.name)
                game = games.make_game(entry.game, self._lists)
                if entry.slug in self.strategies:
                    player: Player = TrustedPlayer(entry, self.pool.folder, self.strategies[entry.slug])
                else:
                    player = self.pool.player(entry, self.config)
                self._kept[key] = ActiveEntry(entry, game, player)
            self._kept.move_to_end(key)
            self._active = self._kept[key]
        return self._active


class WorkerSlot:
    """Keeps the worker of this process between calls, so that players are reused."""

    def __init__(self) -> None:
        """Create an empty slot."""
        self._worker: Worker | None = None
        self._task: WorkerTask | None = None

    def worker(self, task: WorkerTask) -> Worker:
        """Return the worker for this task; a worker for another one is closed."""
        parent = multiprocessing.parent_process()
        if self._worker is None and parent is not None and parent.pid is not None:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)  # the parent process handles them
            die_with_parent(parent.pid)  # without its parent, nobody would receive the results
            start_log_in_worker()
        games.bind_all(task.games)
        if self._worker is None or self._task != task:
            self.close()
            self._worker, self._task = task.worker(), task
        return self._worker

    def close(self) -> None:
        """Close the worker and stop its players, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


WORKER = WorkerSlot()
"""The worker of this process. It is global because joblib calls functions in processes that it reuses."""


def run_chunk_with_journal(task: RunTask, chunk: Chunk) -> Outcome:
    """Process a chunk in this process, and keep a journal of games that count on the host's disk."""
    worker = WORKER.worker(task)
    if chunk.work != Work.PLAY or worker.config.is_trusted or worker.run is None:
        return run_chunk(worker, chunk)
    path = worker.run.entry(worker.entries[chunk.entry]).journal_path(chunk.serial)
    chunk_journal = Journal(path, chunk.numbers[0])
    try:
        return run_chunk(worker, chunk, chunk_journal.add)
    finally:
        chunk_journal.close()


def run_chunk(
    worker: Worker, chunk: Chunk, note: Callable[[bytes, int | None], object] = lambda line, following: None
) -> Outcome:
    """Process a chunk, and return the results.

    Args:
        note: Called after each game with the line of its record and the number of the next game, or None.
    """
    outcome, entry = Outcome(chunk.entry, chunk.serial, chunk.numbers), worker.entries[chunk.entry]
    started = time.perf_counter()
    for n_repeated, line in enumerate(chunk.first, 1):
        began = time.perf_counter()
        outcome.records += _repeat(worker, entry, line, chunk.fresh)
        took_s = time.perf_counter() - began
        outcome.cpu_s += WALL_SHARE * took_s if took_s > FREE_S else 0.0
        if n_repeated == len(chunk.first) or began + took_s > started + MAX_CHUNK_S:
            outcome.numbers, outcome.left = chunk.numbers[:n_repeated], chunk.numbers[n_repeated:]
            return outcome
    if chunk.work == Work.SKIP:
        outcome.records = [encode(worker.skip(entry, number)) for number in chunk.numbers]
    for n_played, number in enumerate(chunk.numbers if chunk.work == Work.PLAY else (), 1):
        record, duration = worker.play(entry, number, in_new_process=chunk.in_new_process)
        if record.verdict == Verdict.FAULT:
            time.sleep(FAULT_DELAY_S)
        is_last = n_played == len(chunk.numbers) or time.perf_counter() > started + MAX_CHUNK_S
        line = encode(record)
        note(line, None if is_last else chunk.numbers[n_played])
        outcome.records.append(line)
        outcome.durations.append(duration)
        outcome.void += worker.take_void_games()
        outcome.n_won += record.verdict == Verdict.WON
        outcome.cpu_s += duration.charged_s
        if is_last:
            outcome.numbers, outcome.left = chunk.numbers[:n_played], chunk.numbers[n_played:]
            break
    outcome.pace_s = max(time.perf_counter() - started, 1e-6) / max(1, len(outcome.records))
    return outcome


def _repeat(worker: Worker, entry: EntryInfo, line: bytes, fresh: Draws | None) -> list[bytes]:
    """Repeat a game, and again if the moves differ or cannot be compared; return the lines of the records.

    See `determinism` for what differs between the repetitions.
    """
    first = decode(line, entry.game.form)
    if first.verdict == Verdict.UNPLAYED:
        return [line]
    records = []
    if fresh is not None and is_played_anew(first.game, worker.config):
        records.append(worker.play_anew(entry, first.game, fresh))
    records.append(worker.replay(entry, first))
    if compare(first, records[-1]) != GameComparison.SAME:
        records.append(worker.play_again(entry, first.game, in_new_process=True))
    return [encode(record) for record in records]


@dataclass(frozen=True)
class Workforce:
    """Worker processes on this machine that play the games of a run; a single worker is this process.

    Attributes:
        task: The task of the workers.
        draws: The draws of the run.
        n_workers: The number of games played at a time.
    """

    task: RunTask
    draws: Draws
    n_workers: int

    def outcomes(self, chunks: Iterable[Chunk]) -> AbstractContextManager[Iterator[Outcome]]:
        """Yield an iterator over outcomes in the order of completion; chunks are consumed lazily, a few in advance."""
        return unordered(run_chunk_with_journal, ((self.task, chunk) for chunk in chunks), self.n_workers)


@contextmanager
def unordered(work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], jobs: int) -> Iterator[Iterator[Any]]:
    """Yield an iterator over the results of `work` for all tasks in the order of completion.

    Args:
        work: The function to call in worker processes.
        tasks: The arguments of each call, consumed lazily, a few in advance.
        jobs: The number of worker processes; 1: the function is called in this process.
    """
    if jobs == 1:
        yield (work(*task) for task in tasks)
        return
    from joblib import Parallel, delayed  # slow to import
    from joblib._parallel_backends import LokyBackend  # what others call a backend's `configure` with

    class Backend(LokyBackend):  # type: ignore[misc]
        def configure(self, *arguments: Any, **options: Any) -> Any:
            return super().configure(*arguments, **options, initializer=start)

    start = current_folder.worker_start()
    pool = Parallel(jobs, Backend(), return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)
    with current_folder.safe_environment():
        outcomes = pool(delayed(work)(*task) for task in tasks)
        try:
            yield outcomes
        except BaseException:
            kill_workers()
            raise
        finally:
            with warnings.catch_warnings():  # about unfinished tasks, if the context is left early by an exception
                warnings.simplefilter("ignore")
                outcomes.close()


@contextmanager
def local(run: Run, draws: Draws, jobs: int, strategies: Mapping[str, Any] | None = None) -> Iterator[Workforce]:
    """Yield a workforce on this machine; when the context ends, all workers and players have been stopped.

    Args:
        draws: The draws of the run.
        jobs: The number of games to play at a time.
        strategies: See `WorkerTask`.
    """
    with player_folder(jobs) as parent:
        task = RunTask(folder=run.folder.absolute(), parent=parent, draws=draws, strategies=strategies or {})
        yield Workforce(task, draws, jobs)


@contextmanager
def player_folder(jobs: int) -> Iterator[Path]:
    """Yield a folder for players; when the context ends, all workers and players have been stopped.

    Args:
        jobs: The number of workers.
    """
    with temporary_folder() as parent:
        try:
            yield parent
        finally:
            try:
                WORKER.close()
            finally:
                if jobs != 1 and "joblib" in sys.modules:  # otherwise no worker was needed
                    dismiss_workers()
                if (parent / LOCK_FILE).exists():  # a fork server has run: trusted entries need none
                    wait_until_empty(parent)
                    processes.remove_abandoned_groups()


def kill_workers() -> None:
    """Kill the worker processes; their players end with them.

    When loky stops its workers, it kills their descendants first. A worker would then see that its player was killed,
    and take this for the end of a game.
    """
    from joblib.externals.loky.backend.process import LokyProcess

    for process in multiprocessing.active_children():
        if isinstance(process, LokyProcess) and process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def dismiss_workers() -> None:
    """Stop the worker processes and their players."""
    from joblib.externals.loky import get_reusable_executor

    kill_workers()
    get_reusable_executor().shutdown(wait=True, kill_workers=True)
