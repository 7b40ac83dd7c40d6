"""Chunks of games, the units of work of workers, and their results."""

from dataclasses import dataclass, field
from enum import Enum

from wordpl.run.records import Duration


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
    """

    entry: int
    numbers: tuple[int, ...]
    work: Work = Work.PLAY
    serial: int = 0
    in_new_process: bool = False
    first: tuple[bytes, ...] = ()


@dataclass
class Outcome:
    """The results of a chunk.

    Attributes:
        entry: The index of the entry.
        serial: The number of the chunk.
        numbers: The numbers of the finished games.
        left: The numbers of unplayed games, which the worker returns.
        records: The lines of the games' records: one per game, or one or two per repeated game.
        durations: The durations of the games.
        n_won: The number of won games.
        pace_s: The mean wall time per game in seconds.
        cpu_s: The time in seconds that counts towards the entry's limit for all games.
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
