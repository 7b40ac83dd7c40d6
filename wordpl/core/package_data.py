"""The package's own word lists and prior: files in a checkout, one archive of all of them in an installed package."""

from functools import cache
from pathlib import Path

from wordpl.core import paths, word_archive


def read_text(path: Path) -> str:
    """Return the text of a file, or what the archive holds for it.

    Raises:
        OSError: There is no such file, or it cannot be read.
        UnicodeDecodeError: It is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if path.parent in (paths.DATA, paths.bundled()) and path.name in _archive()["files"]:
            return word_archive.text(_archive(), path.name)
        raise


@cache
def _archive() -> word_archive.Archive:
    """Return the archive; a checkout has an empty one."""
    return word_archive.unpack(paths.ARCHIVE.read_bytes()) if paths.ARCHIVE.is_file() else {"files": {}}
