"""The folder that an entry with a cache plays in: its own files, and laid over them what it kept before the first game.

It is a working directory whose folder `strategies` holds a copy of the entry's file, links to what it may read beside
that file, and the cache. While the cache is filled a player may write there; `freeze` then copies what it left, and
nobody writes there again. Bytes, names and dates are the same for every player.
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
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.core.words import WordLists
from wordpl.players.sandbox import fs_policy
from wordpl.players.workdir import working_folder

POLL_S = 0.05
CHANGED = 0
READ = 4102444800
"""Dates of frozen files, in seconds. Linux notes that a file is read only where it was last read before it was changed,
or a day ago: read in 2100, a file tells nobody that somebody has read it."""
MAX_NAME_CHARACTERS = 60


def lay_out(file: Path, lists: WordLists, parent: Path, hidden: Iterable[Path], cache: Path | None = None) -> Path:
    """Return a new working directory in `parent` for players of this file.

    Args:
        file: The entry's file, which is copied.
        lists: The words.
        parent: Where it is made.
        hidden: What these players must not read.
        cache: What the file's players kept, a frozen folder; None: nothing yet.
    """
    place = working_folder(lists, parent)
    (place / fs_policy.STRATEGIES).unlink()
    own = place / fs_policy.STRATEGIES
    own.mkdir(mode=0o755)
    copyfile(file, own / file.name)
    os.utime(own / file.name, (READ, CHANGED))
    kept = [] if cache is None else [path.relative_to(cache) for path in _files(cache, ())]
    taken = {path.parts[0] for path in kept}
    for path in _beside(file, fs_policy.HiddenPaths(hidden)):
        if path.name not in taken:  # a file that has come since
            (own / path.name).symlink_to(path)
    if cache is not None:
        _copy(cache, own, kept)
    return place


def laid_out(file: Path, lists: WordLists, parent: Path, hidden: Iterable[Path], cache: Path) -> Path:
    """Return the working directory for players of this file with this cache; all workers below `parent` share it.

    Raises:
        UserError: The cache is not what its name says: it was changed since it was frozen, or is not there.
    """
    places = _folder(parent)
    place = places / sha256(f"{file} {entry_files.digest(file)} {cache.name}".encode()).hexdigest()[:24]
    if place.is_dir():
        return place
    if not cache.is_dir() or entry_caches.digest(cache) != cache.name:
        raise UserError(f"{cache}, the cache of {file.name}, is not what it was: put it back, or start a new run.")
    made = lay_out(file, lists, places, hidden, cache)
    try:
        made.rename(place)
    except OSError:  # another worker was faster
        if not place.is_dir():
            raise
    return place


def new(file: Path, lists: WordLists, parent: Path, hidden: Iterable[Path]) -> Path:
    """Return a working directory for players of this file that fill its cache."""
    return lay_out(file, lists, _folder(parent), hidden)


def freeze(file: Path, place: Path, store: Path, hidden: Iterable[Path]) -> str:
    """Copy what players kept at `place` into a folder of `store` that is named after its digest; return the digest.

    Files with the names of the entry's own, hidden ones and compiled code are left out.

    Raises:
        UserError: It is more than a cache may hold, or something else than files and folders.
    """
    own = place / fs_policy.STRATEGIES
    names = {file.name, *(path.name for path in _beside(file, fs_policy.HiddenPaths(hidden)))}
    found = [path.relative_to(own) for path in _files(own, names, opens=True)]
    _require_few(own, found)
    store.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=store) as name:
        _copy(own, Path(name, "made"), found)
        digest = entry_caches.digest(Path(name, "made"))
        if not (store / digest).exists():  # else another entry keeps the same: nothing, say
            Path(name, "made").rename(store / digest)
    return digest


@contextmanager
def bounded(place: Path, process: Callable[[], int | None]) -> Iterator[None]:
    """Kill the process as soon as it has written more than a cache may hold; process: returns its number, if it lives.

    Raises:
        UserError: It has.
    """
    own, over, done = place / fs_policy.STRATEGIES, threading.Event(), threading.Event()

    def watch() -> None:
        while not done.wait(POLL_S):
            if _is_over(own):
                over.set()
                _kill(process)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        if over.is_set() or _is_over(own):
            raise UserError(f"it kept more than a cache may hold, {entry_caches.limits()}.")


def remove(place: Path) -> None:
    """Remove a working directory, however deep the folders in it lie: each is moved to the top, then emptied."""
    left, numbers = [place], count()
    with suppress(OSError):
        while left:
            folder = left.pop()
            folder.chmod(0o700)
            with os.scandir(folder) as listed:
                found = list(listed)
            for one in found:
                if not one.is_dir(follow_symlinks=False):
                    Path(one.path).unlink()
                    continue
                Path(one.path).chmod(0o700)
                left.append(Path(one.path).rename(place.with_name(f"{place.name}-{next(numbers)}")))
            folder.rmdir()


def _folder(parent: Path) -> Path:
    places = parent / entry_caches.FOLDER
    places.mkdir(mode=0o755, exist_ok=True)
    return places


def _beside(file: Path, hidden: fs_policy.HiddenPaths) -> Iterator[Path]:
    """Yield what players may read beside the file, see `fs_policy.beside`; compiled code is left out."""
    for path in sorted(file.parent.resolve().iterdir()):
        is_left_out = path.name.startswith(".") or path.name in (file.name, fs_policy.COMPILED) or path.is_symlink()
        if not is_left_out and not hidden.covers(path):
            yield path


def _files(own: Path, names: Collection[str], *, opens: bool = False) -> Iterator[Path]:
    """Yield the files below a folder, but for these names at its top, hidden ones and compiled code.

    opens: whether they are made readable for their owner first
    """
    left = [(own, 0)]
    while left:
        folder, depth = left.pop()
        if opens and depth:
            folder.chmod(0o755)
        with os.scandir(folder) as listed:
            found = sorted(listed, key=lambda one: one.name)
        for one in found:
            if one.name.startswith(".") or one.name == fs_policy.COMPILED or (depth == 0 and one.name in names):
                continue
            if not one.name.isprintable():
                raise UserError(
                    f"the name {sanitize_untrusted_text(ascii(one.name), MAX_NAME_CHARACTERS)} is no plain text."
                )
            if one.is_dir(follow_symlinks=False):
                if depth >= MAX_DEPTH:
                    raise UserError(f"its folders lie more than {MAX_DEPTH} deep in each other.")
                left.append((Path(one.path), depth + 1))
            elif one.is_file(follow_symlinks=False):
                if opens:
                    Path(one.path).chmod(0o644)
                yield Path(one.path)
            else:
                raise UserError(
                    f"{sanitize_untrusted_text(one.name, MAX_NAME_CHARACTERS)} is neither a file nor a folder."
                )


def _require_few(own: Path, found: Collection[Path]) -> None:
    n_bytes = sum((own / path).lstat().st_size for path in found)
    if len(found) > MAX_FILES or n_bytes > MAX_BYTES:
        raise UserError(
            f"it kept {n_bytes:,} bytes in {len(found):,} files, more than a cache may hold: {entry_caches.limits()}."
        )


def _copy(source: Path, target: Path, names: Iterable[Path]) -> None:
    """Copy these files, which are regular ones of one name each, with fixed modes and dates."""
    target.mkdir(exist_ok=True)
    folders = {target}
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        folders.update((target / name).parents[: len(name.parts) - 1])
        with _opened(source / name) as read, (target / name).open("xb") as written:
            written.write(read.read(MAX_BYTES + 1))
        (target / name).chmod(0o644)
        os.utime(target / name, (READ, CHANGED))
    for folder in folders:
        folder.chmod(0o755)
        os.utime(folder, (READ, CHANGED))


def _opened(path: Path) -> BinaryIO:
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(file)
        raise UserError(f"{path.name} is no file of its own.")
    return os.fdopen(file, "rb")


def _is_over(own: Path) -> bool:
    """Return whether more lies there than a cache may hold; the player may be writing at this moment."""
    n_files = n_bytes = 0
    left = [(own, 0)]
    while left:
        folder, depth = left.pop()
        for one, size in _listed(folder):
            n_files, n_bytes = n_files + 1, n_bytes + (size or 0)
            if size is None:
                left.append((one, depth + 1))
            if n_files > MAX_FILES + 1 or n_bytes > MAX_BYTES or depth > MAX_DEPTH:  # one is the entry's own file
                return True
    return False


def _listed(folder: Path) -> list[tuple[Path, int | None]]:
    """Return what is in a folder with its size, None of a folder, links left out; what vanishes meanwhile, too."""
    found: list[tuple[Path, int | None]] = []
    with suppress(OSError), os.scandir(folder) as listed:
        for one in listed:
            with suppress(OSError):
                if not one.is_symlink():
                    is_folder = one.is_dir(follow_symlinks=False)
                    found.append((Path(one.path), None if is_folder else one.stat(follow_symlinks=False).st_size))
    return found


def _kill(process: Callable[[], int | None]) -> None:
    """Kill the process if it is still the one that lives: its number could have been given to another."""
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
