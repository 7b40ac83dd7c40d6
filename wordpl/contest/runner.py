"""Many games: hands out what a run has left to play, and writes the records as they come."""

import logging
from array import array
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import count
from math import inf

from msgspec import UNSET

from wordpl.contest import workforce
from wordpl.contest.observer import EntryProgress
from wordpl.contest.run_worker import Chunk, Outcome, Work
from wordpl.contest.workforce import Workforce
from wordpl.core import journal, seeds, settled
from wordpl.core.record_writer import RecordWriter
from wordpl.core.records import EntryInfo, Run

_LOGGER = logging.getLogger(__name__)
S_A_WORKER = 0.01
"""The least length of a chunk for each worker: one costs a scheduler of dask some 5 ms, see docs/cluster.md."""
MAX_PASSED_OVER = 10_000
STOP_ENTRY = object()
"""What `progress` returns to `play_left` where no more games of the entry are to be played."""
CHUNK_S = 0.3  # how long a worker plays before it reports: short enough for a lively progress bar


@dataclass
class Queue:
    """The games that an entry has left to play, and how fast it plays.

    Attributes:
        entry: The entry.
        is_done: For each game, 1 if its record is written.
        left: The games that were not handed out yet, the next one last. They are taken off in other threads than that
            which takes outcomes, so games that workers give back wait in `given_back` until all have reported.
    """

    entry: EntryInfo
    is_done: bytearray
    left: "array[int]"
    n_played: int = 0
    n_won: int = 0
    pace_s: float = 1.0
    chunk: int = 1
    cpu_s: float = 0.0
    given_back: list[int] = field(default_factory=list)

    def take_back(self) -> bool:
        """Have the games that were given back played next; return whether any are left."""
        again = [number for number in dict.fromkeys(self.given_back) if not self.is_done[number]]
        self.left.extend(reversed(again))
        self.given_back.clear()
        return bool(self.left)

    def next_chunk(self, chunk_s: float) -> tuple[int, ...]:
        """Take the next games off: as many as take about `chunk_s`, growing from one."""
        self.chunk = max(1, min(2 * self.chunk, int(chunk_s / self.pace_s)))
        return self._take(self.chunk)

    def rest(self) -> tuple[int, ...]:
        """Take off as many games as are passed over at a time."""
        return self._take(MAX_PASSED_OVER)

    def _take(self, n: int) -> tuple[int, ...]:
        numbers = self.left[-n:]
        del self.left[-n:]
        return tuple(reversed(numbers))


@dataclass
class Host:
    """The only process that writes a run's records.

    Attributes:
        run: The run.
        queues: By entry.
    """

    run: Run
    queues: list[Queue]
    _writers: dict[int, RecordWriter] = field(default_factory=dict)

    def take(self, outcome: Outcome) -> Queue:
        """Write what a worker returned, but for games that have a record already; return the entry's queue."""
        queue = self.queues[outcome.entry]
        if outcome.entry not in self._writers:
            self._writers[outcome.entry] = RecordWriter(self.run, queue.entry)
        lines = dict(zip(outcome.numbers, outcome.records, strict=True))
        new = [line for number, line in lines.items() if not queue.is_done[number]]
        self._writers[outcome.entry].add(new, outcome.durations)
        journal.remove(self.run, queue.entry, outcome.serial)
        for number in lines:
            queue.is_done[number] = 1
        queue.n_played += len(new)
        queue.n_won += outcome.n_won
        queue.pace_s = outcome.pace_s
        queue.cpu_s += outcome.cpu_s
        queue.given_back += outcome.left
        if queue.n_played == self.run.info.n_games:
            self._settle(outcome.entry)
        return queue

    def _settle(self, index: int) -> None:
        if index in self._writers:
            self._writers.pop(index).close()
        settled.settle(self.run, self.queues[index].entry)

    def close(self) -> None:
        """Close all files."""
        while self._writers:
            self._writers.popitem()[1].close()


def play_left(
    run: Run, workers: Workforce, progress: Callable[[EntryProgress], object], without: Collection[str] = ()
) -> None:
    """Play all games of the run that have no record yet, in an order that nobody can foresee without the key.

    Interrupted at any moment, it leaves every finished game on disk; playing again does the rest.

    Args:
        run: The run.
        workers: Who plays.
        progress: Called with the progress of entries that are done, of the first that is not, and of any that has
            come further. Where it returns STOP_ENTRY, the entry's other games are not played.
        without: Slugs of entries of which no game is played.
    """

    def report(queue: Queue) -> None:
        if progress(EntryProgress(queue.entry, queue.n_played, queue.n_won, run.info.n_games)) is STOP_ENTRY:
            del queue.left[:], queue.given_back[:]

    order = array("q", reversed(seeds.order(workers.key, run.info.n_games)))
    host = Host(run, [_queue(run, entry, order) for entry in run.entries])
    cap_s = inf if run.info.total_s is UNSET else run.info.total_s
    n_left = sum(len(queue.left) for queue in host.queues)
    _LOGGER.info("%d games are left to play, %d at a time", n_left, workers.n_workers)
    done = [queue for queue in host.queues if not queue.left]
    for queue in host.queues:
        if queue.entry.slug in without:
            del queue.left[:]
    for queue in done + [queue for queue in host.queues if queue.left][:1]:
        report(queue)
    for queue in done:
        settled.settle(run, queue.entry)
    serials = count(journal.next_serial(run))
    try:
        while any(queue.take_back() for queue in host.queues):
            with workers.outcomes(_chunks(host.queues, cap_s, serials, workers)) as outcomes:
                for outcome in outcomes:
                    report(host.take(outcome))
    finally:
        host.close()


def play_run(run: Run, key: bytes, jobs: int = 1) -> None:
    """Play all games of the run that have no record yet, and repeat none of them; key: the key of all draws."""
    with workforce.local(run, key, jobs) as workers:
        play_left(run, workers, lambda progress: None)


def _queue(run: Run, entry: EntryInfo, order: "array[int]") -> Queue:
    found = settled.played(run, entry)
    left = order[:] if not found.n_games else array("q", (number for number in order if not found.is_done[number]))
    return Queue(entry, found.is_done, left, found.n_games, found.n_won, cpu_s=run.cpu_used_s(entry))


def _chunks(queues: list[Queue], cap_s: float, serials: Iterator[int], workers: Workforce) -> Iterator[Chunk]:
    """Yield chunks with these numbers until no game is left.

    Asked for the next one late, it knows the pace so far, and whether the entry has used up `cap_s` of CPU time.
    """
    for index, queue in enumerate(queues):
        while queue.left:
            if queue.cpu_s >= cap_s:
                yield Chunk(index, queue.rest(), Work.PASS_OVER, next(serials))
            else:
                chunk_s = max(CHUNK_S, S_A_WORKER * workers.n_workers)
                yield Chunk(index, queue.next_chunk(chunk_s), Work.PLAY, next(serials))
