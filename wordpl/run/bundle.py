"""The files of an entry: which they are, their digest, and copies of them.

An entry is one file, NAME.py or NAME.toml, which owns itself alone, or a folder NAME/, which owns what it holds: its
main file NAME.py, bot.py or bot.toml, and everything else. Nothing beside a file belongs to it, whatever it is called,
so that no name takes, hides or stops another entry. Only modules that several entries import lie beside them, and the
host declares these, in the file SHARED of the folder. No file is read in order to find out which others it uses.

A run's folder stores what was played as `bundles/DIGEST/`: the sources of each bundle, and what entries wrote before
the first game. A season stores `versions/NAME@NUMBER/`. Such a folder belongs whole to the entry that it stores, also
where release 1.0.0 stored a file with data beside it.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import BinaryIO

import msgspec

from wordpl.core import bounded, paths
from wordpl.core.bounded import NotRegularError
from wordpl.core.files import append, make_folders, named_in_errors
from wordpl.core.messages import UserError, sanitize_untrusted_text

PYTHON, PROGRAM = ".py", ".toml"
BUILD = "{build}"
EXAMPLE = 'game = "wordpl/1"\ncommand = ["node", "my_bot.js"]'
Settings = dict[str, str | int | float | bool]
"""The settings of an entry without code, as its TOML file gives them."""
FOLDER_MAINS = ("bot.py", "bot.toml")
"""The main files of a folder, besides the one that has its name."""
SHARED, SHIPPED = "shared.txt", "shipped.txt"
"""The host's list of shared modules in a folder of entries, and the package's list of its own strategies."""
_PLAIN_NAME = re.compile(r"[\w./-]+", re.ASCII)
COMPILED, STRATEGIES = "__pycache__", "strategies"
STORE, VERSIONS = "bundles", "versions"
_STORED = re.compile(rf"{STORE}/[0-9a-f]{{64}}|{VERSIONS}/[^/]+@[0-9]+")
"""The folders that store one entry, by the last two parts of their paths."""
MAX_BYTES = 128 << 20
MAX_FILES = 1000
"""The maximum number of files and folders."""
MAX_DEPTH = 8
"""The maximum depth of nested folders."""
MAX_SOURCE_BYTES = 1 << 20
"""The maximum size of TOML files, lists, and sources that are searched for a class."""
MAX_NAME_CHARACTERS = 60
BLOCK_BYTES = 1 << 20
FIXED_MTIME = 0
FIXED_ATIME = 4102444800
"""The time stamps of copies in seconds since 1970.

With the mount option relatime, Linux updates the access time only if it is older than a day or than the modification
time. An access time in 2100 is therefore never updated, so that it cannot be used to pass information.
"""


def limits() -> str:
    """Return the limits on the files of an entry, and on what it writes, as a phrase."""
    return f"{MAX_BYTES >> 20} MiB ({MAX_BYTES:,} bytes) and {MAX_FILES:,} files"


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry that is a program rather than a Python file, as its TOML file describes it, or that has no code at all.

    In both commands, a word that names a file of the entry is replaced by the path of that file, and {build} by the
    path of the build folder.

    Attributes:
        game: The game that the program plays.
        command: The program with its arguments; empty for an entry without code.
        build: The command that builds the program; empty if there is nothing to build.
        name: The entry's name on the board; "" to use the default.
        author, link, description: What the author says about it, see `wordpl.run.info`.
        tables: For an entry without code, which the harness plays itself: its kind and that kind's own settings, the
            only table of the file.
    """

    game: str
    command: list[str] = []
    build: list[str] = []
    name: str = ""
    author: str = ""
    link: str = ""
    description: str = ""
    tables: dict[str, Settings] = {}

    @property
    def kind(self) -> str:
        """The kind of an entry without code, such as "model"; "" for a program."""
        return next(iter(self.tables), "")

    @classmethod
    def parse(cls, content: bytes, name: str) -> "Program":
        """Return the program that a TOML file with this content and name describes.

        Raises:
            UserError: It is not the description of a program, or of one entry without code.
        """
        try:
            values = bounded.parse_toml(content, name)
            tables = {key: value for key, value in values.items() if isinstance(value, dict)}
            program = msgspec.convert({key: values[key] for key in values if key not in tables}, cls)
            if tables:
                program = msgspec.convert({**msgspec.structs.asdict(program), "tables": tables}, cls)
        except (UserError, msgspec.ValidationError) as error:
            raise UserError(
                f"{name}: {sanitize_untrusted_text(str(error), 300)}. It should say something like\n{EXAMPLE}"
            ) from None
        if len(program.tables) > 1 or (program.tables and (program.command or program.build)):
            raise UserError(f"{name}: an entry has one command or one table, which says how it is played.")
        if not (program.command or program.tables):
            raise UserError(f"{name}: the command is empty. It should say something like\n{EXAMPLE}")
        return program


@dataclass(frozen=True)
class FileTree:
    """Files with relative names: the sources of an entry, or what it wrote.

    Attributes:
        files: The path of each file by its name, which has forward slashes.
    """

    files: Mapping[str, Path]

    @classmethod
    def below(cls, folder: Path, without: Callable[[str], bool] = lambda name: False) -> "FileTree":
        """Return all files below a folder, without names that begin with a dot, and compiled code.

        Args:
            folder: The folder.
            without: Whether to leave out the file with this name, which is relative to the folder.

        Raises:
            UserError: There are too many files, a folder is too deep, a name is not printable, or something is neither
                a file nor a folder.
        """
        files: dict[str, Path] = {}
        for n_found, (name, item) in enumerate(_walk(folder), 1):
            if n_found > MAX_FILES:
                raise UserError(f"it has more than {MAX_FILES:,} files and folders; the limits are {limits()}.")
            if not item.is_dir(follow_symlinks=False) and not without(name):
                files[name] = Path(item.path)
        return cls(files)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of what `sha256sum` prints for the files, in the order of the bytes of their names.

        Raises:
            UserError: A file is not a regular one or cannot be read, or all files together are too large.
        """
        return self._digest(None)

    def copy_to(self, target: Path) -> str:
        """Copy the files to a folder, with plain modes and fixed time stamps; return the digest of what was copied.

        Raises:
            UserError: See `digest`.
            OSError: The folder cannot be written.
        """
        target.mkdir(parents=True, exist_ok=True)
        digest = self._digest(target)
        folders = {target} | {target / parent for name in self.files for parent in list(Path(name).parents)[:-1]}
        for folder in folders:
            folder.chmod(0o755)
            os.utime(folder, (FIXED_ATIME, FIXED_MTIME))
        return digest

    def _digest(self, target: Path | None) -> str:
        lines, names = sha256(), sorted(self.files, key=os.fsencode)
        n_bytes = 0
        for name in names:  # before any is read; they may grow while they are read
            with suppress(OSError):  # whoever reads it says why it cannot be read
                n_bytes += os.lstat(self.files[name]).st_size
            if n_bytes > MAX_BYTES:
                raise _too_large(name)
        n_bytes = 0
        for name in names:
            content = sha256()
            for block in self._blocks(name, target):
                n_bytes += len(block)
                if n_bytes > MAX_BYTES:
                    raise _too_large(name)
                content.update(block)
            lines.update(f"{content.hexdigest()}  {name}\n".encode())
        return lines.hexdigest()

    def _blocks(self, name: str, target: Path | None) -> Iterator[bytes]:
        """Yield the content of a file in blocks, after writing them to a copy below `target`."""
        with _open_regular(self.files[name], name) as source:
            if target is None:
                yield from iter(partial(source.read, BLOCK_BYTES), b"")
                return
            path = paths.inside(target, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb", buffering=0) as copy:
                while block := source.read(BLOCK_BYTES):
                    with named_in_errors(path):
                        append(copy.fileno(), block)
                    yield block
            path.chmod(0o644)
            os.utime(path, (FIXED_ATIME, FIXED_MTIME))


@dataclass(frozen=True)
class Bundle(FileTree):
    """The files of one entry, by their names in the folder strategies/ of its players.

    Attributes:
        place: The author's file or folder.
    """

    place: Path

    @classmethod
    def of(cls, place: Path, host: Path | None = None) -> "Bundle":
        """Return the bundle of a file or folder.

        Args:
            place: The file or folder.
            host: The folder whose list of shared modules holds; None: the one around `place`.

        Raises:
            UserError: It is a link, or has a file that cannot belong to an entry.
        """
        name, folder = shown(place.name), place.absolute().parent
        if place.is_symlink():
            raise UserError(f"{name} is a link: replace it by the file itself.")
        if place.is_dir():
            _main_in(place)
        if _STORED.fullmatch("/".join(folder.parts[-2:])):
            return cls(FileTree.below(folder, without={SHARED}.__contains__).files, place)
        files = {place.name: place}
        if place.is_dir():
            files = {f"{place.name}/{inner}": path for inner, path in FileTree.below(place).files.items()}
        shared = _used_by(place.name) if is_shipped(place) else shared_modules(host or folder)
        if shared.get(place.name, place) != files.get(place.name, place):
            raise UserError(f"{name} has the name of a module that the host shares: rename it.")
        files |= shared
        for file in files:
            _require_plain(file)
        if len(files) > MAX_FILES:
            raise UserError(f"{name} has {len(files):,} files, which exceeds the limit of {limits()}.")
        return cls(files, place)

    @property
    def main(self) -> str:
        """The name of the file that is imported, or that describes the program."""
        return main_of(self.place.parent, self.place.name)


class BundleStore:
    """A folder with trees of files, each in a folder that has the name of its digest."""

    def __init__(self, folder: Path):
        """Use this folder, which is created when the first tree is added."""
        self.folder = folder

    def add(self, tree: FileTree) -> str:
        """Store a copy of these files, unless there is one, and return their digest.

        Raises:
            UserError: See `FileTree.digest`, or the disk is full.
        """
        try:
            make_folders(self.folder, 0o700)
            draft = Path(mkdtemp(prefix=".", dir=self.folder))
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            digest = tree.copy_to(draft)
            if self.path(digest).exists() and not self.holds(digest):
                rmtree(self.path(digest))  # a power cut has left it, before all of it was on disk
            if not self.path(digest).exists():
                draft.rename(self.path(digest))
        except OSError as error:
            raise self._unwritable(error) from None
        finally:
            rmtree(draft, ignore_errors=True)
        return digest

    def holds(self, digest: str) -> bool:
        """Return whether the store has an intact copy of these files."""
        try:
            return self.tree(digest).digest == digest
        except UserError:
            return False

    def tree(self, digest: str) -> FileTree:
        """Return the files with this digest; whoever reads them checks it.

        Raises:
            UserError: They are not stored.
        """
        is_digest = len(digest) == 2 * sha256().digest_size and digest.isalnum()
        if not is_digest or not self.path(digest).is_dir():
            name = digest if is_digest else shown(digest)
            raise UserError(f"{self.path(name)} is missing: restore it, or start a new run.")
        return FileTree.below(self.path(digest))

    def copy(self, digest: str, target: Path) -> None:
        """Copy the files with this digest to a folder.

        Raises:
            UserError: They are not stored, or have changed.
        """
        if self.tree(digest).copy_to(target) != digest:
            raise UserError(f"{self.path(digest)} has changed: restore it, or start a new run.")

    def copy_from(self, other: "BundleStore", digests: Iterable[str]) -> None:
        """Add the files with these digests from another store.

        Raises:
            UserError: The other store does not have them, or the disk is full.
        """
        for digest in sorted(set(digests)):
            if self.add(other.tree(digest)) != digest:
                raise UserError(f"{other.path(digest)} has changed: start again.")

    def publish(self) -> None:
        """Let all users read the store; until then, only its owner can."""
        if self.folder.exists():
            self.folder.chmod(0o755)

    def path(self, digest: str) -> Path:
        """Return the folder of the files with this digest."""
        return self.folder / digest

    def _unwritable(self, error: OSError) -> UserError:
        return UserError(
            f"cannot write the files of an entry to {self.folder}: {error.strerror}. Choose another folder with "
            "--results, or free some disk space."
        )


def main_of(folder: Path, name: str) -> str:
    """Return the main file of the entry with this name in a folder with its files, relative to the folder."""
    return f"{name}/{_main_in(folder / name)}" if (folder / name).is_dir() else name


def mains_in(folder: Path) -> list[str]:
    """Return the names of the files of an entry's folder that can be its main file.

    NAME.toml is one if there is no other: a program and its files move into a folder without being renamed.
    """
    names = dict.fromkeys((f"{folder.name}{PYTHON}", *FOLDER_MAINS))
    found = [name for name in names if os.path.lexists(folder / name)]
    return found or [name for name in (f"{folder.name}{PROGRAM}",) if os.path.lexists(folder / name)]


def find_place(name: str) -> Path:
    """Return the absolute path of an entry's file or folder, given its name as returned by `paths.portable_name`."""
    own = paths.user_folder()
    place = next((folder / name for folder in (own, paths.bundled()) if os.path.lexists(folder / name)), own / name)
    return place.parent.resolve() / place.name


def entries_in(folder: Path) -> list[Path]:
    """Return the files and folders of a folder that are entries, sorted by name, without the host's shared modules."""
    if not folder.is_dir():
        return []
    shared = shared_names(folder)
    try:
        with os.scandir(folder) as listed:
            items = [item for item in listed if item.name[0] not in "._" and item.name not in shared]
    except OSError as error:
        raise UserError(f"cannot read the folder {folder}: {error.strerror}.") from None
    found = [
        item.name
        for item in items
        if (mains_in(folder / item.name) if _is_folder(item) else item.name.endswith((PYTHON, PROGRAM)))
    ]
    return [folder / name for name in sorted(found)]


def _is_folder(item: "os.DirEntry[str]") -> bool:
    try:
        return item.is_dir()
    except OSError:  # for example, a link to itself
        return False


def shared_names(folder: Path) -> list[str]:
    """Return the names in the host's declaration of shared modules; none if the file of that name is another text.

    A text that names no file at all, such as results that somebody shared into it, declares nothing.
    """
    names = read_list(folder / SHARED)
    is_other_text = not all(map(_PLAIN_NAME.fullmatch, names)) and not any((folder / name).exists() for name in names)
    return [] if is_other_text else names


def shared_modules(folder: Path) -> dict[str, Path]:
    """Return the modules that the host of a folder of entries declares as shared, by their names.

    Raises:
        UserError: A name is not that of a file of the folder.
    """
    files: dict[str, Path] = {}
    for name in shared_names(folder):
        if "/" in name or not paths.inside(folder, name).is_file():
            raise UserError(f"{SHARED} names {shown(name)}, which is not a file of {folder}.")
        files[name] = folder / name
    return files


def explain_missing(place: Path, failure: str, program: Program | None = None, *, named_alike: bool = False) -> str:
    """Return why an entry did not find files that lie beside it, and the commands that make them its own.

    Nobody can stop an entry by adding a file: it has failed by itself, whatever lies beside it. And no entry is played
    without its data unnoticed: whoever moves a file into a folder sees what it needs.

    Args:
        place: The author's file or folder.
        failure: How the entry failed, as it or its interpreter reports it.
        program: What its TOML file describes: its commands say what it needs.
        named_alike: Only look for files that are called like the entry, which were its data in release 1.0.0.

    Returns:
        Sentences, and a line with the commands; "" if it looked for no such file.
    """
    folder = place.absolute().parent
    lines = [line for line in failure.splitlines() if any(sign in line for sign in _NOT_FOUND)]
    sought = [word for line in lines for words in _SOUGHT.findall(line) for word in words if word]
    if program is not None:
        sought += [*program.build, *program.command]
    firsts = (word.rpartition(f"{STRATEGIES}/")[2].split("/")[0] for word in sought)
    missing = [name for name in dict.fromkeys(firsts) if name not in ("", ".", "..", place.name)
               and name.isprintable() and os.path.lexists(folder / name)]  # fmt: skip
    if named_alike:
        missing = [name for name in missing if _is_called_like(place, name)]
    if not missing or _STORED.fullmatch("/".join(folder.parts[-2:])):
        return ""
    names = ", ".join(map(shown, missing[:MAX_SUGGESTED]))
    return (
        f"An entry is one file, which owns itself alone, or a folder, which owns what it holds; {names} beside "
        f"{shown(place.name)} is not its own. Put them into a folder, and open the data beside __file__:\n"
        f"{commands_into_folder(place, missing)}"
    )


_NOT_FOUND = ("No such file", "annot find module", "can't open", "annot open", "nable to open")
_SOUGHT = re.compile(r"'([^'\n]{1,400})'|\"([^\"\n]{1,400})\"|([^\s'\":]{1,400})")
MAX_SUGGESTED = 20
"""The number of files that a message names."""


def commands_into_folder(place: Path, missing: Sequence[str]) -> str:
    """Return the shell commands that move an entry, and files beside it, into a folder of its own.

    Files beside it that are called like it, as release 1.0.0 wanted data to be, are moved along.
    """
    folder, data = place.absolute().parent, list(missing[:MAX_SUGGESTED])

    def quoted(name: str) -> str:
        path = (Path(paths.relative_to_cwd(folder)) / name).as_posix()
        return shlex.quote(f"./{path}" if path[0] == "-" else path)

    if place.is_dir():
        return f"mv {' '.join(map(quoted, data))} {quoted(place.name)}/"
    with os.scandir(folder) as listed:
        alike = sorted(item.name for item in listed if _is_called_like(place, item.name))
    data += [name for name in alike if name not in data]
    del data[MAX_SUGGESTED:]
    new = next(name for name in chain([place.stem], (f"{place.stem}_{n}" for n in count(2)))
               if not os.path.lexists(folder / name))  # fmt: skip
    if new == place.stem:
        return f"mkdir {quoted(new)} && mv {' '.join(map(quoted, [place.name, *data]))} {quoted(new)}/"
    main = f"{quoted(new)}/bot{place.suffix}"
    return f"mkdir {quoted(new)} && mv {quoted(place.name)} {main} && mv {' '.join(map(quoted, data))} {quoted(new)}/"


def _is_called_like(place: Path, name: str) -> bool:
    is_data = name.startswith(tuple(f"{place.stem}{sign}" for sign in "._-")) and not name.endswith((PYTHON, PROGRAM))
    return is_data and name.isprintable()


@cache
def _shipped() -> Mapping[str, list[str]]:
    """Return the names of the files that the package ships, each with the strategies that it imports."""
    lines = (line.partition(":") for line in read_list(paths.bundled() / STRATEGIES / SHIPPED))
    return {name.strip(): used.split() for name, _, used in lines}


@cache
def shipped_tree() -> FileTree:
    """Return the strategies that the package ships, with their tables."""
    folder = paths.bundled() / STRATEGIES
    return FileTree({name: folder / name for name in _shipped()})


def shipped_places() -> list[Path]:
    """Return the files and folders of the strategies that the package ships."""
    names = {name.partition("/")[0] for name in _shipped() if name.endswith(PYTHON)}
    return [paths.bundled() / STRATEGIES / name for name in sorted(names)]


def is_shipped(place: Path) -> bool:
    """Return whether a file or folder is a strategy that the package ships."""
    is_listed = any(name.partition("/")[0] == place.name for name in _shipped())
    return is_listed and place.resolve() == (paths.bundled() / STRATEGIES / place.name).resolve()


def _used_by(name: str) -> dict[str, Path]:
    """Return the files of other shipped strategies that a shipped strategy uses, by their names."""
    files: dict[str, Path] = {}
    unread = list(_shipped().get(name, ()))
    while unread:
        used = unread.pop()
        own = {file: path for file, path in shipped_tree().files.items() if file.partition("/")[0] == used}
        unread += [further for file in own if file not in files for further in _shipped()[file]]
        files |= own
    return files


def read_list(file: Path) -> list[str]:
    """Return the lines of a list, without comments; an empty list if there is no such file."""
    if not os.path.lexists(file):
        return []
    try:
        with _open_regular(file, file.name) as source:
            content = source.read(MAX_SOURCE_BYTES + 1)
        if len(content) > MAX_SOURCE_BYTES:
            raise ValueError(f"it has more than {MAX_SOURCE_BYTES:,} bytes")
        text = content.decode()
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {file}: {error}.") from None
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return list(dict.fromkeys(filter(None, lines)))


def shown(name: str) -> str:
    """Return the name of a file as text for messages."""
    return sanitize_untrusted_text(name if name.isprintable() else ascii(name)[1:-1], MAX_NAME_CHARACTERS)


def _main_in(folder: Path) -> str:
    mains = mains_in(folder)
    if len(mains) == 1:
        return mains[0]
    wanted = " or ".join(dict.fromkeys((f"{folder.name}{PYTHON}", *FOLDER_MAINS)))
    found = " and ".join(mains) if mains else "none"
    raise UserError(f"the folder {shown(folder.name)}/ should hold exactly one of {shown(wanted)}; it holds {found}.")


def _walk(folder: Path) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """Yield the files and folders below a folder with their relative names."""
    unvisited = [(folder, "", 0)]
    while unvisited:
        current, prefix, depth = unvisited.pop()
        try:
            with os.scandir(current) as listed:
                items = sorted(listed, key=lambda item: item.name)
        except OSError as error:
            raise UserError(f"cannot read the folder {shown(current.name)}: {error.strerror}.") from None
        for item in items:
            if item.name.startswith(".") or item.name == COMPILED:
                continue
            name = f"{prefix}{item.name}"
            _require_plain(name)
            if item.is_dir(follow_symlinks=False):
                if depth >= MAX_DEPTH:
                    raise UserError(f"its folders are nested more than {MAX_DEPTH} levels deep.")
                unvisited.append((Path(item.path), f"{name}/", depth + 1))
            elif not item.is_file(follow_symlinks=False):
                raise UserError(f"{shown(name)} is {bounded.kind_of(item.stat(follow_symlinks=False).st_mode)}.")
            yield name, item


def _too_large(name: str) -> UserError:
    return UserError(f"{shown(name)}: its files exceed the limit of {limits()}.")


def _require_plain(name: str) -> None:
    if not name.isprintable():
        raise UserError(f"the name {shown(name)} is not printable.")
    if not paths.is_plain(name):
        raise UserError(f"the name {shown(name)} is too long, or has a backslash or a drive.")


@contextmanager
def _open_regular(path: Path, name: str) -> Iterator[BinaryIO]:
    """Open a file of an entry, without following a link or waiting for a pipe.

    Raises:
        UserError: It is not a regular file, or cannot be read.
    """
    try:
        with bounded.open_file(bounded.BUNDLE_FILE, path) as file:
            yield file
    except NotRegularError as error:
        raise UserError(f"{shown(name)} is {error.message.removeprefix(f'{path} is ')}") from None
    except OSError as error:
        if error.filename not in (None, os.fspath(path)):  # the copy
            raise
        raise UserError(f"{shown(name)} cannot be read: {error.strerror}.") from None
