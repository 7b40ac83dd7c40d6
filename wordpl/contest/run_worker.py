"""The referee in one worker process: it plays chunks of games and returns what happened; it writes no records."""

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any

from wordpl import games
from wordpl.contest.comparison import Comparison, compare
from wordpl.contest.hidden_files import pool_of
from wordpl.contest.match import Deal, failure_in_warm_up, play, play_deal
from wordpl.contest.run_folder import lists_of
from wordpl.core import journal, log
from wordpl.core.errors import WordplError
from wordpl.core.journal import Journal
from wordpl.core.record import decode
from wordpl.core.records import Duration, EntryInfo, Record, Run, RunInfo, Verdict, encode
from wordpl.games import Game
from wordpl.players.base import Player, PlayerError
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox.parent_death_signal import die_with_parent

_LOGGER = logging.getLogger(__name__)
MAX_CHUNK_S = 1.5
"""How long a worker plays at most before it gives back games of its chunk: an entry may become slow at any time."""
USED_UP = "not played: the entry had used up its time for all games"


class Work(Enum):
    """What a worker does with the games of a chunk."""

    PLAY = "play"
    PASS_OVER = "pass over"  # the entry has used up its time
    REPEAT = "repeat"  # played before; once more, in fresh processes


@dataclass(frozen=True)
class Chunk:
    """Games of one entry that a worker plays in one call.

    Attributes:
        entry: The index of the entry.
        numbers: The games.
        serial: Its number in the run, which names its journal.
        afresh: Each game begins in a fresh process, because it was begun before, where its worker was lost.
        first: To repeat games: the lines of their records in the run.
    """

    entry: int
    numbers: tuple[int, ...]
    work: Work = Work.PLAY
    serial: int = 0
    afresh: bool = False
    first: tuple[bytes, ...] = ()


@dataclass
class Outcome:
    """What a worker returns of a chunk.

    Attributes:
        entry: The index of the entry.
        serial: The chunk's.
        numbers: The games.
        left: Games that it gives back.
        records: For each game its record's line; of a game that was repeated, one or two.
        durations: How long games took.
        n_won: How many were won.
        pace_s: Seconds a game.
        cpu_s: What counts against the entry's time for all games.
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


@dataclass(frozen=True)
class WorkerTask:
    """What a worker on the host's machine has to know of the run that it plays.

    Attributes:
        folder: The run's folder.
        parent: The folder for the players' working directories.
        key: The key of all draws.
        strategies: Strategies that were given as objects, by the slug of their entries; they play in this process.
    """

    folder: Path
    parent: Path
    key: bytes
    strategies: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class EntryAtWork:
    """The entry that a worker plays at the moment, with the rules and its player."""

    index: int
    info: EntryInfo
    game: Game
    player: Player


class RunWorker:
    """The referee in one worker: it knows the run's rules, and has the player of one entry at a time."""

    def __init__(self, info: RunInfo, key: bytes, pool: PlayerPool, strategies: Mapping[str, Any] | None = None):
        """Make a worker for the run that is described.

        Args:
            info: What is played.
            key: The key of all draws.
            pool: Makes the players, and is closed with the worker.
            strategies: See `WorkerTask`.
        """
        self.info, self.config, self._key = info, info.config, key
        self._strategies = strategies or {}
        self._lists = lists_of(info)
        self._pool = pool
        self._at_work: EntryAtWork | None = None

    def play(self, index: int, number: int, *, afresh: bool = False) -> tuple[Record, Duration]:
        """Play one game of the entry; afresh: in a process that has played none that counts."""
        at_work = self._turn_to(index)
        if self.config.every_answer or afresh:
            at_work.player.close()  # a fresh process knows nothing of the answers played before
        record = play(at_work.game, at_work.player, number, self._key, self.config)
        return record, at_work.player.duration(number)

    def pass_over(self, index: int, number: int) -> Record:
        """Return the record of a game that is not played, because the entry has used up its time."""
        secret = Deal.of(self._turn_to(index).game, number, self._key, self.config).secret
        return Record(number, secret, [], Verdict.UNPLAYED, USED_UP)

    def play_again(self, index: int, number: int, *, afresh: bool = False) -> Record:
        """Play one game that does not count; afresh: in a process that has played none that counts."""
        at_work = self._turn_to(index)
        if afresh:
            at_work.player.close()
        deal = Deal.of(at_work.game, number, self._key, self.config, is_again=True)
        return play_deal(at_work.game, at_work.player, deal, self._key, self.config)

    def starts_late(self, index: int) -> bool:
        """Return whether a fresh player of the entry needs more than its time to start and to warm up."""
        at_work = self._turn_to(index)
        at_work.player.close()
        failure: WordplError | None = None
        try:
            if at_work.player.prepare():
                failure = failure_in_warm_up(at_work.game, at_work.player, self.config.warmup_s)
        except PlayerError as error:
            failure = error
        return isinstance(failure, PlayerError) and failure.verdict == Verdict.LATE

    def entry(self, index: int) -> EntryInfo:
        """Return the entry with this index."""
        return self.info.entries[index]

    def close(self) -> None:
        """End all players."""
        try:
            self._leave()
        finally:  # a full disk keeps no player alive
            self._pool.close()

    def _turn_to(self, index: int) -> EntryAtWork:
        if self._at_work is None or self._at_work.index != index:
            self._leave()
            entry = self.entry(index)
            _LOGGER.info("this worker turns to %s", entry.name)
            game = games.make_game(entry.game_id, self._lists)
            self._at_work = EntryAtWork(index, entry, game, self._player(entry))
        return self._at_work

    def _player(self, entry: EntryInfo) -> Player:
        if entry.slug in self._strategies:
            return TrustedPlayer(entry, self._pool.folder, self._strategies[entry.slug])
        return self._pool.player(entry, self.config)

    def _leave(self) -> None:
        at_work, self._at_work = self._at_work, None
        if at_work is not None:
            at_work.player.close()


def prepare_process() -> None:
    """Prepare this process for its first game, where it is a worker of another one: it ends with that one, and logs."""
    parent = multiprocessing.parent_process()
    if parent is None or parent.pid is None:
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are for the process that hands out the games
    die_with_parent(parent.pid)  # or it would play on when nobody hears of it
    log.start_in_worker()


class WorkerSlot:
    """Holds the worker of this process: players outlive the chunks that they play, which are calls of a function."""

    def __init__(self) -> None:
        """Begin without a worker."""
        self._worker: RunWorker | None = None
        self.run: Run | None = None

    def worker(self, task: WorkerTask) -> RunWorker:
        """Return the worker for this task; it replaces that of another run."""
        if self._worker is None:
            prepare_process()
        if self._worker is None or self.run is None or self.run.folder != task.folder:
            self.close()
            self.run = Run(task.folder)
            pool = pool_of(self.run, task.parent)
            self._worker = RunWorker(self.run.info, task.key, pool, task.strategies)
        return self._worker

    def close(self) -> None:
        """End this process's players, if it has any."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


WORKER = WorkerSlot()
"""The worker of this process. joblib calls functions in processes that it reuses, so that a worker has to be global."""


def do_chunk(task: WorkerTask, chunk: Chunk) -> Outcome:
    """Do the chunk's work in this process, the journal of its games on the host's disk."""
    worker = WORKER.worker(task)
    if chunk.work != Work.PLAY or worker.config.is_trusted or WORKER.run is None:
        return work_on(worker, chunk)
    path = journal.path_of(WORKER.run, worker.entry(chunk.entry), chunk.serial)
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = Journal(path, chunk.numbers[0])
    try:
        return work_on(worker, chunk, kept.add)
    finally:
        kept.close()


def work_on(
    worker: RunWorker, chunk: Chunk, note: Callable[[bytes, int | None], object] = lambda line, following: None
) -> Outcome:
    """Do what the chunk asks for; note: called after each game with its record's line and the next game's number."""
    outcome = Outcome(chunk.entry, chunk.serial, chunk.numbers)
    started = time.perf_counter()
    if chunk.work == Work.REPEAT:
        outcome.records = list(chain.from_iterable(_repeat(worker, chunk.entry, line) for line in chunk.first))
        return outcome
    if chunk.work == Work.PASS_OVER:
        outcome.records = [encode(worker.pass_over(chunk.entry, number)) for number in chunk.numbers]
    else:
        _play(worker, chunk, outcome, note)
    outcome.pace_s = max(time.perf_counter() - started, 1e-6) / len(outcome.records)
    return outcome


def _play(worker: RunWorker, chunk: Chunk, outcome: Outcome, note: Callable[[bytes, int | None], object]) -> None:
    """Play the chunk's games, as many as there is time for, and add what came of them to the outcome."""
    until = time.perf_counter() + MAX_CHUNK_S
    for at, number in enumerate(chunk.numbers, 1):
        record, duration = worker.play(chunk.entry, number, afresh=chunk.afresh)
        is_last = at == len(chunk.numbers) or time.perf_counter() > until
        line = encode(record)
        note(line, None if is_last else chunk.numbers[at])
        outcome.records.append(line)
        outcome.durations.append(duration)
        outcome.n_won += record.verdict == Verdict.WON
        outcome.cpu_s += duration.charged_s
        if is_last:
            outcome.numbers, outcome.left = chunk.numbers[:at], chunk.numbers[at:]
            return


def _repeat(worker: RunWorker, index: int, line: bytes) -> list[bytes]:
    """Return the records of a game that is played again: two if the first went otherwise, or could not be compared."""
    first = decode(line, worker.entry(index).measure.kind)
    if first.verdict == Verdict.UNPLAYED:
        return [line]
    records = [worker.play_again(index, first.game, afresh=True)]
    if compare(first, records[0]) != Comparison.SAME:
        records.append(worker.play_again(index, first.game, afresh=True))
    return [encode(record) for record in records]
