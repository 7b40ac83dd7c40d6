"""The functions that a host calls on a cluster worker; they run in the worker's process, one at a time."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordpl.contest.chunks import Chunk, Outcome
from wordpl.contest.cluster import calibration, manifest
from wordpl.contest.cluster.manifest import Manifest, WorkerFacts
from wordpl.contest.cluster.worker_run import FileStore, RunOnWorker
from wordpl.contest.run_folder import versions
from wordpl.contest.run_worker import run_chunk
from wordpl.core.errors import UserError, WordplError
from wordpl.players.sandbox import probe

IDLE_S = 60.0
"""The time after which an idle worker closes its run, as the host may have been killed."""


class NotOpenError(WordplError):
    """The run is not open on this worker, because the worker was restarted or idle for too long."""


@dataclass
class WorkerState:
    """The state of a worker process between calls of the functions below.

    Attributes:
        name: The worker's name.
        store: The received files.
        private: The folders that players must not read.
    """

    name: str
    store: FileStore
    private: list[Path]
    _open_run: RunOnWorker | None = None
    _closing: threading.Timer | None = None
    _lock: Any = field(default_factory=threading.RLock)

    def open(self, wanted: Manifest, key: bytes) -> None:
        """Open this run, closing any other one."""
        with self._lock:
            self.close()
            self._open_run = RunOnWorker(wanted, key, self.store, self.private)
            self._close_when_idle()

    def play(self, run: str, chunk: Chunk) -> Outcome:
        """Play games of the open run.

        Raises:
            NotOpenError: Another run, or none, is open.
        """
        with self._lock:
            if self._open_run is None or self._open_run.run != run:
                raise NotOpenError(f"the run {run} is not open here.")
            try:
                return run_chunk(self._open_run.worker, chunk)
            finally:
                self._close_when_idle()

    def close(self, run: str = "") -> None:
        """Close the open run if it has this id; "": whatever run is open."""
        with self._lock:
            if self._closing is not None:
                self._closing.cancel()
            if self._open_run is not None and run in ("", self._open_run.run):
                closing, self._open_run = self._open_run, None
                closing.close()

    def _close_when_idle(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
        self._closing = threading.Timer(IDLE_S, self.close)
        self._closing.daemon = True
        self._closing.start()


_STATES: list[WorkerState] = []
"""The state of this process, set by `start`. It is global because dask calls functions by name."""


def start(name: str, store: Path, certificates: Path) -> WorkerState:
    """Initialize the state of this process as a cluster worker.

    Args:
        name: The worker's name.
        store: The folder for the files that it receives.
        certificates: The folder with the cluster's certificates, which players must not read.
    """
    _STATES[:] = [WorkerState(name, FileStore(store), [certificates.absolute()])]
    return _STATES[0]


def _state() -> WorkerState:
    if not _STATES:
        raise UserError("it was not started with `wordpl cluster worker`.")
    return _STATES[0]


def worker_facts() -> WorkerFacts:
    """Return the description of this worker."""
    isolation = probe.probe()
    return WorkerFacts(
        name=_state().name,
        machine=manifest.machine(),
        level=isolation.level,
        missing=str(isolation),
        versions=versions(),
        sources=manifest.sources_digest(),
        calibration_s=calibration.calibrate(),
    )


def missing(digests: Iterable[str]) -> list[str]:
    """Return the digests of the files that this worker lacks."""
    return _state().store.missing(digests)


def keep(contents: list[bytes]) -> None:
    """Store these files."""
    _state().store.keep(contents)


def open_run(wanted: Manifest, key: bytes) -> None:
    """Open this run."""
    _state().open(wanted, key)


def play(run: str, chunk: Chunk) -> Outcome:
    """Play games of the run."""
    return _state().play(run, chunk)


def close_run(run: str) -> None:
    """Close the run and stop its players."""
    _state().close(run)
