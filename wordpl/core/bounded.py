"""Bounded readers of files that others made: every function that opens such a file goes through this module.

A file of a run, an entry or a league may be anything: a pipe, a link to a device, a sparse file of gigabytes, JSON that
is nested a thousand deep. A reader opens regular files only, never follows a link in the last part of a path, reads no
more than the limits of the file's kind, and says which limit was exceeded.
"""

import errno
import os
import re
import stat
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from wordpl.core.messages import UserError

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
CHUNK_BYTES = 1 << 18
MAX_DEPTH = 32
GZIP_WINDOW = 16 + zlib.MAX_WBITS
MAX_MEMBERS = 1000
"""The most members of a gzip file, which take time even if they are empty."""
_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DEEP_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MAX_DEPTH}}}")
"""A key of TOML with more than MAX_DEPTH parts, such as a.b.c."""
SYSTEM_FOLDERS = ("/proc", "/sys")
"""Folders whose files look regular, but can do something when they are read."""


@dataclass(frozen=True)
class FileKind:
    """A kind of file that others make, and what reading one of them may take.

    Attributes:
        name: What it is called in messages.
        made_by: Who makes it.
        max_bytes: The maximum size; that of the unpacked content, if it is compressed.
        max_line_bytes: The maximum length of a line; 0: it is not read by lines.
        may_be_link: Whether the reader names the file himself, so that it may be a link.
    """

    name: str
    made_by: str
    max_bytes: int
    max_line_bytes: int = 0
    may_be_link: bool = False

    @property
    def limits(self) -> str:
        """The limits as text."""
        line = f", lines of {_size(self.max_line_bytes)}" if self.max_line_bytes else ""
        return f"{_size(self.max_bytes)}{line}"


class TooLargeError(UserError):
    """A file that others made exceeds a limit of its kind."""


class NotRegularError(UserError):
    """Something that others made is not a regular file."""


def read(kind: FileKind, path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        FileNotFoundError: There is no such file.
        NotRegularError: It is not a regular file.
        TooLargeError: It is larger than files of its kind may be.
        OSError: It cannot be read.
    """
    with open_file(kind, path) as file:
        return _read(kind, path, file)


def read_blocks(kind: FileKind, path: Path) -> Iterator[bytes]:
    """Yield the content of a file in blocks, for files that are too large for memory; see `read`."""
    with open_file(kind, path) as file:
        n_bytes = 0
        if os.fstat(file.fileno()).st_size > kind.max_bytes:
            raise _too_large(kind, path)
        while block := file.read(CHUNK_BYTES):
            n_bytes += len(block)
            if n_bytes > kind.max_bytes:
                raise _too_large(kind, path)
            yield block


def digest(kind: FileKind, path: Path) -> str:
    """Return the SHA-256 of a file; see `read`."""
    content = sha256()
    for block in read_blocks(kind, path):
        content.update(block)
    return content.hexdigest()


def read_text(kind: FileKind, path: Path, *, errors: str = "strict", encoding: str = "utf-8") -> str:
    """Return the content of a file as text; see `read`.

    Raises:
        UnicodeDecodeError: It is not text, and `errors` is "strict".
    """
    return read(kind, path).decode(encoding, errors)


def read_if_exists(kind: FileKind, path: Path) -> bytes:
    """Return the content of a file, or nothing if there is no such file; see `read`."""
    try:
        return read(kind, path)
    except FileNotFoundError:
        return b""


def read_lines(kind: FileKind, path: Path) -> list[bytes]:
    """Return the lines of a file without their newlines, also an incomplete last one; see `read`.

    Raises:
        TooLargeError: The file or a line of it is too large.
    """
    lines = read(kind, path).splitlines()
    longest = max(map(len, lines), default=0)
    if kind.max_line_bytes and longest > kind.max_line_bytes:
        raise TooLargeError(f"{path}: a line of a {kind.name} has at most {_size(kind.max_line_bytes)}.")
    return lines


def read_parts(kind: FileKind, path: Path, max_lines: int) -> Iterator[bytes]:
    """Yield the content of a file with lines in parts of about CHUNK_BYTES.

    Args:
        kind: A kind with lines.
        path: The file.
        max_lines: The maximum number of lines.

    Raises:
        TooLargeError: There are more lines, or a line is too long.
        OSError, UserError: See `read`.
    """
    with open_file(kind, path) as file:
        yield from _within(kind, path, iter(lambda: file.read(CHUNK_BYTES), b""), max_lines)


def read_unpacked_parts(kind: FileKind, path: Path, max_lines: int) -> Iterator[bytes]:
    """Yield the unpacked content of a gzip file with lines; see `read_parts`.

    Raises:
        UserError: It is damaged.
    """
    with open_file(kind, path) as file:
        yield from _within(kind, path, _unpacked(path, file), max_lines)


def read_json(kind: FileKind, path: Path) -> Any:
    """Return the value in a JSON file as plain values.

    Raises:
        UserError: It is not JSON, or nested too deep; or see `read`.
        OSError: See `read`.
    """
    return parse_json(read(kind, path), str(path))


def parse_json(data: bytes | str, name: str) -> Any:
    """Return the value of a JSON text as plain values.

    Raises:
        UserError: It is not JSON, or nested more than MAX_DEPTH deep.
    """
    import msgspec  # here, as the build reads word lists with this module and does not install the library

    try:
        value = msgspec.json.decode(data)
    except RecursionError:
        raise TooLargeError(f"{name} is nested more than {MAX_DEPTH} deep.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{name} is not JSON: {error}") from None
    require_flat(value, name)
    return value


def read_toml(kind: FileKind, path: Path) -> dict[str, Any]:
    """Return the values in a TOML file.

    Raises:
        UserError: It is not TOML, or nested too deep; or see `read`.
        OSError: See `read`.
    """
    return parse_toml(read(kind, path), str(path))


def parse_toml(data: bytes, name: str) -> dict[str, Any]:
    """Return the values of a TOML text.

    Raises:
        UserError: It is not TOML, or nested too deep.
    """
    try:
        text = data.decode()
        if _DEEP_KEY.search(text):
            raise RecursionError  # tomllib would take hours for a long one
        values = tomllib.loads(text)
    except RecursionError:
        raise TooLargeError(f"{name} is nested more than {MAX_DEPTH} deep.") from None
    except (UnicodeDecodeError, ValueError) as error:
        raise UserError(f"{name} is not TOML: {error}") from None
    require_flat(values, name)
    return values


def require_flat(value: Any, name: str) -> None:
    """Check that plain values are nested at most MAX_DEPTH deep.

    Raises:
        TooLargeError: They are nested deeper.
    """
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise TooLargeError(f"{name} is nested more than {MAX_DEPTH} deep.")
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                inner += part.values()
            elif isinstance(part, list):
                inner += part
        level = [part for part in inner if isinstance(part, dict | list)]


@contextmanager
def open_file(kind: FileKind, path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; it never waits for a pipe, and follows a link only if the reader named the file.

    Raises:
        FileNotFoundError: There is no such file.
        NotRegularError: It is not a regular file.
        OSError: It cannot be read.
    """
    handle = open_regular(path, os.O_RDONLY | os.O_CLOEXEC | (0 if kind.may_be_link else os.O_NOFOLLOW))
    file = os.fdopen(handle, "rb")
    with file:
        if os.fstat(handle).st_dev in _system_devices():
            raise NotRegularError(f"{path} is a file of the system, where a regular file is needed.")
        yield file


def open_regular(path: Path, flags: int) -> int:
    """Return the descriptor of an opened regular file; opening never waits for a pipe.

    Raises:
        FileNotFoundError: There is no such file.
        NotRegularError: It is not a regular file.
        OSError: It cannot be opened.
    """
    try:
        handle = os.open(path, flags | os.O_NONBLOCK, 0o644)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR) and os.path.lexists(path):
            raise NotRegularError(f"{path} is {kind_of(path.lstat().st_mode)}.") from None
        raise
    if not stat.S_ISREG(mode := os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegularError(f"{path} is {kind_of(mode)}.")
    return handle


@cache
def _system_devices() -> frozenset[int]:
    devices = set()
    for name in SYSTEM_FOLDERS:
        with suppress(OSError):
            devices.add(os.stat(name).st_dev)  # noqa: PTH116 - light
    return frozenset(devices - {os.stat("/").st_dev})  # noqa: PTH116 - light


def kind_of(mode: int, wanted: str = "regular file") -> str:
    """Return what a mode stands for that is not that of a regular file, as a phrase that says what is wanted."""
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kinds |= {stat.S_IFREG: "a file"}
    return f"{kinds.get(stat.S_IFMT(mode), 'a device')}, where a {wanted} is needed"


def _read(kind: FileKind, path: Path, file: BinaryIO) -> bytes:
    size = os.fstat(file.fileno()).st_size
    data = b"" if size > kind.max_bytes else file.read(kind.max_bytes + 1)
    if max(size, len(data)) > kind.max_bytes:
        raise _too_large(kind, path)
    return data


def _too_large(kind: FileKind, path: Path) -> TooLargeError:
    return TooLargeError(f"{path} is larger than {_size(kind.max_bytes)}, the limit for a {kind.name}.")


def _within(kind: FileKind, path: Path, parts: Iterator[bytes], max_lines: int) -> Iterator[bytes]:
    """Yield the parts as long as they hold at most `max_lines` lines, each no longer than `kind` allows."""
    n_lines = open_bytes = 0
    for part in parts:
        first, newline, rest = part.partition(b"\n")
        open_bytes += len(first)
        is_long = open_bytes > kind.max_line_bytes
        if newline:
            n_lines += part.count(b"\n")
            open_bytes = len(rest) - rest.rfind(b"\n") - 1
            is_long = is_long or (len(part) > kind.max_line_bytes and _longest(part) > kind.max_line_bytes)
        if n_lines > max_lines:
            raise TooLargeError(f"{path} holds more than the {max_lines:,} lines that run.json allows.")
        if is_long:
            raise TooLargeError(f"{path}: a line of a {kind.name} has at most {_size(kind.max_line_bytes)}.")
        yield part


def _longest(part: bytes) -> int:
    return max(map(len, part.split(b"\n")))


def _unpacked(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Yield the unpacked content of a gzip file, whose members may follow each other, in bounded parts."""
    unpacker, packed, n_members = zlib.decompressobj(GZIP_WINDOW), b"", 1
    try:
        while True:
            packed = unpacker.unconsumed_tail or unpacker.unused_data or file.read(CHUNK_BYTES)
            if unpacker.eof and not packed:
                return
            if unpacker.eof:
                n_members += 1
                if n_members > MAX_MEMBERS:
                    raise TooLargeError(f"{path} has more than {MAX_MEMBERS:,} compressed parts.")
                unpacker = zlib.decompressobj(GZIP_WINDOW)
            elif not packed:
                raise zlib.error("it ends too early")
            if part := unpacker.decompress(packed, CHUNK_BYTES):
                yield part
    except zlib.error as error:
        raise UserError(f"{path} is damaged: {error}") from None


def _size(n_bytes: int) -> str:
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:g} {name}"
    return f"{n_bytes} bytes"


HOST = "whoever published the run"
CONTESTANT = "a contestant"
AUTHOR = "whoever wrote the file"
MEMBER = "members of a league, through an export"

RUN_JSON = FileKind("run.json", HOST, 16 * MIB)
RECORDS = FileKind("file of records", HOST, 64 * GIB, 256 * KIB)
FINGERPRINTS = FileKind("file of fingerprints", HOST, GIB, 64)
SEALED = FileKind("file that the seal covers", HOST, GIB)
JOURNAL = FileKind("journal", HOST, 64 * MIB)
DRAWS = FileKind("file of draws", HOST, 256 * MIB)
ARCHIVE = FileKind("archive of a run", HOST, 4 * GIB, may_be_link=True)
ARCHIVED = FileKind("file of a run that is archived", HOST, 4 * GIB)
REPORT_TABLE = FileKind("table of a run", HOST, 64 * MIB)
MATCH_TERMS = FileKind("match.json", HOST, MIB)
TUNE_TERMS = FileKind("tune.json", HOST, MIB)
BUNDLE_FILE = FileKind("file of an entry", CONTESTANT, 128 * MIB)
SOURCE = FileKind("source of an entry", CONTESTANT, MIB)
"""The limit of 128 MiB holds for all files of an entry together."""
WORD_LIST = FileKind("word list", HOST, 16 * MIB, may_be_link=True)
ENDPOINTS = FileKind("file of endpoints", HOST, 64 * KIB, may_be_link=True)
PROMPT = FileKind("prompt of an entry", CONTESTANT, 64 * KIB)
TRANSCRIPT = FileKind("transcript of an entry", HOST, 4 * GIB, 4 * MIB)
OWN_GAME = FileKind("file of a game", HOST, 64 * KIB, may_be_link=True)
TREE = FileKind("decision tree", AUTHOR, 64 * MIB, may_be_link=True)
PLAN = FileKind("plan", AUTHOR, 64 * MIB, may_be_link=True)
PROOF_LOG = FileKind("proof log", AUTHOR, 64 * MIB, MIB, may_be_link=True)
EVIDENCE = FileKind("file of evidence", AUTHOR, 64 * MIB, may_be_link=True)
OWN_LOG = FileKind("log of a computation that is resumed", AUTHOR, 256 * MIB, may_be_link=True)
TOURNAMENT = FileKind("tournament file", AUTHOR, 16 * MIB, may_be_link=True)
ROSTER = FileKind("roster of a course", HOST, MIB, may_be_link=True)
RULES = FileKind("file of rules", AUTHOR, MIB, may_be_link=True)
SEASON_LOG = FileKind("log of a season", HOST, 64 * MIB, MIB)
SEASON_FILE = FileKind("file of a season", HOST, 64 * MIB)
SEASON_TERMS = FileKind("terms of a season", HOST, MIB)
EXPORT = FileKind("chat export", MEMBER, 64 * MIB, may_be_link=True)
EXPORT_PICTURE = FileKind("picture", MEMBER, 16 * MIB)
