"""Many games: plays what a run has left to play, on as many workers as wanted, and writes the records as they come."""

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import UNSET

from wordpl import games
from wordpl.contest.hidden_files import pool_of
from wordpl.contest.match import Deal, failure_in_warm_up, play, play_deal
from wordpl.contest.observer import EntryProgress
from wordpl.contest.run_folder import lists_of
from wordpl.core import log, seeds
from wordpl.core.record_writer import RecordWriter
from wordpl.core.records import Duration, EntryInfo, Record, Run, Verdict
from wordpl.games import Game
from wordpl.players.base import Player, PlayerError
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.sandbox import cgroup
from wordpl.players.sandbox.parent_death_signal import die_with_parent

_LOGGER = logging.getLogger(__name__)
USED_UP = "not played: the entry had used up its time for all games"
STOP_ENTRY = object()
"""What `progress` returns to `play_left` where no more games of the entry are to be played."""
CHUNK_S = 0.3  # how long a worker plays before it reports: short enough for a lively progress bar


@dataclass(frozen=True)
class WorkerTask:
    """What a worker has to know of the run that it plays.

    Attributes:
        folder: The run's folder.
        parent: The folder for the players' working directories, as `workers` gives it.
        key: The key of all draws.
        strategies: Strategies that were given as objects, by the slug of their entries; they play in this process.
    """

    folder: Path
    parent: Path
    key: bytes
    strategies: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Queue:
    """The games that an entry has left to play, and how fast it plays."""

    entry: EntryInfo
    left: tuple[int, ...]
    n_played: int = 0
    n_won: int = 0
    pace_s: float = 1.0
    chunk: int = 1
    cpu_s: float = 0.0

    def next_chunk(self) -> tuple[int, ...]:
        """Take the next games off: as many as take about CHUNK_S, growing from one."""
        self.chunk = max(1, min(2 * self.chunk, int(CHUNK_S / self.pace_s)))
        numbers, self.left = self.left[: self.chunk], self.left[self.chunk :]
        return numbers


@dataclass(frozen=True)
class Outcome:
    """What a worker reports of some games of one entry."""

    entry: int
    n_played: int
    n_won: int
    pace_s: float
    cpu_s: float = 0.0


def play_left(
    run: Run,
    task: WorkerTask,
    jobs: int,
    progress: Callable[[EntryProgress], object],
    without: Collection[str] = (),
) -> None:
    """Play all games of the run that have no record yet, in an order that nobody can foresee without the key.

    Interrupted at any moment, it leaves every finished game on disk; playing again does the rest.

    Args:
        run: The run.
        task: What workers have to know of it.
        jobs: How many games are played at a time.
        progress: Called with the progress of entries that are done, of the first that is not, and of any that has
            come further. Where it returns STOP_ENTRY, the entry's other games are not played.
        without: Slugs of entries of which no game is played.
    """

    def report(queue: Queue) -> None:
        if progress(EntryProgress(queue.entry, queue.n_played, queue.n_won, run.info.n_games)) is STOP_ENTRY:
            queue.left = ()

    queues = [_queue(run, entry, seeds.order(task.key, run.info.n_games)) for entry in run.entries]
    for queue in queues:
        queue.left = () if queue.entry.slug in without else queue.left
    cap_s = inf if run.info.total_s is UNSET else run.info.total_s
    _LOGGER.info("%d games are left to play, %d at a time", sum(len(queue.left) for queue in queues), jobs)
    for queue in [queue for queue in queues if not queue.left] + [queue for queue in queues if queue.left][:1]:
        report(queue)
    with unordered(play_chunk, ((task, *chunk) for chunk in _chunks(queues, cap_s)), jobs) as outcomes:
        for outcome in outcomes:
            queue = queues[outcome.entry]
            queue.n_played += outcome.n_played
            queue.n_won += outcome.n_won
            queue.pace_s = outcome.pace_s
            queue.cpu_s += outcome.cpu_s
            report(queue)
    for entry in run.entries:
        run.settle(entry)


def play_run(run: Run, key: bytes, jobs: int = 1) -> None:
    """Play all games of the run that have no record yet, and repeat none of them; key: the key of all draws."""
    with workers(jobs) as parent:
        play_left(run, WorkerTask(run.folder, parent, key), jobs, lambda progress: None)


@contextmanager
def workers(jobs: int) -> Iterator[Path]:
    """Give a folder for the players of `jobs` workers; when it is left, workers and players have ended."""
    with TemporaryDirectory(prefix="wordpl-", ignore_cleanup_errors=True) as parent:
        try:
            yield Path(parent)
        finally:
            try:
                WORKER.close()
            finally:
                if jobs != 1:
                    dismiss_workers()
                wait_until_empty(Path(parent))
                cgroup.remove_abandoned()


@contextmanager
def unordered(work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], jobs: int) -> Iterator[Iterable[Any]]:
    """Give what `work` returns for each task, as it comes; tasks are asked for late, a few ahead of the workers."""
    from joblib import Parallel, delayed  # slow to import, and a command's help does not need it

    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)
    with closing(pool(delayed(work)(*task) for task in tasks)) as outcomes:
        yield outcomes


def dismiss_workers() -> None:
    """End the worker processes, and with them the players they have."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


def _queue(run: Run, entry: EntryInfo, order: list[int]) -> Queue:
    records = run.read(entry)
    done = {record.game for record in records}
    left = tuple(number for number in order if number not in done)
    n_won = sum(record.verdict == Verdict.WON for record in records)
    return Queue(entry, left, len(records), n_won, cpu_s=run.cpu_used_s(entry))


def _chunks(queues: list[Queue], cap_s: float) -> Iterator[tuple[int, tuple[int, ...], bool]]:
    """Yield (entry, games, whether they are played) until none are left.

    Asked for the next one late, it knows the pace so far, and whether the entry has used up `cap_s` of CPU time.
    """
    for index, queue in enumerate(queues):
        while queue.left:
            if queue.cpu_s >= cap_s:
                numbers, queue.left = queue.left, ()
                yield index, numbers, False
            else:
                yield index, queue.next_chunk(), True


@dataclass(frozen=True)
class EntryAtWork:
    """The entry that a worker plays at the moment, with the rules, its player and the files of its games."""

    index: int
    game: Game
    player: Player
    writer: RecordWriter

    def close(self) -> None:
        """End the player and close the files."""
        self.player.close()
        self.writer.close()


class RunWorker:
    """The referee in one worker: it knows the run's rules, and has the player of one entry at a time."""

    def __init__(self, task: WorkerTask):
        """Make a worker for the run in the task's folder."""
        self.task, self.run = task, Run(task.folder)
        self.config = self.run.info.config
        self._lists = lists_of(self.run.info)
        self._pool = pool_of(self.run, task.parent)
        self._at_work: EntryAtWork | None = None

    def play(self, index: int, number: int) -> tuple[Record, Duration]:
        """Play one game of the entry and write it down.

        It is written at once, unless entries are trusted: their games may be so short that only a chunk is worth it.
        """
        at_work = self._turn_to(index)
        if not self.config.is_trusted:
            at_work.writer.begin(number)
        if self.config.every_answer:
            at_work.player.close()  # a fresh process knows nothing of the answers played before
        record = play(at_work.game, at_work.player, number, self.task.key, self.config)
        duration = at_work.player.duration(number)
        at_work.writer.add(record, duration)
        if not self.config.is_trusted:
            at_work.writer.flush_records()
        return record, duration

    def pass_over(self, index: int, number: int) -> None:
        """Write down that a game is not played, because the entry has used up its time."""
        at_work = self._turn_to(index)
        secret = Deal.of(at_work.game, number, self.task.key, self.config).secret
        at_work.writer.add_unplayed(Record(number, secret, [], Verdict.UNPLAYED, USED_UP))

    def play_again(self, index: int, number: int, *, afresh: bool = False) -> Record:
        """Play one game and write nothing down; afresh: in a process that has played none that counts."""
        at_work = self._turn_to(index)
        if afresh:
            at_work.player.close()
        deal = Deal.of(at_work.game, number, self.task.key, self.config, is_again=True)
        return play_deal(at_work.game, at_work.player, deal, self.task.key, self.config)

    def starts_late(self, index: int) -> bool:
        """Return whether a fresh player of the entry needs more than its time to start and to warm up."""
        at_work = self._turn_to(index)
        at_work.player.close()
        try:
            is_fresh = at_work.player.prepare()
            failure = failure_in_warm_up(at_work.game, at_work.player, self.config.warmup_s) if is_fresh else None
        except PlayerError as error:
            failure = error
        return isinstance(failure, PlayerError) and failure.verdict == Verdict.LATE

    def flush(self) -> None:
        """Write down all games played so far."""
        if self._at_work is not None:
            self._at_work.writer.flush()

    def close(self) -> None:
        """End all players."""
        try:
            self._leave()
        finally:  # a full disk keeps no player alive
            self._pool.close()

    def _turn_to(self, index: int) -> EntryAtWork:
        if self._at_work is None or self._at_work.index != index:
            self._leave()
            entry = self.run.entries[index]
            _LOGGER.info("this worker turns to %s", entry.name)
            game = games.make_game(entry.game_id, self._lists)
            self._at_work = EntryAtWork(index, game, self._player(entry), RecordWriter(self.run, entry))
        return self._at_work

    def _player(self, entry: EntryInfo) -> Player:
        if entry.slug in self.task.strategies:
            return TrustedPlayer(entry, self._pool.folder, self.task.strategies[entry.slug])
        return self._pool.player(entry, self.config)

    def _leave(self) -> None:
        at_work, self._at_work = self._at_work, None
        if at_work is not None:
            at_work.close()


class WorkerSlot:
    """Holds the worker of this process: players outlive the chunks that they play, which are calls of a function."""

    def __init__(self) -> None:
        """Begin without a worker."""
        self._worker: RunWorker | None = None

    def worker(self, task: WorkerTask) -> RunWorker:
        """Return the worker for this task; it replaces that of another run."""
        parent = multiprocessing.parent_process()
        if parent is not None and parent.pid is not None and self._worker is None:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)  # they are for the process that hands out the chunks
            die_with_parent(parent.pid)  # or it would write on beside a harness that goes on
            log.start_in_worker()
        if self._worker is None or self._worker.task.folder != task.folder:
            self.close()
            self._worker = RunWorker(task)
        return self._worker

    def close(self) -> None:
        """End this process's players, if it has any."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


WORKER = WorkerSlot()
"""The worker of this process. joblib calls functions in processes that it reuses, so that a worker has to be global."""


def play_chunk(task: WorkerTask, entry: int, numbers: tuple[int, ...], is_played: bool = True) -> Outcome:
    """Play these games of the run's entry with this index, or pass them over; runs in a worker."""
    worker = WORKER.worker(task)
    started = time.perf_counter()
    n_won, cpu_s = 0, 0.0
    for number in numbers:
        if is_played:
            record, duration = worker.play(entry, number)
            n_won += record.verdict == Verdict.WON
            cpu_s += duration.wall_s if duration.cpu_s is None else duration.cpu_s
        else:
            worker.pass_over(entry, number)
    worker.flush()
    return Outcome(entry, len(numbers), n_won, max(time.perf_counter() - started, 1e-6) / len(numbers), cpu_s)
