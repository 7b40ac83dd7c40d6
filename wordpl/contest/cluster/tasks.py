"""The worker's side of a run on a cluster: its files, its referee, and the functions that the host calls."""

import os
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordpl import games
from wordpl.contest.cluster import manifest
from wordpl.contest.cluster.manifest import Manifest, WorkerFacts
from wordpl.contest.isolation import require_unreadable
from wordpl.contest.run_folder import versions
from wordpl.contest.run_worker import Chunk, Outcome, Worker, run_chunk
from wordpl.core import paths
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError, WordplError
from wordpl.core.seeds import Draws
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import probe, processes
from wordpl.players.sandbox.levels import Level
from wordpl.run import invariants
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.info import RunInfo

READABLE = 0o755


def default_store() -> Path:
    """Return the default folder for received files."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache and Path(cache).is_absolute() else Path.home() / ".cache") / "wordpl" / "cluster"


class FileStore:
    """A content-addressed store, so that a worker receives each file only once: files named after their SHA-256."""

    def __init__(self, folder: Path):
        """Use this folder, which is created when the first file is stored."""
        self.folder = folder.absolute()

    def missing(self, digests: Iterable[str]) -> list[str]:
        """Return the digests whose files are missing or have been changed."""
        return sorted({digest for digest in digests if not self._holds(digest)})

    def keep(self, contents: Iterable[bytes]) -> None:
        """Store these files."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for content in contents:
            write_atomically(self.folder / sha256(content).hexdigest(), content)

    def read(self, digest: str) -> bytes:
        """Return the content with this digest."""
        return (self.folder / digest).read_bytes()

    def _holds(self, digest: str) -> bool:
        try:
            return sha256(self.read(digest)).hexdigest() == digest
        except OSError:
            return False


class RunOnWorker:
    """A run that is open on this worker.

    Attributes:
        run: The id of the run, see `Manifest`.
        worker: The referee.
    """

    def __init__(self, manifest: Manifest, draws: Draws, store: FileStore, private: list[Path]):
        """Write the run's files to a folder, change to it, and prepare to play.

        Args:
            manifest: The manifest of the run; the store must have all of its files.
            draws: The draws of the run.
            store: The received files.
            private: Folders besides the store that players must not read, such as the cluster's certificates.

        Raises:
            UserError: The installed project differs from that of the run, or players could read private files.
        """
        self.run = manifest.run
        games.bind_all(manifest.games)
        self._stack = ExitStack()
        try:
            base = Path(self._stack.enter_context(TemporaryDirectory(prefix="wordpl-", ignore_cleanup_errors=True)))
            self._players = base / "players"
            self._players.mkdir()
            self._stack.callback(processes.remove_abandoned_groups)
            self._stack.callback(wait_until_empty, self._players)
            self._stack.callback(os.chdir, "/")
            os.chdir(_write_files(base / "files", manifest, store))
            info = RunInfo.from_json(manifest.info, "the manifest")
            invariants.require(info, "the manifest")
            self.worker = self._referee(info, draws, [store.folder, *private])
            self._stack.callback(self.worker.close)
        except BaseException:
            self._stack.close()
            raise

    def _referee(self, info: RunInfo, draws: Draws, private: list[Path]) -> Worker:
        try:
            lists = info.config.load_lists()
        except UserError as error:
            raise UserError(f"its word lists differ from those of the run: {error}") from None
        store = BundleStore(Path.cwd() / STORE)
        pool = PlayerPool(lists, self._players, [*private, store.folder], store)
        worker = Worker(info.config, draws, pool, info.entries)
        try:
            if Level(info.config.level or Level.D).is_official:
                files = [path for folder in private if folder.is_dir() for path in folder.iterdir()]
                require_unreadable(info, pool, files)
        except BaseException:
            worker.close()
            raise
        return worker

    def close(self) -> None:
        """Stop all players and remove the files."""
        self._stack.close()


def _write_files(folder: Path, manifest: Manifest, store: FileStore) -> Path:
    """Write the run's files to a new folder, and return it."""
    folder.mkdir()
    for name, digest in manifest.files.items():
        path = paths.inside(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.read(digest))
    for path in [folder.parent, folder, *folder.rglob("*")]:
        path.chmod(READABLE)  # a player may be another user
    return folder


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

    def open(self, wanted: Manifest, draws: Draws) -> None:
        """Open this run, closing any other one."""
        with self._lock:
            self.close()
            self._open_run = RunOnWorker(wanted, draws, self.store, self.private)
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
        calibration_s=manifest.calibrate(),
    )


def missing(digests: Iterable[str]) -> list[str]:
    """Return the digests of the files that this worker lacks."""
    return _state().store.missing(digests)


def keep(contents: list[bytes]) -> None:
    """Store these files."""
    _state().store.keep(contents)


def open_run(wanted: Manifest, draws: Draws) -> None:
    """Open this run."""
    _state().open(wanted, draws)


def play(run: str, chunk: Chunk) -> Outcome:
    """Play games of the run."""
    return _state().play(run, chunk)


def close_run(run: str) -> None:
    """Close the run and stop its players."""
    _state().close(run)
