"""Many games: plays what a run has left to play, on as many workers as wanted, and writes the records as they come."""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl import games
from wordpl.contest.match import play
from wordpl.core import seeds, words
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.record_writer import RecordWriter
from wordpl.core.records import WITHHELD, EntryInfo, Record, Run, RunInfo, Verdict
from wordpl.core.words import HOME, WordLists
from wordpl.players.base import Player
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox.parent_death_signal import die_with_parent

CHUNK_S = 0.3  # how long a worker plays before it reports: short enough for a lively progress bar


@dataclass
class Progress:
    """How far an entry has come, and how fast."""

    entry: EntryInfo
    left: tuple[int, ...]
    n_played: int = 0
    n_won: int = 0
    pace_s: float = 1.0
    chunk: int = 1

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


def lists_of(info: RunInfo) -> WordLists:
    """Return the word lists the run is played with. Raises UserError when a file has changed since it began."""
    lists = words.load(*(words.HOME / str(info.lists[name]["file"]) for name in ("answers", "guesses")))
    for name, sha256 in lists.sha256.items():
        if info.lists[name]["sha256"] != sha256:
            raise UserError(f"{info.lists[name]['file']} has changed since the run began; start a new run.")
    return lists


def play_run(run: Run, jobs: int, show: Callable[[Progress], None], key: bytes | None = None) -> None:
    """Play all games of the run that have no record yet, in an order that nobody can foresee without the key.

    key: of all draws, for an official run, whose folder does not tell it
    show: called with the progress of entries that are done, of the first that is not, and of any that has come further.
    Interrupted at any moment, it leaves every finished game on disk; playing again does the rest.
    """
    with workers(jobs) as parent:
        play_left(run, parent, jobs, show, key or seeds.run_key(run.info.seed))


def play_left(run: Run, parent: Path, jobs: int, show: Callable[[Progress], None], key: bytes) -> None:
    """Do what `play_run` does with workers that may then do more; parent: as `workers` gives it."""
    order = seeds.order(key, run.info.n_games)
    progress = [_progress(run, entry, order) for entry in run.info.entries]
    for entry in [entry for entry in progress if not entry.left] + [entry for entry in progress if entry.left][:1]:
        show(entry)
    tasks = ((run.folder, parent, *chunk, key) for chunk in _chunks(progress))
    with unordered(play_chunk, tasks, jobs) as outcomes:
        for outcome in outcomes:
            entry = progress[outcome.entry]
            entry.n_played += outcome.n_played
            entry.n_won += outcome.n_won
            entry.pace_s = outcome.pace_s
            show(entry)
    for entry in run.info.entries:
        run.settle(entry)


@contextmanager
def workers(jobs: int) -> Iterator[Path]:
    """Give a folder for the players of `jobs` workers; when it is left, workers and players have ended."""
    with TemporaryDirectory(prefix="wordpl-", ignore_cleanup_errors=True) as parent:
        try:
            yield Path(parent)
        finally:
            try:
                close_worker()
            finally:
                if jobs != 1:
                    dismiss_workers()
                wait_until_empty(Path(parent))


@contextmanager
def unordered(work: Callable, tasks: Iterable[tuple], jobs: int) -> Iterator[Iterable]:
    """Give what `work` returns for each task, as it comes; tasks are asked for late, a few ahead of the workers."""
    from joblib import Parallel, delayed  # slow to import, and a command's help does not need it

    pool = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch=2 * jobs)
    with closing(pool(delayed(work)(*task) for task in tasks)) as outcomes:
        yield outcomes


def _progress(run: Run, entry: EntryInfo, order: list[int]) -> Progress:
    records = run.read(entry)
    done = {record.game for record in records}
    left = tuple(number for number in order if number not in done)
    return Progress(entry, left, len(records), sum(record.verdict == Verdict.WON for record in records))


def _chunks(progress: list[Progress]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield (entry, games) until none are left. Asked for the next one late, it knows the pace so far."""
    for index, entry in enumerate(progress):
        while entry.left:
            yield index, entry.next_chunk()


def dismiss_workers() -> None:
    """End the worker processes, and with them the players they have."""
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True, kill_workers=True)


class RunWorker:
    """A referee's run_worker in one worker: it has the run's rules, and the player of one entry at a time."""

    def __init__(self, folder: Path, parent: Path, key: bytes | None):
        self.folder, self.run = folder, Run(folder)
        self._key = key or seeds.run_key(self.run.info.seed)
        self._lists = lists_of(self.run.info)
        self._pool = PlayerPool(self._lists, parent, [folder, folder.parent / WITHHELD], _folders_of(self.run.info))
        self._at: int | None = None
        self._player: Player | None = None
        self._writer: RecordWriter | None = None

    def take(self, index: int) -> None:
        """Turn to the entry with this index."""
        if self._at == index:
            return
        self._leave_entry()
        entry = self.run.info.entries[index]
        self._game = games.make_game(entry.game_id, self._lists)
        self._player, self._writer = self._pool.player(entry, self.run.info), RecordWriter(self.run, entry)
        self._at = index

    def play(self, number: int) -> Record:
        """Play one game and write it down: at once, unless it is so short that only a whole chunk is worth a write."""
        record = play(self._game, self._player, number, self._key, self.run.info)
        self._writer.add(record, self._player.duration(number))
        if self.run.info.player != PlayerKind.TRUSTED:
            self._writer.flush_records()
        return record

    def play_again(self, number: int, *, afresh: bool = False) -> Record:
        """Play one game and write nothing down; afresh: in a process that has played none that counts."""
        if afresh:
            self._player.close()
        return play(self._game, self._player, number, self._key, self.run.info)

    def flush(self) -> None:
        """Write down all games played so far."""
        if self._writer is not None:
            self._writer.flush()

    def _leave_entry(self) -> None:
        if self._player is not None:
            player, writer = self._player, self._writer
            self._player = self._writer = self._at = None
            player.close()
            writer.close()

    def close(self) -> None:
        """Let all players go."""
        try:
            self._leave_entry()
        finally:  # a full disk keeps no player alive
            self._pool.close()


def _folders_of(info: RunInfo) -> list[Path]:
    return [(HOME / entry.file).parent for entry in info.entries]


_worker: RunWorker | None = None  # a worker's own: players outlive the chunks they play


def play_chunk(folder: Path, parent: Path, entry: int, numbers: tuple[int, ...], key: bytes | None = None) -> Outcome:
    """Play these games of the run's entry with this index; runs in a worker.

    key: of all draws, where run.json does not tell the seed yet
    """
    run_worker = worker_for(folder, parent, entry, key)
    started = time.perf_counter()
    n_won = sum(run_worker.play(number).verdict == Verdict.WON for number in numbers)
    run_worker.flush()
    return Outcome(entry, len(numbers), n_won, max(time.perf_counter() - started, 1e-6) / len(numbers))


def worker_for(folder: Path, parent: Path, entry: int, key: bytes | None = None) -> RunWorker:
    """Return this worker's run_worker, turned to the run's entry with this index; key: as in `play_chunk`."""
    global _worker
    if multiprocessing.parent_process() is not None and _worker is None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that hands out the chunks
        die_with_parent(multiprocessing.parent_process().pid)  # or it would write on beside a harness that goes on
    if _worker is None or _worker.folder != folder:
        close_worker()
        _worker = RunWorker(folder, parent, key)
    _worker.take(entry)
    return _worker


def close_worker() -> None:
    """Let this process's players go, if it has any."""
    global _worker
    if _worker is not None:
        run_worker, _worker = _worker, None
        run_worker.close()
