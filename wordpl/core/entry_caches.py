"""Caches of entries: files that an entry creates before the first game of a run, read-only for its players.

A run's folder keeps each cache as `caches/DIGEST/`; run.json has the digest in the description of the entry.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

MAX_BYTES = 64 << 20
MAX_FILES = 1000
"""The maximum number of files and folders."""
MAX_DEPTH = 8
"""The maximum depth of nested folders."""
FOLDER = "caches"


def limits() -> str:
    """Return the limits on the size of a cache as a phrase."""
    return f"{MAX_BYTES >> 20} MiB ({MAX_BYTES:,} bytes) and {MAX_FILES:,} files"


def folder_of(run: Path, digest: str) -> Path:
    """Return the folder of the cache with this digest in a run's folder."""
    return run / FOLDER / digest


def digest(folder: Path) -> str:
    """Return the digest of a cache: the SHA-256 of what `sha256sum` prints for its files, sorted by path.

    For anything but a regular file, the text "no file" takes the place of its digest, so that replacing a file by a
    link changes the result.
    """
    paths = {path.relative_to(folder).as_posix().encode(errors="surrogateescape"): path for path in _below(folder)}
    lines = [_content(paths[name]).encode() + b"  " + name + b"\n" for name in sorted(paths)]
    return sha256(b"".join(lines)).hexdigest()


def _content(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return "no file"
    return sha256(path.read_bytes()).hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        links = [child for child in folders if Path(name, child).is_symlink()]
        yield from (Path(name, child) for child in [*files, *links])
