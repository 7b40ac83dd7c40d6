"""The host's side of a cluster: hands chunks of games to workers, and takes back those of workers that it loses.

It uses dask's futures rather than joblib's backend for dask, which hands a lost worker's work to another one unasked:
here the host has to know, because these games are then played in fresh processes and listed in run.json.
"""

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from wordpl.contest.cluster import tasks
from wordpl.contest.cluster.admission import Admission, Member, Refusal
from wordpl.contest.observer import Observer
from wordpl.contest.run_worker import Chunk, Outcome, Work
from wordpl.core import journal
from wordpl.core.errors import UserError
from wordpl.core.records import Run

if TYPE_CHECKING:
    from distributed import Client, Future

_LOGGER = logging.getLogger(__name__)
AHEAD = 2
"""Chunks that a worker has at a time: one that it plays, and one that it begins when that is done."""
POLL_S = 0.25
LEAVE_S = 5.0
STOP_S = 1.0
MAX_WITHOUT_WORKERS_S = 120.0


@dataclass(eq=False)
class Handed:
    """A chunk that a worker has, and the future of its outcome."""

    chunk: Chunk
    member: Member
    future: "Future"


@dataclass
class Crew:
    """The workers of a cluster that play a run.

    Attributes:
        run: The run.
        key: The key of all draws.
        client: The connection to the scheduler.
        admission: Decides which workers play.
        observer: Is told who joins, who is refused and who is lost.
    """

    run: Run
    key: bytes
    client: "Client"
    admission: Admission
    observer: Observer
    _members: dict[str, Member] = field(default_factory=dict)
    _handed: set[Handed] = field(default_factory=set)
    _again: deque[Chunk] = field(default_factory=deque)
    _news: "SimpleQueue[Handed | Member | Refusal]" = field(default_factory=SimpleQueue)
    _asked: set[str] = field(default_factory=set)
    _looked_at: float = 0.0
    _alone_since: float = field(default_factory=time.monotonic)

    @property
    def n_workers(self) -> int:
        """How many games are played at a time at the moment."""
        return len(self._members)

    @contextmanager
    def outcomes(self, chunks: Iterable[Chunk]) -> Iterator[Iterator[Outcome]]:
        """Give the outcome of each chunk, as it comes; chunks are asked for late, a few ahead of the workers."""
        try:
            yield self._outcomes(iter(chunks))
        finally:
            for handed in self._handed:
                handed.future.cancel()
            self._handed.clear()

    def _outcomes(self, chunks: Iterator[Chunk]) -> Iterator[Outcome]:
        try:
            while True:
                self._look_around()
                self._hand_out(chunks)
                if not self._handed and self._members and not self._again:
                    return
                yield from self._take_next(POLL_S)
        except KeyboardInterrupt:
            until = time.monotonic() + STOP_S
            while self._handed and (left_s := until - time.monotonic()) > 0:
                yield from self._take_next(left_s)
            raise

    def _take_next(self, patience_s: float) -> Iterator[Outcome]:
        """Wait a while for the next news, and yield the outcome if it is one."""
        try:
            news = self._news.get(timeout=patience_s)
        except Empty:
            return
        if isinstance(news, Member):
            self._members[news.address] = news
            self.admission.note(self.run, news)
            self.observer.worker_joined(news.name, news.info)
        elif isinstance(news, Refusal):
            self.observer.worker_refused(news.name, news.reason)
        elif news in self._handed:
            yield from self._taken(news)

    def _taken(self, handed: Handed) -> Iterator[Outcome]:
        outcome: Outcome | None = None
        if handed.future.status == "finished":
            with suppress(Exception):  # the worker may have ended before its result was fetched
                outcome = handed.future.result(timeout=LEAVE_S)
        if outcome is not None:
            self._handed.discard(handed)
            handed.future.release()
            yield handed.member.named(outcome)
            return
        error: Any = handed.future.exception(timeout=LEAVE_S) if handed.future.status == "error" else None
        if isinstance(error, UserError | OSError):
            self._drop(handed.member, f"plays no more: {_in_words(error)}")
        elif error is None or isinstance(error, tasks.NotOpenError) or type(error).__module__.startswith("distributed"):
            self._drop(handed.member, "lost")
            self._asked.discard(handed.member.address)
        else:
            raise error

    def _look_around(self) -> None:
        """Ask the scheduler which workers there are; admit new ones, and give up those that are gone."""
        now = time.monotonic()
        if now < self._looked_at + POLL_S:
            return
        self._looked_at = now
        try:
            present = set(self.client.nthreads())
        except (OSError, TimeoutError) as error:
            raise UserError(f"the scheduler {self.admission.url} is gone ({_in_words(error)}).") from None
        if self.client.status != "running":
            raise UserError(f"the scheduler {self.admission.url} is gone.")
        for address in present - self._asked:
            self.admission.start(address, self._news)
        self._asked = present
        for member in [member for address, member in self._members.items() if address not in present]:
            self._drop(member, "lost")
        if self._members:
            self._alone_since = now
        elif now > self._alone_since + MAX_WITHOUT_WORKERS_S and not self.admission.is_busy:
            raise UserError(f"no worker of {self.admission.url} can play: start some with `wordpl cluster worker`.")

    def _drop(self, member: Member, why: str) -> None:
        """Give up a worker; what it had is played elsewhere."""
        if self._members.pop(member.address, None) is None:
            return
        lost = sorted((one for one in self._handed if one.member is member), key=lambda one: one.chunk.serial)
        for handed in lost:
            self._handed.discard(handed)
            handed.future.cancel()
            if handed.chunk.work == Work.PLAY:
                self._list_again(handed.chunk)
            self._again.append(replace(handed.chunk, in_new_process=True))
        n_games = sum(len(handed.chunk.numbers) for handed in lost)
        _LOGGER.info("worker %s %s; %d games are played elsewhere", member.name, why, n_games)
        self.observer.worker_lost(member.name, why, n_games)

    def _list_again(self, chunk: Chunk) -> None:
        """List the games in run.json: whether a worker that is lost had begun them cannot be known."""
        slug = self.run.entries[chunk.entry].slug
        again = dict(self.run.info.played_again or {})
        again[slug] = sorted({*again.get(slug, []), *chunk.numbers})
        self.run.info.played_again = again
        self.run.write_info()

    def _hand_out(self, chunks: Iterator[Chunk]) -> None:
        for n_before in range(AHEAD):
            for member in self._members.values():
                if sum(one.member is member for one in self._handed) <= n_before:
                    chunk = self._again.popleft() if self._again else next(chunks, None)
                    if chunk is None:
                        return
                    self._hand(chunk, member)

    def _hand(self, chunk: Chunk, member: Member) -> None:
        if chunk.work == Work.PLAY:
            journal.begin(self.run, self.run.entries[chunk.entry], chunk.serial, chunk.numbers)
        future = self.admission.submit(member.address, tasks.play, self.admission.manifest.run, chunk)
        handed = Handed(chunk, member, future)
        self._handed.add(handed)
        future.add_done_callback(lambda _: self._news.put(handed))

    def close(self) -> None:
        """End the players of all workers."""
        closing = [
            self.admission.submit(address, tasks.close_run, self.admission.manifest.run) for address in self._members
        ]
        until = time.monotonic() + LEAVE_S
        for future in closing:
            with suppress(Exception):  # a worker that does not answer ends its players when it is idle
                future.result(timeout=max(0.01, until - time.monotonic()))


def _in_words(error: BaseException) -> str:
    return str(error) or type(error).__name__
