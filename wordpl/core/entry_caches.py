"""Caches of entries: files that an entry made before the first game of a run, and that its players then only read.

A run's folder keeps each as `caches/DIGEST/`, and run.json the digest with the entry.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

MAX_BYTES = 64 << 20
MAX_FILES = 1000
"""Folders count as files."""
MAX_DEPTH = 8
"""How many folders may lie in each other."""
FOLDER = "caches"


def limits() -> str:
    """Return what a cache may hold, in words."""
    return f"{MAX_BYTES >> 20} MiB ({MAX_BYTES:,} bytes) and {MAX_FILES:,} files"


def folder_of(run: Path, digest: str) -> Path:
    """Return where a run's folder keeps the cache with this digest."""
    return run / FOLDER / digest


def digest(folder: Path) -> str:
    """Return the SHA-256 of a cache: of the list of its files that `sha256sum` prints, in the order of their paths.

    Whatever is no file counts by its path alone, so that a link in place of a file changes the digest.
    """
    found = {path.relative_to(folder).as_posix().encode(errors="surrogateescape"): path for path in _below(folder)}
    lines = [_content(found[name]).encode() + b"  " + name + b"\n" for name in sorted(found)]
    return sha256(b"".join(lines)).hexdigest()


def _content(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return "no file"
    return sha256(path.read_bytes()).hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        links = [one for one in folders if Path(name, one).is_symlink()]
        yield from (Path(name, one) for one in [*files, *links])
