"""Records what a program does to the files in a folder, and makes every disk that a power cut may leave of it.

As databases are tested (as by SQLite, ALICE and CrashMonkey): the disk has what was synced. Whatever was not synced
may be there or not, each name and each write for itself: a name without its file's data, data cut in the middle, zeros
in place of data that had not arrived. The same recorder makes an operation fail, so that a full disk or Ctrl-C can be
tried at each of them.
"""

import builtins
import errno
import fcntl
import io
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

WRITES = ("write", "create", "mkdir")
"""What a full disk cannot do."""
POLICIES = [(names, data) for names in ("all", "synced") for data in ("all", "synced")]
POLICIES += [("all", data) for data in ("torn", "clipped", "zeros", "holes")] + [("any", "any")]
"""Which names and which data that were not synced are on the disk."""


@dataclass(eq=False)
class File:
    """A file: its content before the recording, and the operations on it by their numbers."""

    content: bytes = b""
    changes: list[tuple[int, int, bytes | None]] = field(default_factory=list)  # number, place, data (None: cut there)
    syncs: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Folder:
    """A folder: its names before the recording, those of now, and when it was synced."""

    before: dict[str, "File | Folder"] = field(default_factory=dict)
    names: dict[str, "File | Folder"] = field(default_factory=dict)
    syncs: list[int] = field(default_factory=list)


def _folder_of(path: Path) -> Folder:
    names = {each.name: _folder_of(each) if each.is_dir() else File(each.read_bytes())
             for each in path.iterdir() if not each.is_symlink()}  # fmt: skip
    return Folder(dict(names), names)


class _RecordedFile(io.FileIO):
    """A file whose writes go through `os.write`."""

    def write(self, data):
        return os.write(self.fileno(), bytes(data))

    def truncate(self, size=None):
        os.ftruncate(self.fileno(), self.tell() if size is None else size)
        return size


class Recorder:
    """Records the operations on the files below a folder while its context lasts.

    Attributes:
        root: The folder.
        kinds: The kind of each operation: write, truncate, sync, create, mkdir, rename or remove, with its path.
        fault: Called before each operation with its number and kind; what it raises, the operation raises. If it
            returns a number of bytes, a write writes only these.
    """

    def __init__(self, root: Path, fault: Callable[[int, str], object] = lambda number, kind: None):
        self.root, self.fault = root.resolve(), fault
        self.tree = _folder_of(self.root)
        self.kinds: list[tuple[str, str]] = []
        self.renamings: list[tuple[int, list[tuple[Folder, str, File | Folder | None]]]] = []

    def __enter__(self):
        self._real = {name: getattr(os, name) for name in
                      ("open", "write", "fsync", "replace", "rename", "unlink", "remove", "mkdir", "rmdir", "truncate",
                       "ftruncate", "link", "symlink")}  # fmt: skip
        self._real_open = io.open
        for name in ("open", "write", "fsync", "unlink", "mkdir", "rmdir", "truncate", "ftruncate"):
            setattr(os, name, getattr(self, f"_{name}"))
        os.remove, os.rename, os.replace = self._unlink, self._replace, self._replace
        for name in ("link", "symlink"):
            setattr(os, name, partial(self._unknown, name))
        io.open = builtins.open = self._open_file
        self._sendfile, shutil._USE_CP_SENDFILE = shutil._USE_CP_SENDFILE, False
        return self

    def __exit__(self, *error):
        for name, function in self._real.items():
            setattr(os, name, function)
        io.open = builtins.open = self._real_open
        shutil._USE_CP_SENDFILE = self._sendfile

    def _path(self, path, folder=None):
        """Return a path relative to the root; None if it lies elsewhere."""
        if isinstance(path, int):
            path = Path(f"/proc/self/fd/{path}").readlink()
        elif folder is not None:
            path = Path(f"/proc/self/fd/{folder}").readlink() / os.fsdecode(path)
        path = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - it may be a link
        root = f"{self.root}/"
        return path.removeprefix(root) if path.startswith(root) else "" if path == str(self.root) else None

    def _node(self, path):
        node = self.tree
        for name in path.split("/") if path else []:
            node = node.names.get(name) if isinstance(node, Folder) else None
        return node

    def _place(self, path):
        folder, _, name = path.rpartition("/")
        return self._node(folder), name

    def _begin(self, kind, path):
        self.kinds.append((kind, path))
        try:
            return self.fault(len(self.kinds) - 1, kind)
        except OSError as error:
            if kind not in ("write", "sync"):  # the system names files only where it is given a name
                error.filename = str(self.root / path)
            raise

    def _name(self, *changes):
        """Note that names of folders now stand for these files or folders, or for none."""
        self.renamings.append((len(self.kinds) - 1, list(changes)))
        for folder, name, node in changes:
            folder.names[name] = node
            if node is None:
                del folder.names[name]

    def _unknown(self, name, source, target, *args, **options):
        assert self._path(target) is None, f"os.{name} is not recorded"
        self._real[name](source, target, *args, **options)

    def _open(self, path, flags, mode=0o777, *, dir_fd=None):
        own = self._path(path, dir_fd)
        if own is None or not flags & (os.O_WRONLY | os.O_RDWR):
            return self._real["open"](path, flags, mode, dir_fd=dir_fd)
        node = self._node(own)
        if node is None and flags & os.O_CREAT and self._place(own)[0] is not None:
            self._begin("create", own)
            file = self._real["open"](path, flags, mode, dir_fd=dir_fd)
            self._name((*self._place(own), File()))
        elif isinstance(node, File) and flags & os.O_TRUNC:
            self._begin("truncate", own)
            file = self._real["open"](path, flags, mode, dir_fd=dir_fd)
            node.changes.append((len(self.kinds) - 1, 0, None))
        else:
            file = self._real["open"](path, flags, mode, dir_fd=dir_fd)
        return file

    def _open_file(
        self, file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None
    ):
        if not set(mode) & set("wax+"):
            return self._real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        opener = opener or (None if isinstance(file, int) else lambda path, flags: os.open(path, flags, 0o666))
        raw = _RecordedFile(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)

    def _write(self, file, data):
        own = self._path(file)
        node = None if own is None else self._node(own)
        if not isinstance(node, File):
            return self._real["write"](file, data)
        left = self._begin("write", own)
        place = os.lseek(file, 0, os.SEEK_CUR)
        if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_APPEND:
            place = os.fstat(file).st_size
        n_bytes = self._real["write"](file, data if left is None else bytes(data)[:left])
        node.changes.append((len(self.kinds) - 1, place, bytes(data)[:n_bytes]))
        return n_bytes

    def _truncate(self, path, size):
        own = self._path(path)
        node = None if own is None else self._node(own)
        if isinstance(node, File):
            self._begin("truncate", own)
            node.changes.append((len(self.kinds) - 1, size, None))
        self._real["truncate"](path, size)

    _ftruncate = _truncate

    def _fsync(self, file):
        own = self._path(file)
        node = None if own is None else self._node(own)
        if node is not None:
            self._begin("sync", own)
            node.syncs.append(len(self.kinds) - 1)  # nothing waits for a real disk

    def _replace(self, source, target, *, src_dir_fd=None, dst_dir_fd=None):
        old, new = self._path(source, src_dir_fd), self._path(target, dst_dir_fd)
        node = None if old is None else self._node(old)
        if node is not None and new is not None:
            self._begin("rename", new)
            self._real["replace"](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
            self._name((*self._place(old), None), (*self._place(new), node))
        else:
            self._real["replace"](source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def _unlink(self, path, *, dir_fd=None):
        self._removed(self._real["unlink"], path, dir_fd)

    def _rmdir(self, path, *, dir_fd=None):
        self._removed(self._real["rmdir"], path, dir_fd)

    def _removed(self, remove, path, dir_fd):
        own = self._path(path, dir_fd)
        if own and self._node(own) is not None:
            self._begin("remove", own)
            remove(path, dir_fd=dir_fd)
            self._name((*self._place(own), None))
        else:
            remove(path, dir_fd=dir_fd)

    def _mkdir(self, path, mode=0o777, *, dir_fd=None):
        own = self._path(path, dir_fd)
        if own is not None and self._node(own) is None and self._place(own)[0] is not None:
            self._begin("mkdir", own)
            self._real["mkdir"](path, mode, dir_fd=dir_fd)
            self._name((*self._place(own), Folder()))
        else:
            self._real["mkdir"](path, mode, dir_fd=dir_fd)

    def moments(self) -> list[tuple[int, tuple[str, str]]]:
        """Return after how many operations the power may be cut, with each policy about what was not synced."""
        return [(n_done, policy) for n_done in range(len(self.kinds) + 1) for policy in POLICIES]

    def disk(self, n_done: int, names: str, data: str, chance: random.Random) -> dict[str, bytes | None]:
        """Return the content of each file, and None for each folder, after a power cut.

        Args:
            n_done: The number of operations before it.
            names: Which names that were not synced are there: all, those that were synced, or any of them.
            data: The same of data; or the last write is torn or clipped, or there are zeros or holes in its place.
            chance: Chooses.
        """
        folders: dict[int, dict[str, File | Folder]] = {}

        def names_of(folder: Folder) -> dict[str, File | Folder]:
            return folders.setdefault(id(folder), dict(folder.before))

        for number, changes in self.renamings:
            if number >= n_done:
                break
            is_synced = any(number < at < n_done for folder, _, _ in changes for at in folder.syncs)
            if is_synced or names == "all" or (names == "any" and chance.random() < 0.5):
                for folder, name, node in changes:
                    if node is None:
                        names_of(folder).pop(name, None)
                    else:
                        names_of(folder)[name] = node
        found: dict[str, bytes | None] = {}
        unvisited: list[tuple[str, File | Folder]] = [("", self.tree)]
        while unvisited:
            path, node = unvisited.pop()
            if isinstance(node, Folder):
                found[path] = None
                unvisited += [(f"{path}/{name}".lstrip("/"), each) for name, each in sorted(names_of(node).items())]
            else:
                found[path] = self._content(node, n_done, data, chance)
        return found

    def _content(self, file: File, n_done: int, data: str, chance: random.Random) -> bytes:
        synced = max((at for at in file.syncs if at < n_done), default=-1)
        content = bytearray(file.content)
        pending = [change for change in file.changes if synced < change[0] < n_done]
        for _, place, written in (change for change in file.changes if change[0] < synced):
            _apply(content, place, written)
        if data == "any":
            pending = pending[: chance.randint(0, len(pending))]
            data = chance.choice(["all", "torn", "clipped", "zeros", "holes"])
        elif data == "synced":
            pending = []
        for index, (_, place, written) in enumerate(pending):
            is_last = index == len(pending) - 1
            if written is not None and (data == "zeros" or (data == "holes" and (index == 0 or not is_last))):
                half = len(written) // 2 if is_last else len(written)
                written = bytes(half if data == "holes" else len(written)) + (
                    written[half:] if data == "holes" else b""
                )
            elif written is not None and data in ("torn", "clipped") and is_last:
                written = written[: len(written) // 2 if data == "torn" else -2]
            _apply(content, place, written)
        return bytes(content)

    def disks(self, n: int | None = None, seed: int = 0) -> Iterator[tuple[str, dict[str, bytes | None]]]:
        """Yield the different disks that power cuts may leave, each with words that say which cut it was.

        Args:
            n: The number of cuts, which are drawn, beside those at the end; None: all.
            seed: Of the draws.
        """
        chance, seen = random.Random(seed), set()
        moments = self.moments()
        if n is not None:
            moments = sorted(chance.sample(moments, min(n, len(moments)))) + moments[-len(POLICIES) :]
        for n_done, (names, data) in reversed(moments):  # of equal disks the latest, when most had been promised
            files = self.disk(n_done, names, data, chance)
            known = hash(frozenset(files.items()))
            if known not in seen:
                seen.add(known)
                last = " ".join(self.kinds[n_done - 1]) if n_done else "the start"
                yield f"cut {n_done} after {last}; names: {names}, data: {data}", files


def _apply(content: bytearray, place: int, written: bytes | None) -> None:
    if written is None:
        del content[place:]
        content += bytes(place - len(content))
    else:
        content += bytes(max(0, place - len(content)))
        content[place : place + len(written)] = written


def restore(files: dict[str, bytes | None], folder: Path) -> Path:
    """Write the files of a disk into a new folder, and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in sorted(files.items()):
        if content is None:
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).write_bytes(content)
    return folder


def full_from(first: int, code: int = errno.ENOSPC) -> Callable[[int, str], object]:
    """Return a fault of a disk that is full from an operation on; the first write after that is cut off."""
    is_full = []

    def fault(number: int, kind: str) -> object:
        if number < first or kind not in WRITES:
            return None
        if kind == "write" and not is_full:
            is_full.append(True)
            return 1
        raise OSError(code, os.strerror(code))

    return fault


def once_at(place: int, error: BaseException) -> Callable[[int, str], object]:
    """Return a fault that raises an error in place of one operation."""

    def fault(number: int, kind: str) -> None:
        if number == place:
            raise error

    return fault


def some_or_all(n: int) -> list[object]:
    """Return the parameters of a test that tries so many of all cases when it is slow, and all when it is long."""
    return [pytest.param(n, marks=pytest.mark.slow), pytest.param(None, marks=pytest.mark.long)]


@contextmanager
def recording(root: Path) -> Iterator[Recorder]:
    """Record the operations on the files below a folder."""
    with Recorder(root) as recorder:
        yield recorder
