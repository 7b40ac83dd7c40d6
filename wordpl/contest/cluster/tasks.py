"""What a host asks of a worker of a cluster: functions that run in the worker's process, one at a time."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordpl.contest.cluster import calibration, manifest
from wordpl.contest.cluster.manifest import Manifest, Survey
from wordpl.contest.cluster.site import RunSite
from wordpl.contest.cluster.store import Store
from wordpl.contest.run_folder import versions
from wordpl.contest.run_worker import Chunk, Outcome, run_chunk
from wordpl.core.errors import UserError, WordplError
from wordpl.players.sandbox import probe

IDLE_S = 60.0
"""How long a run's players are kept when no host asks for games: it may have been killed."""


class NotOpenError(WordplError):
    """The run is not open on this worker, which was started again or was idle for long."""


@dataclass
class Station:
    """This process as a worker of a cluster: what outlives the calls of the functions below.

    Attributes:
        name: The worker's name.
        store: Files by their content.
        private: What players must not read.
    """

    name: str
    store: Store
    private: list[Path]
    _site: RunSite | None = None
    _closing: threading.Timer | None = None
    _lock: Any = field(default_factory=threading.RLock)

    def open(self, wanted: Manifest, key: bytes) -> None:
        """Get ready to play this run; it replaces another one."""
        with self._lock:
            self.close()
            self._site = RunSite(wanted, key, self.store, self.private)
            self._close_when_idle()

    def play(self, run: str, chunk: Chunk) -> Outcome:
        """Play some games of the run that is open."""
        with self._lock:
            if self._site is None or self._site.run != run:
                raise NotOpenError(f"the run {run} is not open here.")
            try:
                return run_chunk(self._site.worker, chunk)
            finally:
                self._close_when_idle()

    def close(self, run: str = "") -> None:
        """Close the run that is open, if it is this one; without a name, any."""
        with self._lock:
            if self._closing is not None:
                self._closing.cancel()
            if self._site is not None and run in ("", self._site.run):
                site, self._site = self._site, None
                site.close()

    def _close_when_idle(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
        self._closing = threading.Timer(IDLE_S, self.close)
        self._closing.daemon = True
        self._closing.start()


_STATIONS: list[Station] = []
"""The station of this process, set by `begin`: dask calls functions by name, so that it has to be global."""


def begin(name: str, store: Path, certificates: Path) -> Station:
    """Make this process a worker of a cluster.

    Args:
        name: The worker's name.
        store: The folder for files that it is sent.
        certificates: The folder of the cluster's certificates, which players must not read.
    """
    _STATIONS[:] = [Station(name, Store(store), [certificates.absolute()])]
    return _STATIONS[0]


def _station() -> Station:
    if not _STATIONS:
        raise UserError("it was not started with `wordpl cluster worker`.")
    return _STATIONS[0]


def survey() -> Survey:
    """Return what this worker is."""
    found = probe.probe()
    return Survey(
        name=_station().name,
        machine=manifest.machine(),
        level=found.level,
        missing=str(found),
        versions=versions(),
        sources=manifest.sources_digest(),
        calibration_s=calibration.calibrate(),
    )


def missing(digests: Iterable[str]) -> list[str]:
    """Return which files this worker lacks."""
    return _station().store.missing(digests)


def keep(contents: list[bytes]) -> None:
    """Keep these files."""
    _station().store.keep(contents)


def open_run(wanted: Manifest, key: bytes) -> None:
    """Get ready to play this run."""
    _station().open(wanted, key)


def play(run: str, chunk: Chunk) -> Outcome:
    """Play some games of the run."""
    return _station().play(run, chunk)


def close_run(run: str) -> None:
    """End the players of the run."""
    _station().close(run)
