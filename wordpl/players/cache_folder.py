"""The working directory of an entry with a cache.

Its folder `strategies` contains a copy of the entry's file, links to other files that the entry may read, and the
cache. While the cache is being filled, the player may write to this folder; `freeze` then copies the files that it
created. Frozen caches are never modified, and their content, names and time stamps are the same for every player.
"""

import os
import signal
import stat
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import BinaryIO

from wordpl.core import entry_caches, entry_files
from wordpl.core.entry_caches import MAX_BYTES, MAX_DEPTH, MAX_FILES
from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.words import WordLists
from wordpl.players.sandbox import fs_policy
from wordpl.players.workdir import working_folder

POLL_S = 0.05
FIXED_MTIME = 0
FIXED_ATIME = 4102444800
"""The time stamps of frozen files in seconds since 1970.

With the mount option relatime, Linux updates the access time only if it is older than a day or than the modification
time. An access time in 2100 is therefore never updated, so that it cannot be used to pass information.
"""
MAX_NAME_CHARACTERS = 60


def new_folder(file: Path, lists: WordLists, parent: Path, hidden: Iterable[Path], cache: Path | None = None) -> Path:
    """Create a working directory for players of an entry's file.

    Args:
        file: The entry's file, which is copied.
        parent: The folder in which to create the directory.
        hidden: Files and folders that the players must not read.
        cache: The frozen cache of the file; None: it has not been filled yet.
    """
    place = working_folder(lists, parent)
    (place / fs_policy.STRATEGIES).unlink()
    own = place / fs_policy.STRATEGIES
    own.mkdir(mode=0o755)
    copyfile(file, own / file.name)
    os.utime(own / file.name, (FIXED_ATIME, FIXED_MTIME))
    cached_files = [] if cache is None else [path.relative_to(cache) for path in _files(cache, ())]
    cached_names = {path.parts[0] for path in cached_files}
    for path in _readable_siblings(file, fs_policy.HiddenPaths(hidden)):
        if path.name not in cached_names:  # otherwise it was added after the cache was filled
            (own / path.name).symlink_to(path)
    if cache is not None:
        _copy(cache, own, cached_files)
    return place


def shared_folder(file: Path, lists: WordLists, parent: Path, hidden: Iterable[Path], cache: Path) -> Path:
    """Return the working directory for players of this file with this cache, shared by all workers below `parent`.

    Raises:
        UserError: The cache is missing, or does not match its digest.
    """
    places = _shared_parent(parent)
    place = places / sha256(f"{file} {entry_files.digest(file)} {cache.name}".encode()).hexdigest()[:24]
    if place.is_dir():
        return place
    if not cache.is_dir() or entry_caches.digest(cache) != cache.name:
        raise UserError(
            f"{cache}, the cache of {file.name}, has changed or is missing: restore it, or start a new run."
        )
    folder = new_folder(file, lists, places, hidden, cache)
    try:
        folder.rename(place)
    except OSError:  # another worker was faster
        if not place.is_dir():
            raise
    return place


def new_writable_folder(file: Path, lists: WordLists, parent: Path, hidden: Iterable[Path]) -> Path:
    """Create a working directory for players that fill the cache of this file."""
    return new_folder(file, lists, _shared_parent(parent), hidden)


def freeze(file: Path, place: Path, store: Path, hidden: Iterable[Path]) -> str:
    """Copy the files that players created into a folder of `store` named after the cache's digest; return the digest.

    Hidden files, compiled code and files with the names of the entry's own files are left out.

    Args:
        file: The entry's file.
        place: The working directory in which the cache was filled.
        store: The folder for frozen caches.
        hidden: Files and folders that the players must not read.

    Raises:
        UserError: The cache is too large, or contains anything but files and folders.
    """
    own = place / fs_policy.STRATEGIES
    names = {file.name, *(path.name for path in _readable_siblings(file, fs_policy.HiddenPaths(hidden)))}
    files = [path.relative_to(own) for path in _files(own, names, opens=True)]
    _require_within_limits(own, files)
    store.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=store) as name:
        _copy(own, Path(name, "made"), files)
        digest = entry_caches.digest(Path(name, "made"))
        if not (store / digest).exists():  # else another entry has an equal cache, such as an empty one
            Path(name, "made").rename(store / digest)
    return digest


@contextmanager
def enforce_size(place: Path, process: Callable[[], int | None]) -> Iterator[None]:
    """Watch the size of a cache while the context lasts, and kill the process when it exceeds the limits.

    Args:
        place: The working directory in which the cache is filled.
        process: Returns the id of the process, or None if it is not running.

    Raises:
        UserError: The cache exceeded the limits.
    """
    own, over, done = place / fs_policy.STRATEGIES, threading.Event(), threading.Event()

    def watch() -> None:
        while not done.wait(POLL_S):
            if _exceeds_limits(own):
                over.set()
                _kill(process)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        if over.is_set() or _exceeds_limits(own):
            raise UserError(f"its cache exceeds the limit of {entry_caches.limits()}.")


def remove(place: Path) -> None:
    """Remove a working directory with arbitrarily deep folders, by moving each folder to the top and emptying it."""
    unvisited, numbers = [place], count()
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
                unvisited.append(Path(item.path).rename(place.with_name(f"{place.name}-{next(numbers)}")))
            folder.rmdir()


def _shared_parent(parent: Path) -> Path:
    places = parent / entry_caches.FOLDER
    places.mkdir(mode=0o755, exist_ok=True)
    return places


def _readable_siblings(file: Path, hidden: fs_policy.HiddenPaths) -> Iterator[Path]:
    """Yield the files and folders next to the file that players may read, without compiled code."""
    for path in sorted(file.parent.resolve().iterdir()):
        is_left_out = path.name.startswith(".") or path.name in (file.name, fs_policy.COMPILED) or path.is_symlink()
        if not is_left_out and not hidden.covers(path):
            yield path


def _files(own: Path, names: Collection[str], *, opens: bool = False) -> Iterator[Path]:
    """Yield the files below a folder, without hidden files and compiled code.

    Args:
        own: The folder.
        names: Names at the top of the folder to leave out.
        opens: Whether to make files and folders readable first.

    Raises:
        UserError: There is a name that is not printable, a folder that is too deep, or something that is neither a
            file nor a folder.
    """
    unvisited = [(own, 0)]
    while unvisited:
        folder, depth = unvisited.pop()
        if opens and depth:
            folder.chmod(0o755)
        with os.scandir(folder) as listed:
            items = sorted(listed, key=lambda item: item.name)
        for item in items:
            if item.name.startswith(".") or item.name == fs_policy.COMPILED or (depth == 0 and item.name in names):
                continue
            if not item.name.isprintable():
                raise UserError(
                    f"the name {sanitize_untrusted_text(ascii(item.name), MAX_NAME_CHARACTERS)} is not printable."
                )
            if item.is_dir(follow_symlinks=False):
                if depth >= MAX_DEPTH:
                    raise UserError(f"its folders are nested more than {MAX_DEPTH} levels deep.")
                unvisited.append((Path(item.path), depth + 1))
            elif item.is_file(follow_symlinks=False):
                if opens:
                    Path(item.path).chmod(0o644)
                yield Path(item.path)
            else:
                raise UserError(
                    f"{sanitize_untrusted_text(item.name, MAX_NAME_CHARACTERS)} is neither a file nor a folder."
                )


def _require_within_limits(own: Path, files: Collection[Path]) -> None:
    n_bytes = sum((own / path).lstat().st_size for path in files)
    if len(files) > MAX_FILES or n_bytes > MAX_BYTES:
        raise UserError(
            f"its cache has {n_bytes:,} bytes in {len(files):,} files, which exceeds the limit of "
            f"{entry_caches.limits()}."
        )


def _copy(source: Path, target: Path, names: Iterable[Path]) -> None:
    """Copy regular files with fixed modes and time stamps."""
    target.mkdir(exist_ok=True)
    folders = {target}
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        folders.update((target / name).parents[: len(name.parts) - 1])
        with _opened(source / name) as read, (target / name).open("xb") as written:
            written.write(read.read(MAX_BYTES + 1))
        (target / name).chmod(0o644)
        os.utime(target / name, (FIXED_ATIME, FIXED_MTIME))
    for folder in folders:
        folder.chmod(0o755)
        os.utime(folder, (FIXED_ATIME, FIXED_MTIME))


def _opened(path: Path) -> BinaryIO:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
        os.close(file)
        raise UserError(f"{path.name} is not a regular file, or is linked elsewhere.")
    return os.fdopen(file, "rb")


def _exceeds_limits(own: Path) -> bool:
    """Return whether a cache exceeds the limits, while the player may be writing to it."""
    n_files = n_bytes = 0
    unvisited = [(own, 0)]
    while unvisited:
        folder, depth = unvisited.pop()
        for path, size in _scan(folder):
            n_files, n_bytes = n_files + 1, n_bytes + (size or 0)
            if size is None:
                unvisited.append((path, depth + 1))
            if n_files > MAX_FILES + 1 or n_bytes > MAX_BYTES or depth > MAX_DEPTH:  # + 1 for the entry's own file
                return True
    return False


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
