"""A run on a cluster worker: its files in a temporary folder, and the referee that plays its games."""

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from wordpl.contest.cluster.manifest import Manifest
from wordpl.contest.cluster.store import FileStore
from wordpl.contest.run_folder import lists_of
from wordpl.contest.run_worker import RunWorker
from wordpl.core import entry_caches, paths
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, RunInfo
from wordpl.players import shared_kernels
from wordpl.players.fork_client import wait_until_empty
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import cgroup
from wordpl.players.sandbox.levels import Level

READABLE = 0o755


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
        self._stack = ExitStack()
        try:
            base = Path(self._stack.enter_context(TemporaryDirectory(prefix="wordpl-", ignore_cleanup_errors=True)))
            self._players = base / "players"
            self._players.mkdir()
            self._stack.callback(cgroup.remove_abandoned)
            self._stack.callback(wait_until_empty, self._players)
            self._stack.callback(os.chdir, "/")
            os.chdir(_write_files(base / "files", manifest, store))
            self.worker = self._referee(msgspec.json.decode(manifest.info, type=RunInfo), key, [store.folder, *private])
            self._stack.callback(self.worker.close)
        except BaseException:
            self._stack.close()
            raise

    def _referee(self, info: RunInfo, key: bytes, private: list[Path]) -> RunWorker:
        files = [paths.find_file(entry.file) for entry in info.entries]
        try:
            lists = lists_of(info)
        except UserError as error:
            raise UserError(f"its word lists differ from those of the run: {error}") from None
        caches = Path.cwd() / entry_caches.FOLDER
        caches.mkdir(exist_ok=True)  # an empty cache has no files to send
        for entry in info.entries:
            if entry.cache:
                (caches / entry.cache).mkdir(exist_ok=True)
        shown = [file.parent for file in files]
        pool = PlayerPool(lists, self._players, [*private, caches], shown, rivals=files, caches=caches)
        worker = RunWorker(info, key, pool)
        try:
            if info.level == Level.A:
                shared_kernels.ensure_compiled()
            _require_hidden(info, pool, private)
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
    for one in [folder.parent, folder, *folder.rglob("*")]:
        one.chmod(READABLE)  # a player may be another user
    return folder


def _require_hidden(info: RunInfo, pool: PlayerPool, private: list[Path]) -> None:
    """Check that players cannot open private files, if the sandbox level promises it: let a player per folder try.

    Raises:
        UserError: A player could open one.
    """
    if not Level(info.level or Level.D).is_official:
        return
    files = [path for folder in private if folder.is_dir() for path in folder.iterdir()]
    tried: dict[Path, EntryInfo] = {paths.find_file(entry.file).parent: entry for entry in info.entries}
    for entry in tried.values():
        if opened := pool.opened(entry, info.config, files):
            raise UserError(f"a player of {entry.file} could read {opened[0]}, which must be hidden from it.")
