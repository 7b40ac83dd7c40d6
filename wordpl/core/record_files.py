"""Record files on disk, plain while a run goes on and compressed when it has ended.

A finished run keeps `records/ENTRY.jsonl.gz` in place of a large `records/ENTRY.jsonl`, and so for durations: gzip,
which Python, pandas, DuckDB and zcat read. Readers name the plain file; where it is missing they read the other.
Digests always cover the decompressed bytes. The header holds no time, so the same games give the same file.
"""

import gzip
import zlib
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_safely

SUFFIX = ".gz"
MIN_COMPRESSED_BYTES = 1 << 20
"""Smaller files stay plain: they are read more often than they are moved."""
MAX_LINE_BYTES = 1 << 18
"""No record is longer: the longest game has 1,000 moves."""
CHUNK_BYTES = 1 << 20
LEVEL = 9


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
        max_lines: the lines that it can have by run.json. Reading a compressed file stops where these could not fill
            it, so that a small file that unpacks to more than a disk holds does no harm.

    Raises:
        UserError: the compressed file is damaged, or too large.
    """
    if path.exists():
        return path.read_bytes()
    packed = compressed_path(path)
    if not packed.exists():
        return b""
    parts, size, n_lines = [], 0, 0
    try:
        with gzip.open(packed, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                parts.append(chunk)
                size += len(chunk)
                n_lines += chunk.count(b"\n")
                if n_lines > max_lines or size > (n_lines + 1) * MAX_LINE_BYTES + CHUNK_BYTES:
                    raise UserError(f"{packed} unpacks to more than the {max_lines:,} lines that run.json allows.")
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{packed} is damaged: {error}") from None
    return b"".join(parts)


def compress(path: Path, min_bytes: int = MIN_COMPRESSED_BYTES) -> None:
    """Replace a file of at least `min_bytes` by its compressed form."""
    if not path.exists() or path.stat().st_size < min_bytes:
        return
    write_safely(compressed_path(path), gzip.compress(path.read_bytes(), LEVEL, mtime=0))
    path.unlink()
