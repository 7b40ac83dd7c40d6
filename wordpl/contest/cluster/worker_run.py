"""A run on a cluster worker: the files that it received, and the referee that plays its games."""

import os
from collections.abc import Iterable
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl import games
from wordpl.contest.cluster.manifest import Manifest
from wordpl.contest.hidden_files import require_unreadable
from wordpl.contest.run_worker import RunWorker
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import cgroup
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

    def __init__(self, manifest: Manifest, key: bytes, store: FileStore, private: list[Path]):
        """Write the run's files to a folder, change to it, and prepare to play.

        Args:
            manifest: The manifest of the run; the store must have all of its files.
            key: The key of all draws.
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
            self._stack.callback(cgroup.remove_abandoned)
            self._stack.callback(wait_until_empty, self._players)
            self._stack.callback(os.chdir, "/")
            os.chdir(_write_files(base / "files", manifest, store))
            info = RunInfo.from_json(manifest.info, "the manifest")
            invariants.require(info, "the manifest")
            self.worker = self._referee(info, key, [store.folder, *private])
            self._stack.callback(self.worker.close)
        except BaseException:
            self._stack.close()
            raise

    def _referee(self, info: RunInfo, key: bytes, private: list[Path]) -> RunWorker:
        try:
            lists = info.config.load_lists()
        except UserError as error:
            raise UserError(f"its word lists differ from those of the run: {error}") from None
        store = BundleStore(Path.cwd() / STORE)
        pool = PlayerPool(lists, self._players, [*private, store.folder], store)
        worker = RunWorker(info, key, pool)
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
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise UserError(f"{name!r} is not a relative path inside the folder of the run.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.read(digest))
    for path in [folder.parent, folder, *folder.rglob("*")]:
        path.chmod(READABLE)  # a player may be another user
    return folder
