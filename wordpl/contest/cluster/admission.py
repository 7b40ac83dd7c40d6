"""Admission of workers to a run: check each worker, send it the files that it lacks, and let it open the run."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from wordpl.contest.chunks import Outcome
from wordpl.contest.cluster import calibration, tasks
from wordpl.contest.cluster.manifest import Manifest, WorkerFacts, scaled_for_worker, sources_digest
from wordpl.core.errors import UserError
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
        key: The key of all draws.
    """

    url: str
    client: "Client"
    manifest: Manifest
    files: dict[str, Path]
    info: RunInfo
    key: bytes
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(MAX_CONCURRENT, "admission"))
    _n_busy: int = 0
    _sources: str = field(default_factory=sources_digest)

    @property
    def is_busy(self) -> bool:
        """Whether the admission of a worker is in progress."""
        return self._n_busy > 0

    def start(self, address: str, news: "SimpleQueue[Any]") -> None:
        """Start the admission of a worker in the background.

        Args:
            address: The address of the worker.
            news: Receives an AdmittedWorker or a Refusal.
        """
        self._n_busy += 1

        def ask() -> None:
            try:
                news.put(self._admit(address))
            except Exception as error:  # a faulty worker must not stop the run
                news.put(Refusal(address, str(error) or type(error).__name__))
            finally:
                self._n_busy -= 1

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
        slowness = calibration.slowness(facts.calibration_s, self.info.calibration_s or facts.calibration_s)
        try:
            self._send(address)
            info = scaled_for_worker(RunInfo.from_json(self.manifest.info, "the manifest"), slowness)
            manifest = msgspec.structs.replace(self.manifest, info=info.to_json())
            self._ask(address, tasks.open_run, manifest, self.key)
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
        if not 1 / calibration.MAX_SLOWNESS <= ratio <= calibration.MAX_SLOWNESS:
            return (
                f"its processor takes {ratio:.2g} times as long as the run's: time limits are not comparable between "
                f"machines whose speeds differ by more than a factor of {calibration.MAX_SLOWNESS:g}."
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
