"""Which games are left to play, and how many of them a worker gets at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from wordpl.core.records import EntryInfo, Run, Verdict

CHUNK_S = 0.3  # how long a worker plays before it reports: short enough for a lively progress bar


@dataclass
class Queue:
    """The games that an entry has left to play, and how fast it plays.

    Games are taken off in other threads than that which notes outcomes, so games that workers give back wait in
    `given_back` until all workers have reported.
    """

    entry: EntryInfo
    left: tuple[int, ...]
    n_played: int = 0
    n_won: int = 0
    pace_s: float = 1.0
    chunk: int = 1
    cpu_s: float = 0.0
    given_back: list[int] = field(default_factory=list)

    def next_chunk(self) -> tuple[int, ...]:
        """Take the next games off: as many as take about CHUNK_S, growing from one."""
        self.chunk = max(1, min(2 * self.chunk, int(CHUNK_S / self.pace_s)))
        numbers, self.left = self.left[: self.chunk], self.left[self.chunk :]
        return numbers

    def add(self, outcome: "Outcome") -> None:
        """Note what a worker reports."""
        self.n_played += outcome.n_played
        self.n_won += outcome.n_won
        self.pace_s = outcome.pace_s
        self.cpu_s += outcome.cpu_s
        self.given_back += outcome.left

    def take_back(self) -> bool:
        """Have the games that were given back played next; return whether any are left."""
        self.left, self.given_back = (*self.given_back, *self.left), []
        return bool(self.left)


@dataclass(frozen=True)
class Outcome:
    """What a worker reports of some games of one entry; left: those that it gives back."""

    entry: int
    n_played: int
    n_won: int
    pace_s: float
    cpu_s: float = 0.0
    left: tuple[int, ...] = ()


def queue_of(run: Run, entry: EntryInfo, order: list[int]) -> Queue:
    """Return the games that the entry has left to play, in this order of all games."""
    records = run.read(entry)
    done = {record.game for record in records}
    left = tuple(number for number in order if number not in done)
    n_won = sum(record.verdict == Verdict.WON for record in records)
    return Queue(entry, left, len(records), n_won, cpu_s=run.cpu_used_s(entry))


def chunks(queues: list[Queue], cap_s: float) -> Iterator[tuple[int, tuple[int, ...], bool]]:
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
