"""The referee in a worker process, which plays chunks of games and returns their records."""

import logging
import multiprocessing
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from wordpl import games
from wordpl.contest.chunks import Chunk, Outcome, Work
from wordpl.contest.hidden_files import player_pool
from wordpl.contest.match import GameComparison, GameSetup, compare, failure_in_warm_up, play, play_game
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
from wordpl.players.sandbox.descendants import die_with_parent

_LOGGER = logging.getLogger(__name__)
MAX_CHUNK_S = 1.5
"""The time after which a worker returns the unplayed games of its chunk, as an entry may become slow at any time."""
UNPLAYED_MESSAGE = "not played: the entry had used up its time for all games"


@dataclass(frozen=True)
class WorkerTask:
    """The task of a worker on the host's machine.

    Attributes:
        folder: The run's folder.
        parent: The folder for the players' working directories.
        key: The key of all draws.
        strategies: Strategies that were passed as objects, by the slugs of their entries; they play in this process.
    """

    folder: Path
    parent: Path
    key: bytes
    strategies: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ActiveEntry:
    """The entry that a worker is currently playing, with the rules and its player."""

    index: int
    info: EntryInfo
    game: Game
    player: Player


class RunWorker:
    """The referee of a run in one worker; it keeps a player for one entry at a time."""

    def __init__(self, info: RunInfo, key: bytes, pool: PlayerPool, strategies: Mapping[str, Any] | None = None):
        """Create a worker for a run.

        Args:
            key: The key of all draws.
            pool: Creates the players; it is closed with the worker.
            strategies: See `WorkerTask`.
        """
        self.info, self.config, self._key = info, info.config, key
        self._strategies = strategies or {}
        self._lists = lists_of(info)
        self._pool = pool
        self._active: ActiveEntry | None = None

    def play(self, index: int, number: int, *, in_new_process: bool = False) -> tuple[Record, Duration]:
        """Play one game of an entry.

        Args:
            index: The index of the entry.
            number: The number of the game.
            in_new_process: Whether to start a new process, which has played no game that counts.
        """
        active = self._activate(index)
        if self.config.every_answer or in_new_process:
            active.player.close()  # a new process knows nothing about earlier answers
        record = play(active.game, active.player, number, self._key, self.config)
        return record, active.player.duration(number)

    def skip(self, index: int, number: int) -> Record:
        """Return the record of a game that is not played because the entry has used up its time."""
        secret = GameSetup.of(self._activate(index).game, number, self._key, self.config).secret
        return Record(number, secret, [], Verdict.UNPLAYED, UNPLAYED_MESSAGE)

    def play_again(self, index: int, number: int, *, in_new_process: bool = False) -> Record:
        """Repeat one game of an entry; arguments as for `play`."""
        active = self._activate(index)
        if in_new_process:
            active.player.close()
        setup = GameSetup.of(active.game, number, self._key, self.config, is_repeat=True)
        return play_game(active.game, active.player, setup, self._key, self.config)

    def starts_late(self, index: int) -> bool:
        """Return whether a new player of the entry exceeds the time limit for starting and warming up."""
        active = self._activate(index)
        active.player.close()
        failure: WordplError | None = None
        try:
            if active.player.prepare():
                failure = failure_in_warm_up(active.game, active.player, self.config.warmup_s)
        except PlayerError as error:
            failure = error
        return isinstance(failure, PlayerError) and failure.verdict == Verdict.LATE

    def entry(self, index: int) -> EntryInfo:
        """Return the entry with this index."""
        return self.info.entries[index]

    def close(self) -> None:
        """Stop all players."""
        try:
            self._deactivate()
        finally:  # stop players even if, for example, the disk is full
            self._pool.close()

    def _activate(self, index: int) -> ActiveEntry:
        if self._active is None or self._active.index != index:
            self._deactivate()
            entry = self.entry(index)
            _LOGGER.info("this worker now plays %s", entry.name)
            game = games.make_game(entry.game_id, self._lists)
            self._active = ActiveEntry(index, entry, game, self._player(entry))
        return self._active

    def _player(self, entry: EntryInfo) -> Player:
        if entry.slug in self._strategies:
            return TrustedPlayer(entry, self._pool.folder, self._strategies[entry.slug])
        return self._pool.player(entry, self.config)

    def _deactivate(self) -> None:
        active, self._active = self._active, None
        if active is not None:
            active.player.close()


def prepare_process() -> None:
    """Set up this process if it is a worker: ignore Ctrl-C, end with the parent process, and start logging."""
    parent = multiprocessing.parent_process()
    if parent is None or parent.pid is None:
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent process handles them
    die_with_parent(parent.pid)  # without its parent, nobody would receive the results
    log.start_in_worker()


class WorkerSlot:
    """Keeps the worker of this process between chunks, so that players are reused."""

    def __init__(self) -> None:
        """Create an empty slot."""
        self._worker: RunWorker | None = None
        self.run: Run | None = None

    def worker(self, task: WorkerTask) -> RunWorker:
        """Return the worker for this task; a worker for another run is closed."""
        if self._worker is None:
            prepare_process()
        if self._worker is None or self.run is None or self.run.folder != task.folder:
            self.close()
            self.run = Run(task.folder)
            pool = player_pool(self.run, task.parent)
            self._worker = RunWorker(self.run.info, task.key, pool, task.strategies)
        return self._worker

    def close(self) -> None:
        """Close the worker and stop its players, if there is one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


WORKER = WorkerSlot()
"""The worker of this process. It is global because joblib calls functions in processes that it reuses."""


def run_chunk_with_journal(task: WorkerTask, chunk: Chunk) -> Outcome:
    """Process a chunk in this process, and keep a journal of games that count on the host's disk."""
    worker = WORKER.worker(task)
    if chunk.work != Work.PLAY or worker.config.is_trusted or WORKER.run is None:
        return run_chunk(worker, chunk)
    path = journal.path_of(WORKER.run, worker.entry(chunk.entry), chunk.serial)
    path.parent.mkdir(parents=True, exist_ok=True)
    chunk_journal = Journal(path, chunk.numbers[0])
    try:
        return run_chunk(worker, chunk, chunk_journal.add)
    finally:
        chunk_journal.close()


def run_chunk(
    worker: RunWorker, chunk: Chunk, note: Callable[[bytes, int | None], object] = lambda line, following: None
) -> Outcome:
    """Process a chunk, and return the results.

    Args:
        note: Called after each game with the line of its record and the number of the next game, or None.
    """
    outcome = Outcome(chunk.entry, chunk.serial, chunk.numbers)
    started = time.perf_counter()
    if chunk.work == Work.REPEAT:
        outcome.records = list(chain.from_iterable(_repeat(worker, chunk.entry, line) for line in chunk.first))
        return outcome
    if chunk.work == Work.SKIP:
        outcome.records = [encode(worker.skip(chunk.entry, number)) for number in chunk.numbers]
    else:
        _play(worker, chunk, outcome, note)
    outcome.pace_s = max(time.perf_counter() - started, 1e-6) / len(outcome.records)
    return outcome


def _play(worker: RunWorker, chunk: Chunk, outcome: Outcome, note: Callable[[bytes, int | None], object]) -> None:
    """Play games of the chunk for up to MAX_CHUNK_S seconds, and add their results to the outcome."""
    until = time.perf_counter() + MAX_CHUNK_S
    for n_played, number in enumerate(chunk.numbers, 1):
        record, duration = worker.play(chunk.entry, number, in_new_process=chunk.in_new_process)
        is_last = n_played == len(chunk.numbers) or time.perf_counter() > until
        line = encode(record)
        note(line, None if is_last else chunk.numbers[n_played])
        outcome.records.append(line)
        outcome.durations.append(duration)
        outcome.n_won += record.verdict == Verdict.WON
        outcome.cpu_s += duration.charged_s
        if is_last:
            outcome.numbers, outcome.left = chunk.numbers[:n_played], chunk.numbers[n_played:]
            return


def _repeat(worker: RunWorker, index: int, line: bytes) -> list[bytes]:
    """Repeat a game, and again if the result differs or cannot be compared; return the lines of the records."""
    first = decode(line, worker.entry(index).measure.kind)
    if first.verdict == Verdict.UNPLAYED:
        return [line]
    records = [worker.play_again(index, first.game, in_new_process=True)]
    if compare(first, records[0]) != GameComparison.SAME:
        records.append(worker.play_again(index, first.game, in_new_process=True))
    return [encode(record) for record in records]
