"""The host's side of a cluster: admits workers, assigns chunks of games, and reassigns those of lost workers."""

import logging
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from wordpl.contest.cluster import certificates, manifest, tasks
from wordpl.contest.cluster.certificates import ClusterAddress, require_extra
from wordpl.contest.cluster.manifest import Manifest, WorkerFacts, scaled_for_worker, sources_digest
from wordpl.contest.cluster.service import SETTINGS
from wordpl.contest.run_worker import Chunk, Outcome, Work
from wordpl.contest.runner import Observer
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws
from wordpl.run.folder import Run
from wordpl.run.info import RunInfo, WorkerInfo

if TYPE_CHECKING:
    from distributed import Client, Future

MAX_CONCURRENT = 16
MAX_BYTES_SENT = 4 << 20
"""The approximate maximum size of a message to a worker."""
ANSWER_S = 180.0
"""The timeout for an answer; the slowest request compiles the kernels."""


@dataclass(frozen=True)
class AdmittedWorker:
    """A worker that was admitted to the run.

    Attributes:
        address: Its network address.
        name: Its name in run.json.
        info: Its description in run.json.
    """

    address: str
    name: str
    info: WorkerInfo

    def named(self, outcome: Outcome) -> Outcome:
        """Return the outcome with this worker's name in its durations, and with its CPU time scaled by the slowness."""
        durations = [msgspec.structs.replace(duration, machine=self.name) for duration in outcome.durations]
        return replace(outcome, durations=durations, cpu_s=outcome.cpu_s / self.info.slowness)


@dataclass(frozen=True)
class Refusal:
    """A worker that was not admitted, and why."""

    name: str
    reason: str


@dataclass
class Admission:
    """Admits workers to a run.

    Attributes:
        url: The address of the scheduler.
        client: The connection to the scheduler.
        manifest: The files that a worker needs.
        files: The host's path of each file, by its digest.
        info: The description of the run.
        draws: The draws of the run.
        n_busy: The number of workers whose admission is in progress.
    """

    url: str
    client: "Client"
    manifest: Manifest
    files: dict[str, Path]
    info: RunInfo
    draws: Draws
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(MAX_CONCURRENT, "admission"))
    n_busy: int = 0
    _sources: str = field(default_factory=sources_digest)

    def start(self, address: str, news: "SimpleQueue[Any]") -> None:
        """Start the admission of a worker in the background.

        Args:
            address: The address of the worker.
            news: Receives an AdmittedWorker or a Refusal.
        """
        self.n_busy += 1

        def ask() -> None:
            try:
                news.put(self._admit(address))
            except Exception as error:  # a faulty worker must not stop the run
                news.put(Refusal(address, str(error) or type(error).__name__))
            finally:
                self.n_busy -= 1

        self._pool.submit(ask)

    def submit(self, address: str, work: Callable[..., Any], *arguments: Any) -> "Future":
        """Call a function on this worker."""
        return self.client.submit(
            work,
            *arguments,
            key=f"wordpl-{work.__name__}-{uuid4().hex}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _admit(self, address: str) -> AdmittedWorker | Refusal:
        facts: WorkerFacts = self._ask(address, tasks.worker_facts)
        if reason := self._objection(facts):
            return Refusal(facts.name, reason)
        slowness = manifest.slowness(facts.calibration_s, self.info.calibration_s or facts.calibration_s)
        try:
            self._send(address)
            info = scaled_for_worker(RunInfo.from_json(self.manifest.info, "the manifest"), slowness)
            scaled = msgspec.structs.replace(self.manifest, info=info.to_json())
            self._ask(address, tasks.open_run, scaled, self.draws)
        except UserError as error:
            return Refusal(facts.name, str(error))
        except OSError as error:
            return Refusal(facts.name, f"its system reports: {error.strerror or error}.")
        worker_info = WorkerInfo(
            machine=facts.machine,
            level=facts.level,
            versions=facts.versions,
            calibration_s=facts.calibration_s,
            slowness=slowness,
        )
        return AdmittedWorker(address, facts.name, worker_info)

    def _ask(self, address: str, work: Callable[..., Any], *arguments: Any) -> Any:
        return self.submit(address, work, *arguments).result(timeout=ANSWER_S)

    def _objection(self, facts: WorkerFacts) -> str:
        """Return why the worker cannot play this run; "" if it can."""
        for name, version in self.info.versions.items():
            if facts.versions.get(name) != version:
                return f"it has {name} {facts.versions.get(name)}, but the run is played with {name} {version}."
        if facts.sources != self._sources:
            return "its installed wordpl differs from the host's: install the same version, unchanged."
        if facts.level > self.info.config.level:
            return f"the run requires isolation level {self.info.config.level}. {facts.missing}"
        ratio = facts.calibration_s / (self.info.calibration_s or facts.calibration_s)
        if not 1 / manifest.MAX_SLOWNESS <= ratio <= manifest.MAX_SLOWNESS:
            return (
                f"its processor takes {ratio:.2g} times as long as the run's: time limits are not comparable between "
                f"machines whose speeds differ by more than a factor of {manifest.MAX_SLOWNESS:g}."
            )
        return ""

    def _send(self, address: str) -> None:
        """Send the files that the worker lacks."""
        batch: list[bytes] = []
        for digest in self._ask(address, tasks.missing, list(self.manifest.files.values())):
            batch.append(self.files[digest].read_bytes())
            if sum(map(len, batch)) > MAX_BYTES_SENT:
                self._ask(address, tasks.keep, batch)
                batch = []
        if batch:
            self._ask(address, tasks.keep, batch)

    def note(self, run: Run, member: AdmittedWorker) -> None:
        """Add the worker to run.json."""
        workers = run.info.workers
        if workers.get(member.name) != member.info:
            run.info.workers = {**workers, member.name: member.info}
            run.write_info()

    def close(self) -> None:
        """Stop admitting workers."""
        self._pool.shutdown(wait=False, cancel_futures=True)


_LOGGER = logging.getLogger(__name__)
MAX_ASSIGNED_CHUNKS = 2
"""The number of chunks assigned to a worker at a time: the current one and the next one."""
POLL_S = 0.25
SHUTDOWN_S = 5.0
INTERRUPT_S = 1.0
MAX_WITHOUT_WORKERS_S = 120.0
CONNECT_S = 10


@dataclass(eq=False)
class AssignedChunk:
    """A chunk that is assigned to a worker, and the future of its outcome."""

    chunk: Chunk
    worker: AdmittedWorker
    future: "Future"


@dataclass
class ClusterWorkforce:
    """The workers of a cluster that play a run, as a `Workforce`.

    Attributes:
        run: The run.
        draws: The draws of the run.
        client: The connection to the scheduler.
        admission: Admits workers.
        observer: Receives the events of workers.
    """

    run: Run
    draws: Draws
    client: "Client"
    admission: Admission
    observer: Observer
    _workers: dict[str, AdmittedWorker] = field(default_factory=dict)
    _assigned: set[AssignedChunk] = field(default_factory=set)
    _reassigned: deque[Chunk] = field(default_factory=deque)
    _events: "SimpleQueue[AssignedChunk | AdmittedWorker | Refusal]" = field(default_factory=SimpleQueue)
    _asked: set[str] = field(default_factory=set)
    _polled_at: float = 0.0
    _without_workers_since: float = field(default_factory=time.monotonic)

    @property
    def n_workers(self) -> int:
        """The current number of workers, each of which plays one game at a time."""
        return len(self._workers)

    @contextmanager
    def outcomes(self, chunks: Iterable[Chunk]) -> Iterator[Iterator[Outcome]]:
        """Yield an iterator over outcomes in the order of completion; chunks are consumed lazily, a few in advance."""
        try:
            yield self._outcomes(iter(chunks))
        finally:
            for assigned in self._assigned:
                assigned.future.cancel()
            self._assigned.clear()

    def _outcomes(self, chunks: Iterator[Chunk]) -> Iterator[Outcome]:
        try:
            while True:
                self._update_workers()
                self._assign_chunks(chunks)
                if not self._assigned and self._workers and not self._reassigned:
                    return
                yield from self._next_outcome(POLL_S)
        except KeyboardInterrupt:
            until = time.monotonic() + INTERRUPT_S
            while self._assigned and (left_s := until - time.monotonic()) > 0:
                yield from self._next_outcome(left_s)
            raise

    def _next_outcome(self, patience_s: float) -> Iterator[Outcome]:
        """Wait for the next event, and yield the outcome if it is one."""
        try:
            event = self._events.get(timeout=patience_s)
        except Empty:
            return
        if isinstance(event, AdmittedWorker):
            self._workers[event.address] = event
            self.admission.note(self.run, event)
            self.observer.worker_joined(event.name, event.info)
        elif isinstance(event, Refusal):
            self.observer.worker_refused(event.name, event.reason)
        elif event in self._assigned:
            yield from self._outcome_of(event)

    def _outcome_of(self, assigned: AssignedChunk) -> Iterator[Outcome]:
        outcome: Outcome | None = None
        if assigned.future.status == "finished":
            with suppress(Exception):  # the worker may have ended before its result was fetched
                outcome = assigned.future.result(timeout=SHUTDOWN_S)
        if outcome is not None:
            self._assigned.discard(assigned)
            assigned.future.release()
            yield assigned.worker.named(outcome)
            return
        error: Any = assigned.future.exception(timeout=SHUTDOWN_S) if assigned.future.status == "error" else None
        if isinstance(error, UserError | OSError):
            self._remove_worker(assigned.worker, f"plays no more: {_in_words(error)}")
        elif error is None or isinstance(error, tasks.NotOpenError) or type(error).__module__.startswith("distributed"):
            self._remove_worker(assigned.worker, "lost")
            self._asked.discard(assigned.worker.address)
        else:
            raise error

    def _update_workers(self) -> None:
        """Get the list of workers from the scheduler; start the admission of new ones, and remove lost ones."""
        now = time.monotonic()
        if now < self._polled_at + POLL_S:
            return
        self._polled_at = now
        try:
            present = set(self.client.nthreads())
        except (OSError, TimeoutError) as error:
            raise UserError(
                f"lost the connection to the scheduler {self.admission.url} ({_in_words(error)})."
            ) from None
        if self.client.status != "running":
            raise UserError(f"lost the connection to the scheduler {self.admission.url}.")
        for address in present - self._asked:
            self.admission.start(address, self._events)
        self._asked = present
        for worker in [worker for address, worker in self._workers.items() if address not in present]:
            self._remove_worker(worker, "lost")
        if self._workers:
            self._without_workers_since = now
        elif now > self._without_workers_since + MAX_WITHOUT_WORKERS_S and not self.admission.n_busy:
            raise UserError(f"{self.admission.url} has no usable worker: start one with `wordpl cluster worker`.")

    def _remove_worker(self, worker: AdmittedWorker, why: str) -> None:
        """Remove a worker, and reassign its chunks."""
        if self._workers.pop(worker.address, None) is None:
            return
        lost = sorted(
            (assigned for assigned in self._assigned if assigned.worker is worker),
            key=lambda assigned: assigned.chunk.serial,
        )
        for assigned in lost:
            self._assigned.discard(assigned)
            assigned.future.cancel()
            if assigned.chunk.work == Work.PLAY:
                self.run.list_restarted(self.run.entries[assigned.chunk.entry], assigned.chunk.numbers)
            self._reassigned.append(replace(assigned.chunk, in_new_process=True))
        n_games = sum(len(assigned.chunk.numbers) for assigned in lost)
        _LOGGER.info("worker %s %s; %d games are reassigned", worker.name, why, n_games)
        self.observer.worker_lost(worker.name, why, n_games)

    def _assign_chunks(self, chunks: Iterator[Chunk]) -> None:
        for n_before in range(MAX_ASSIGNED_CHUNKS):
            for worker in self._workers.values():
                if sum(assigned.worker is worker for assigned in self._assigned) <= n_before:
                    chunk = self._reassigned.popleft() if self._reassigned else next(chunks, None)
                    if chunk is None:
                        return
                    self._assign(chunk, worker)

    def _assign(self, chunk: Chunk, worker: AdmittedWorker) -> None:
        if chunk.work == Work.PLAY:
            self.run.entries[chunk.entry].begin_journal(chunk.serial, chunk.numbers)
        future = self.admission.submit(worker.address, tasks.play, self.admission.manifest.run, chunk)
        assigned = AssignedChunk(chunk, worker, future)
        self._assigned.add(assigned)
        future.add_done_callback(lambda _: self._events.put(assigned))

    def close(self) -> None:
        """Stop the players of all workers."""
        closing = [
            self.admission.submit(address, tasks.close_run, self.admission.manifest.run) for address in self._workers
        ]
        until = time.monotonic() + SHUTDOWN_S
        for future in closing:
            with suppress(Exception):  # a worker that does not answer stops its players after a while
                future.result(timeout=max(0.01, until - time.monotonic()))


def _in_words(error: BaseException) -> str:
    return str(error) or type(error).__name__


@contextmanager
def connect(run: Run, draws: Draws, address: ClusterAddress, observer: Observer) -> Iterator[ClusterWorkforce]:
    """Connect to a cluster and yield its workers; when the context ends, their players have been stopped.

    Args:
        draws: The draws of the run, which are sent to every worker.
        address: The address of the scheduler.
        observer: Receives the events of workers.

    Raises:
        UserError: The scheduler cannot be reached, the run is official, or its entries are trusted.
    """
    require_extra()
    _check(run)
    if not run.info.calibration_s:
        run.info.calibration_s = manifest.calibrate()
        run.write_info()
    import dask
    from distributed import Client

    needed, files = manifest.make_manifest(run)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # wordpl reports what users need to know
    with warnings.catch_warnings(), dask.config.set(SETTINGS):
        warnings.simplefilter("ignore")  # about different versions: such workers are refused with a reason
        try:
            client = Client(
                address.url,
                security=certificates.security(address.certificates),
                timeout=CONNECT_S,
                set_as_default=False,
            )
        except (OSError, TimeoutError) as error:
            raise UserError(
                f"no scheduler answers at {address.url} with the certificates in {address.certificates} ({error}): "
                "start one with `wordpl cluster scheduler`, or try `wordpl cluster local`."
            ) from None
    admission = Admission(address.url, client, needed, files, run.info, draws)
    workers = ClusterWorkforce(run, draws, client, admission, observer)
    try:
        yield workers
    finally:
        try:
            workers.close()
        finally:
            admission.close()
            client.close(timeout=SHUTDOWN_S)


def _check(run: Run) -> None:
    if run.info.commitment:
        raise UserError(
            "an official run cannot be played on a cluster, because each worker has the key of all secrets and its "
            "results are trusted. Leave out --cluster."
        )
    if run.info.config.is_trusted:
        raise UserError(
            "trusted entries run in the host's own process, not on a cluster: leave out --trust or --cluster."
        )
