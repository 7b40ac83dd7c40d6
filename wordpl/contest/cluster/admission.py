"""Which workers of a cluster may play a run: each is asked what it is, gets what it lacks, and opens the run."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from wordpl.contest.cluster import calibration, tasks
from wordpl.contest.cluster.manifest import Manifest, Survey, for_worker, sources_digest
from wordpl.contest.run_worker import Outcome
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo, WorkerInfo

if TYPE_CHECKING:
    from distributed import Client, Future

N_AT_A_TIME = 16
MAX_BYTES_SENT = 4 << 20
"""The most that is sent to a worker in one message."""
ANSWER_S = 180.0
"""How long a worker may take to answer; the slowest answer compiles what players share."""


@dataclass(frozen=True)
class Member:
    """A worker that plays.

    Attributes:
        address: Where it is.
        name: Its name in run.json.
        info: What it is.
    """

    address: str
    name: str
    info: WorkerInfo

    def named(self, outcome: Outcome) -> Outcome:
        """Return the outcome with this worker's name in the durations, and its CPU time as the limits count it."""
        durations = [msgspec.structs.replace(one, machine=self.name) for one in outcome.durations]
        return replace(outcome, durations=durations, cpu_s=outcome.cpu_s / self.info.slowness)


@dataclass(frozen=True)
class Refusal:
    """A worker that does not play, and why."""

    name: str
    reason: str


@dataclass
class Admission:
    """Admits workers to a run.

    Attributes:
        url: The scheduler's address.
        client: The connection to it.
        manifest: What a worker needs.
        files: Where the host has each of its files, by digest.
        info: The run's description.
        key: The key of all draws.
    """

    url: str
    client: "Client"
    manifest: Manifest
    files: dict[str, Path]
    info: RunInfo
    key: bytes
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(N_AT_A_TIME, "admission"))
    _n_busy: int = 0
    _sources: str = field(default_factory=sources_digest)

    @property
    def is_busy(self) -> bool:
        """Whether a worker is being asked."""
        return self._n_busy > 0

    def start(self, address: str, news: "SimpleQueue[Any]") -> None:
        """Ask the worker at this address, in the background; what comes of it is put into the queue."""
        self._n_busy += 1

        def ask() -> None:
            try:
                news.put(self._admit(address))
            except Exception as error:  # whatever is wrong with a worker, others go on
                news.put(Refusal(address, str(error) or type(error).__name__))
            finally:
                self._n_busy -= 1

        self._pool.submit(ask)

    def submit(self, address: str, work: Callable[..., Any], *arguments: Any) -> "Future":
        """Have this worker, and no other, call a function."""
        return self.client.submit(
            work,
            *arguments,
            key=f"wordpl-{work.__name__}-{uuid4().hex}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    def _admit(self, address: str) -> Member | Refusal:
        found: Survey = self._ask(address, tasks.survey)
        if reason := self._objection(found):
            return Refusal(found.name, reason)
        slowness = calibration.slowness(found.calibration_s, self.info.calibration_s or found.calibration_s)
        try:
            self._send(address)
            scaled = msgspec.json.encode(for_worker(msgspec.json.decode(self.manifest.info, type=RunInfo), slowness))
            self._ask(address, tasks.open_run, msgspec.structs.replace(self.manifest, info=scaled), self.key)
        except UserError as error:
            return Refusal(found.name, str(error))
        except OSError as error:
            return Refusal(found.name, f"its system reports: {error.strerror or error}.")
        info = WorkerInfo(
            machine=found.machine,
            level=found.level,
            versions=found.versions,
            calibration_s=found.calibration_s,
            slowness=slowness,
        )
        return Member(address, found.name, info)

    def _ask(self, address: str, work: Callable[..., Any], *arguments: Any) -> Any:
        return self.submit(address, work, *arguments).result(timeout=ANSWER_S)

    def _objection(self, found: Survey) -> str:
        """Return why the worker cannot play this run; nothing where it can."""
        for name, wanted in self.info.versions.items():
            if found.versions.get(name) != wanted:
                return f"it has {name} {found.versions.get(name)}, and the run is played with {name} {wanted}."
        if found.sources != self._sources:
            return "its installed wordpl differs from the host's: install the same version, unchanged."
        if found.level > self.info.level:
            return f"the run demands isolation level {self.info.level}. {found.missing}"
        ratio = found.calibration_s / (self.info.calibration_s or found.calibration_s)
        if not 1 / calibration.MAX_SLOWNESS <= ratio <= calibration.MAX_SLOWNESS:
            return (
                f"its processor takes {ratio:.2g} times as long as the run's; between machines that differ by more "
                f"than {calibration.MAX_SLOWNESS:g} times no limit is fair."
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

    def note(self, run: Run, member: Member) -> None:
        """Note in run.json that this worker plays."""
        known = run.info.workers or {}
        if known.get(member.name) != member.info:
            run.info.workers = {**known, member.name: member.info}
            run.write_info()

    def close(self) -> None:
        """Ask no more workers."""
        self._pool.shutdown(wait=False, cancel_futures=True)
