"""Playing the games of a run: distributes the remaining games to workers, and writes their records."""

import logging
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import inf

from wordpl.contest import hosted, run_worker
from wordpl.contest.run_worker import Chunk, Outcome, Work, Workforce
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.players.discovery import Fault
from wordpl.run.entry import RecordWriter
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import encode


@dataclass(frozen=True)
class EntryProgress:
    """The number of games that an entry has played and won, out of all its games."""

    entry: EntryInfo
    n_played: int
    n_won: int
    n_games: int


class Observer:
    """Receives the events of a contest. All methods do nothing: override those that you need."""

    def no_entry(self, fault: Fault) -> None:
        """A file could not be loaded."""

    def committed(self, run: Run) -> None:
        """An official run was created; its commitment must be published before the first game."""

    def started(self, run: Run) -> None:
        """Play is about to start; a resumed run already has some of its games."""

    def progress(self, progress: EntryProgress) -> None:
        """An entry has played some games."""

    def repeated(self, n_done: int, n_games: int) -> None:
        """`n_done` of `n_games` games have been repeated in new processes."""

    def reversed(self, n_done: int, n_games: int) -> None:
        """`wordpl check` has repeated `n_done` of `n_games` games in reverse order."""

    def stopped(self, run: Run, n_played: int) -> None:
        """The run was interrupted by an error or Ctrl-C before all games were played."""

    def finished(self, run: Run) -> None:
        """All games of the run have been played."""


_LOGGER = logging.getLogger(__name__)
MAX_SKIPPED_GAMES = 10_000
STOP_ENTRY = object()
"""Returned by the `progress` callback of `play_remaining` to stop playing an entry."""
CHUNK_S = 0.3
"""The target duration of a chunk, short enough for a smooth progress bar."""


@dataclass
class EntryQueue:
    """The remaining games of an entry, and its progress and pace.

    Attributes:
        entry: The entry.
        is_done: For each game, 1 if its record has been written.
        order: All games in the order of play, which entries with the same games share.
        n_given: The number of games of `order` that have been distributed or had records. Another thread than the one
            that receives outcomes counts, so that returned games wait in `given_back` until all workers have reported.
        returned: Games that were returned and have not been distributed again, the next one last.
        n_played: The number of games with records.
        n_won: The number of won games.
        pace_s: The wall time per game in seconds, in the latest chunk.
        chunk: The number of games in the latest chunk.
        cpu_s: The time in seconds that counts towards the entry's limit for all games.
        given_back: The unplayed games that workers have returned.
    """

    entry: EntryInfo
    is_done: bytearray
    order: Sequence[int]
    n_given: int = 0
    returned: list[int] = field(default_factory=list)
    n_played: int = 0
    n_won: int = 0
    pace_s: float = 1.0
    chunk: int = 1
    cpu_s: float = 0.0
    given_back: list[int] = field(default_factory=list)

    def requeue(self) -> bool:
        """Put returned games at the front of the queue; return whether any games are left."""
        self.returned += reversed([number for number in dict.fromkeys(self.given_back) if not self.is_done[number]])
        self.given_back.clear()
        return self.has_games

    @property
    def has_games(self) -> bool:
        """Whether games are left to be distributed."""
        while self.n_given < len(self.order) and self.is_done[self.order[self.n_given]]:
            self.n_given += 1
        return bool(self.returned) or self.n_given < len(self.order)

    def stop(self) -> None:
        """Distribute no more games."""
        self.order = ()
        self.returned.clear()
        self.given_back.clear()

    def next_chunk(self, chunk_s: float) -> tuple[int, ...]:
        """Remove and return the next games, as many as take about `chunk_s`; chunks grow from one game by doubling."""
        self.chunk = max(1, min(2 * self.chunk, int(chunk_s / self.pace_s)))
        return self.take(self.chunk)

    def take_one(self, default: int) -> int:
        """Remove and return the next game; `default` if there is none."""
        return next(iter(self.take(1)), default)

    def take(self, n: int) -> tuple[int, ...]:
        """Remove and return the next games, at most so many."""
        numbers: list[int] = []
        while len(numbers) < n and self.has_games:
            if self.returned:
                numbers.append(self.returned.pop())
            else:
                numbers.append(self.order[self.n_given])
                self.n_given += 1
        return tuple(numbers)


@dataclass
class TakenGames:
    """What the run has of an entry, so that nobody needs to read its records again.

    Attributes:
        is_done: For each game, 1 if it has a record.
        n_played, n_won: The number of these, and of those won.
        cpu_s: The time that counts towards the entry's limit for all games.
        last: The last game in the file of records if these are sorted; otherwise one that no game follows.
    """

    is_done: bytearray
    n_played: int
    n_won: int
    cpu_s: float
    last: int

    def note(self, games: Sequence[int]) -> None:
        """Note that these games, in ascending order, have been appended to the file."""
        if isinstance(games, range):
            self.is_done[games.start : games.stop] = b"\1" * len(games)
        for game in () if isinstance(games, range) else games:
            self.is_done[game] = 1
        if games:
            self.last = games[-1] if games[0] > self.last else len(self.is_done)
        self.n_played += len(games)

    @property
    def is_sorted(self) -> bool:
        """Whether the records are sorted by game."""
        return self.last < len(self.is_done)


@dataclass
class Host:
    """Writes the records of a run; only the host process does.

    Attributes:
        run: The run.
        queues: The queue of each entry.
    """

    run: Run
    queues: list[EntryQueue]
    _writers: dict[int, RecordWriter] = field(default_factory=dict)

    def write(self, outcome: Outcome) -> EntryQueue:
        """Write the results of a chunk, except for games that already have a record; return the entry's queue."""
        queue = self.queues[outcome.entry]
        if outcome.entry not in self._writers:
            self._writers[outcome.entry] = RecordWriter(self.run.entry(queue.entry))
        lines = dict(zip(outcome.numbers, outcome.records, strict=True))
        new = [line for number, line in lines.items() if not queue.is_done[number]]
        if outcome.void:
            self.run.list_restarted(self.run.entry(queue.entry), outcome.void)
        self._writers[outcome.entry].add(new, outcome.durations)
        self.run.entry(queue.entry).remove_journal(outcome.serial)
        for number in lines:
            queue.is_done[number] = 1
        queue.n_played += len(new)
        queue.n_won += outcome.n_won
        queue.pace_s = outcome.pace_s
        queue.cpu_s += outcome.cpu_s
        queue.given_back += outcome.left
        if queue.n_played == len(self.run.info.numbers(queue.entry)):
            if writer := self._writers.pop(outcome.entry, None):
                writer.close()
            self.run.entry(queue.entry).sort_records()
        return queue

    def close(self) -> None:
        """Close all files."""
        while self._writers:
            self._writers.popitem()[1].close()


def play_remaining(
    run: Run,
    workers: Workforce,
    progress: Callable[[EntryProgress], object],
    without: Collection[str] = (),
    taken: Mapping[str, TakenGames] | None = None,
) -> None:
    """Play all games of the run that have no record yet, in an order that is unpredictable without the key.

    It can be interrupted at any time: all finished games are on disk, and the next call plays the rest.

    Args:
        workers: The workers that play the games.
        progress: Called first for the finished entries and the first unfinished one, then after each chunk. If it
            returns STOP_ENTRY, the remaining games of the entry are not played.
        without: The slugs of entries to skip.
        taken: What a join has just taken of entries, by slug.
    """
    taken = taken or {}

    def report(queue: EntryQueue) -> None:
        n_games = len(run.info.numbers(queue.entry))
        if progress(EntryProgress(queue.entry, queue.n_played, queue.n_won, n_games)) is STOP_ENTRY:
            queue.stop()

    every = set(map(run.info.numbers, run.info.entries))
    orders = {numbers: array("I", workers.draws.order(numbers)) for numbers in every}  # 4 bytes a game
    host = Host(run, [])
    for entry in run.info.entries:
        order = orders[run.info.numbers(entry)]
        if known := taken.get(entry.slug):
            queue = EntryQueue(
                entry, known.is_done, order, n_played=known.n_played, n_won=known.n_won, cpu_s=known.cpu_s
            )
        else:
            played, used_s = run.entry(entry).played(), run.entry(entry).cpu_used_s()
            queue = EntryQueue(
                entry, played.is_done, order, n_played=sum(played.is_done), n_won=played.n_won, cpu_s=used_s
            )
        host.queues.append(queue)
    cap_s = inf if run.info.config.total_s is None else run.info.config.total_s
    n_left = sum(len(queue.order) - queue.n_played for queue in host.queues)
    _LOGGER.info("%d games are left to play, %d at a time", n_left, workers.n_workers)
    finished_queues = [queue for queue in host.queues if queue.n_played == len(queue.order)]
    for queue in host.queues:
        if queue.entry.slug in without:
            queue.stop()
    for queue in finished_queues + [queue for queue in host.queues if queue.has_games][:1]:
        report(queue)
    for queue in finished_queues:
        if not (queue.entry.slug in taken and taken[queue.entry.slug].is_sorted):
            run.entry(queue.entry).sort_records()
    serials, places = count(run.next_serial()), {entry.slug: place for place, entry in enumerate(run.info.entries)}

    def write_hosted(*, wait: bool) -> None:
        for entry, record, duration in games.ended(wait=wait):
            won = int(record.verdict == Verdict.WON)
            outcome = Outcome(places[entry.slug], 0, (record.game,), (), [encode(record)], [duration], won)
            report(host.write(outcome))

    try:
        with hosted.playing(run, workers.draws, [queue.entry for queue in host.queues if queue.has_games]) as games:
            for queue in host.queues:
                if queue.entry.is_hosted and queue.has_games:
                    games.begin(queue.entry, iter(partial(queue.take_one, -1), -1))
            while any(queue.requeue() for queue in host.queues if not queue.entry.is_hosted):
                with workers.outcomes(_chunks(host.queues, cap_s, serials)) as outcomes:
                    for outcome in outcomes:
                        report(host.write(outcome))
                        write_hosted(wait=False)
            write_hosted(wait=True)
    finally:
        host.close()


def play_run(run: Run, draws: Draws, jobs: int = 1) -> None:
    """Play all games of the run that have no record yet, on this machine and without repetitions.

    Args:
        draws: The draws of the run.
        jobs: The number of games to play at a time.
    """
    with run_worker.local(run, draws, jobs) as workers:
        play_remaining(run, workers, lambda progress: None)


def _chunks(queues: list[EntryQueue], cap_s: float, serials: Iterator[int]) -> Iterator[Chunk]:
    """Yield chunks with these serial numbers until no game is left.

    It is a lazy generator, so that each chunk takes the current pace into account, and whether the entry has used up
    `cap_s` seconds of CPU time.
    """
    for index, queue in enumerate(queues):
        while queue.has_games and not queue.entry.is_hosted:
            if queue.cpu_s >= cap_s:
                yield Chunk(index, queue.take(MAX_SKIPPED_GAMES), Work.SKIP, next(serials))
            else:
                yield Chunk(index, queue.next_chunk(CHUNK_S), Work.PLAY, next(serials))
