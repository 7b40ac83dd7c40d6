"""Record files on disk, plain while a run goes on and compressed when it has ended.

A finished run keeps `records/ENTRY.jsonl.gz` in place of a large `records/ENTRY.jsonl`, and so for durations: gzip,
which Python, pandas, DuckDB and zcat read. Readers name the plain file; where it is missing they read the other.
Digests always cover the decompressed bytes. The header holds no time, so the same games give the same file.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_safely

SUFFIX = ".gz"
MIN_COMPRESSED_BYTES = 1 << 20
"""Smaller files stay plain: they are read more often than they are moved."""
MAX_LINE_BYTES = 1 << 18
"""No record is longer: the longest game has 1,000 moves."""
CHUNK_BYTES = 1 << 20
LEVEL = 6
"""Level 9 takes three times as long, and saves some 3 %."""
GZIP_WINDOW = 16 + zlib.MAX_WBITS


def exists(path: Path) -> bool:
    """Return whether there is a file, plain or compressed."""
    return path.exists() or compressed_path(path).exists()


def compressed_path(path: Path) -> Path:
    """Return where the compressed form of a file is kept."""
    return path.with_name(f"{path.name}{SUFFIX}")


def content(path: Path, max_lines: int) -> bytes:
    """Return what a file holds, read from its compressed form where there is no plain one; empty where there is none.

    Args:
        path: the plain file.
        max_lines: the lines that it can have by run.json, see `parts`.

    Raises:
        UserError: the compressed file is damaged, or too large.
    """
    return path.read_bytes() if path.exists() else b"".join(parts(path, max_lines))


def parts(path: Path, max_lines: int) -> Iterator[bytes]:
    """Yield what a file holds in parts of some CHUNK_BYTES, so that reading it takes little memory.

    Args:
        path: the plain file; its compressed form is read where there is no plain one.
        max_lines: the lines that it can have by run.json. Reading a compressed file stops where these could not fill
            it, so that a small file that unpacks to more than a disk holds does no harm.

    Raises:
        UserError: the compressed file is damaged, or too large.
    """
    packed = compressed_path(path)
    if path.exists():
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    elif packed.exists():
        yield from _unpacked(packed, max_lines)


def _unpacked(packed: Path, max_lines: int) -> Iterator[bytes]:
    size, n_lines = 0, 0
    try:
        with gzip.open(packed, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                size += len(chunk)
                n_lines += chunk.count(b"\n")
                if n_lines > max_lines or size > (n_lines + 1) * MAX_LINE_BYTES + CHUNK_BYTES:
                    raise UserError(f"{packed} unpacks to more than the {max_lines:,} lines that run.json allows.")
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{packed} is damaged: {error}") from None


def blocks(path: Path, max_lines: int) -> Iterator[list[bytes]]:
    """Yield the lines of a file with their ends, many at a time; a last line without an end is left out.

    Arguments and errors as for `parts`.
    """
    rest = b""
    for part in parts(path, max_lines):
        whole, newline, tail = part.rpartition(b"\n")
        if newline:
            yield (rest + whole + newline).splitlines(keepends=True)
            rest = tail
        else:
            rest += part


def compress(path: Path, min_bytes: int = MIN_COMPRESSED_BYTES) -> None:
    """Replace a file of at least `min_bytes` by its compressed form."""
    if not path.exists() or path.stat().st_size < min_bytes:
        return
    write_safely(compressed_path(path), _packed(path))
    path.unlink()


def _packed(path: Path) -> Iterator[bytes]:
    """Yield the gzip form of a file, whose header holds no name and no time."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    for part in parts(path, 0):
        yield packer.compress(part)
    yield packer.flush()
