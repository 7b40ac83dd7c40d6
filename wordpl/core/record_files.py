"""Record files on disk: plain while a run is being played, compressed with gzip after it has finished.

A finished run has `records/ENTRY.jsonl.gz` in place of a large `records/ENTRY.jsonl`, and the same for durations.
Functions take the path of the plain file and read the compressed one if the plain file does not exist. Digests always
cover the decompressed bytes. The gzip header contains no time stamp, so that equal games give equal files.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically

SUFFIX = ".gz"
MIN_COMPRESSED_BYTES = 1 << 20
"""The size from which files are compressed; small files are more convenient uncompressed."""
MAX_LINE_BYTES = 1 << 18
"""The maximum length of a record: the longest game has 1,000 moves."""
CHUNK_BYTES = 1 << 20
LEVEL = 6
"""The compression level; level 9 takes three times as long and saves about 3 %."""
GZIP_WINDOW = 16 + zlib.MAX_WBITS


def exists(path: Path) -> bool:
    """Return whether the file exists, plain or compressed."""
    return path.exists() or compressed_path(path).exists()


def compressed_path(path: Path) -> Path:
    """Return the path of the compressed form of a file."""
    return path.with_name(f"{path.name}{SUFFIX}")


def content(path: Path, max_lines: int) -> bytes:
    """Return the uncompressed content of a file; empty if the file does not exist.

    Args:
        path: The path of the plain file.
        max_lines: The maximum number of lines according to run.json, see `parts`.

    Raises:
        UserError: The compressed file is damaged or too large.
    """
    return path.read_bytes() if path.exists() else b"".join(parts(path, max_lines))


def parts(path: Path, max_lines: int) -> Iterator[bytes]:
    """Yield the uncompressed content of a file in parts of about CHUNK_BYTES, so that reading takes little memory.

    Args:
        path: The path of the plain file; the compressed file is read if there is no plain one.
        max_lines: The maximum number of lines according to run.json. Decompression stops when the content exceeds what
            so many lines can hold, which protects against decompression bombs.

    Raises:
        UserError: The compressed file is damaged or too large.
    """
    compressed = compressed_path(path)
    if path.exists():
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    elif compressed.exists():
        yield from _decompressed_parts(compressed, max_lines)


def _decompressed_parts(path: Path, max_lines: int) -> Iterator[bytes]:
    size, n_lines = 0, 0
    try:
        with gzip.open(path, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                size += len(chunk)
                n_lines += chunk.count(b"\n")
                if n_lines > max_lines or size > (n_lines + 1) * MAX_LINE_BYTES + CHUNK_BYTES:
                    raise UserError(f"{path} unpacks to more than the {max_lines:,} lines that run.json allows.")
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path} is damaged: {error}") from None


def blocks(path: Path, max_lines: int) -> Iterator[list[bytes]]:
    """Yield lists of lines of a file with their newlines; an incomplete last line is omitted.

    Arguments and errors are those of `parts`.
    """
    unfinished = b""
    for part in parts(path, max_lines):
        lines, newline, tail = part.rpartition(b"\n")
        if newline:
            yield (unfinished + lines + newline).splitlines(keepends=True)
            unfinished = tail
        else:
            unfinished += part


def compress(path: Path, min_bytes: int = MIN_COMPRESSED_BYTES) -> None:
    """Replace a file by its compressed form, if it has at least `min_bytes`."""
    if not path.exists() or path.stat().st_size < min_bytes:
        return
    write_atomically(compressed_path(path), _compressed_parts(path))
    path.unlink()


def _compressed_parts(path: Path) -> Iterator[bytes]:
    """Yield the gzip form of a file, with neither a name nor a time stamp in its header."""
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    for part in parts(path, 0):
        yield compressor.compress(part)
    yield compressor.flush()
