"""The working directories of players, with the contest's word lists under the names that strategies open.

A player works on copies of its entry's files, at `strategies/`. While an entry is being loaded, its player may write
to this folder; what it wrote is then frozen: every later player gets the same files, with the same names and time
stamps, and can only read them.
"""

import os
import re
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from wordpl.core.messages import UserError
from wordpl.core.words import WordLists, as_text
from wordpl.players.sandbox.processes import FreeSpace
from wordpl.run import bundle
from wordpl.run.bundle import MAX_BYTES, MAX_DEPTH, MAX_FILES, BundleStore, FileTree

STRATEGIES = "strategies"
WRITABLE, FROZEN, SHIPPED = "writing", "players", "shipped"
POLL_S = 0.05
BLOCK = 512
_DELETED = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) .* (\d+) +(/.*) \(deleted\)$", re.MULTILINE)


def linked_folder(lists: WordLists, parent: Path, strategies: Path) -> Path:
    """Create a working directory for trusted players, whose strategies/ is a link to a folder, and return it."""
    folder = _new_folder(lists, parent)
    (folder / STRATEGIES).symlink_to(strategies)
    return folder


def frozen_folder(lists: WordLists, parent: Path, store: BundleStore, digests: tuple[str, str]) -> Path:
    """Return the working directory for the players of an entry, shared by all workers below `parent`.

    Args:
        store: The store with the files of the entry.
        digests: The digests of its sources and of what it wrote; "" if it wrote nothing.

    Raises:
        UserError: The files are missing, or do not match their digest.
    """
    places = _shared(parent, FROZEN)
    place = places / sha256(" ".join(digests).encode()).hexdigest()[:24]
    if place.is_dir():
        return place
    sources, written = digests
    folder = _new_folder(lists, places)
    try:
        store.copy(sources, folder / STRATEGIES)
        if written:
            store.copy(written, folder)
        folder.rename(place)
    except OSError:  # another worker was faster
        if not place.is_dir():
            raise
    finally:
        rmtree(folder, ignore_errors=True)
    return place


def shipped_folder(parent: Path) -> Path:
    """Return a folder with the strategies that the package ships, shared by all workers below `parent`."""
    place = _shared(parent, SHIPPED) / STRATEGIES
    if not place.is_dir():
        draft = Path(mkdtemp(dir=place.parent))
        try:
            bundle.shipped_tree().copy_to(draft)
            draft.rename(place)
        except OSError:  # another worker was faster
            if not place.is_dir():
                raise
        finally:
            rmtree(draft, ignore_errors=True)
    return place


class WritableFolder:
    """A working directory to which the player of an entry may write while the entry is being loaded.

    Attributes:
        path: The path of the folder.
    """

    def __init__(self, lists: WordLists, parent: Path, store: BundleStore, sources: str):
        """Create the folder with a copy of the entry's sources."""
        self.path = _new_folder(lists, writable_parent(parent))
        store.copy(sources, self.path / STRATEGIES)
        self._originals = set(FileTree.below(self.path).files)
        self._free = FreeSpace(self.path)

    def give_to(self, user: int) -> None:
        """Make a user the owner of all folders, but not of the files that they contain."""
        for folder, _, _ in os.walk(self.path):
            os.chown(folder, user, user)

    @contextmanager
    def limited(self, process: Callable[[], int | None]) -> Iterator[None]:
        """Watch what a process writes while the context lasts, and kill the process when it exceeds the limits.

        Args:
            process: Returns the id of the process, or None if it is not running.

        Raises:
            UserError: It exceeded the limits.
        """
        excess: list[str] = []
        done = threading.Event()

        def watch() -> None:
            while not done.wait(POLL_S):
                if reason := self._excess(process()):
                    excess.append(reason)
                    _kill(process)
                    return

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
            excess.append(self._excess(process()))  # while it still has its removed files open
        finally:
            done.set()
            watcher.join()
            if reasons := [*filter(None, excess), *filter(None, [self._excess(None)])]:
                raise UserError(reasons[0])

    def written(self) -> FileTree:
        """Return the files that the player created; its own sources and the word lists are never among them.

        Raises:
            UserError: They exceed the limits, or there is anything but files and folders.
        """
        _make_readable(self.path)
        return FileTree.below(self.path, without=self._originals.__contains__)

    def remove(self) -> None:
        """Remove the folder with arbitrarily deep folders, by moving each folder to the top and emptying it."""
        unvisited, numbers = [self.path], count()
        with suppress(OSError):
            while unvisited:
                folder = unvisited.pop()
                folder.chmod(0o700)
                with os.scandir(folder) as listed:
                    items = list(listed)
                for item in items:
                    if not item.is_dir(follow_symlinks=False):
                        Path(item.path).unlink()
                        continue
                    Path(item.path).chmod(0o700)
                    unvisited.append(Path(item.path).rename(self.path.with_name(f"{self.path.name}-{next(numbers)}")))
                folder.rmdir()

    def _excess(self, pid: int | None) -> str:
        """Return which limit is exceeded, while the player may be writing; "" if none."""
        n_files, n_bytes = 0, 0 if pid is None else self._removed_bytes(pid)
        unvisited = [(self.path, 0)]
        while unvisited:
            folder, depth = unvisited.pop()
            for path, size in _scan(folder):
                if str(path.relative_to(self.path)) in self._originals:
                    continue
                n_files, n_bytes = n_files + 1, n_bytes + (size or 0)
                if size is None:
                    unvisited.append((path, depth + 1))
            if n_files > MAX_FILES or n_bytes > MAX_BYTES or depth > MAX_DEPTH:
                return f"what it writes exceeds the limit of {bundle.limits()}."
        return "what it writes leaves too little disk space." if self._free.is_short() else ""

    def _removed_bytes(self, pid: int) -> int:
        """Return the size of the files that a process has removed, but keeps open or mapped."""
        device, sizes = self.path.stat().st_dev, dict[int, int]()
        with suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):  # noqa: PTH208 - light
                with suppress(OSError):
                    status = os.stat(f"/proc/{pid}/fd/{name}")  # noqa: PTH116 - light
                    if stat.S_ISREG(status.st_mode) and status.st_nlink == 0 and status.st_dev == device:
                        sizes[status.st_ino] = BLOCK * status.st_blocks
        with suppress(OSError):
            for start, end, number, path in _DELETED.findall(Path(f"/proc/{pid}/maps").read_text(errors="replace")):
                if Path(path).is_relative_to(self.path):
                    mapped = int(end, 16) - int(start, 16)
                    with suppress(OSError):
                        mapped = BLOCK * Path(f"/proc/{pid}/map_files/{start}-{end}").stat().st_blocks
                    sizes[int(number)] = max(mapped, sizes.get(int(number), 0))
        return sum(sizes.values())


def writable_parent(parent: Path) -> Path:
    """Return the folder of all writable working directories below `parent`."""
    return _shared(parent, WRITABLE)


def _shared(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir(mode=0o755, exist_ok=True)
    return folder


def _new_folder(lists: WordLists, parent: Path) -> Path:
    """Create a folder with the word lists."""
    folder = Path(mkdtemp(dir=parent))
    for path in (parent, folder):
        path.chmod(0o755)  # a player may be another user
    (folder / "answers.txt").write_text(as_text(lists.answers))
    (folder / "valid.txt").write_text(as_text(lists.guesses))
    return folder


def _make_readable(folder: Path) -> None:
    """Make files and folders readable for this user, whatever modes their owner has given them."""
    unvisited = [folder]
    while unvisited:
        current = unvisited.pop()
        current.chmod(0o755)
        with os.scandir(current) as listed:
            items = list(listed)
        for item in items:
            if item.is_dir(follow_symlinks=False):
                unvisited.append(Path(item.path))
            elif item.is_file(follow_symlinks=False):
                Path(item.path).chmod(0o644)


def _scan(folder: Path) -> list[tuple[Path, int | None]]:
    """Return the content of a folder with sizes, None for folders; links and vanished files are left out."""
    sizes: list[tuple[Path, int | None]] = []
    with suppress(OSError), os.scandir(folder) as listed:
        for item in listed:
            with suppress(OSError):
                if not item.is_symlink():
                    is_folder = item.is_dir(follow_symlinks=False)
                    sizes.append((Path(item.path), None if is_folder else item.stat(follow_symlinks=False).st_size))
    return sizes


def _kill(process: Callable[[], int | None]) -> None:
    """Kill the process, after checking that its id has not been reused by another one."""
    pid = process()
    if pid is None or not hasattr(os, "pidfd_open"):
        return
    with suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if process() == pid:
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)
