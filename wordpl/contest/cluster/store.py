"""A content-addressed store for files that a worker receives, so that each file is sent only once."""

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from wordpl.core.files import write_atomically


def default_folder() -> Path:
    """Return the default folder of the store."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache and Path(cache).is_absolute() else Path.home() / ".cache") / "wordpl" / "cluster"


class FileStore:
    """A folder of files that are named after the SHA-256 of their content."""

    def __init__(self, folder: Path):
        """Use this folder, which is created when the first file is stored."""
        self.folder = folder.absolute()

    def missing(self, digests: Iterable[str]) -> list[str]:
        """Return the digests whose files are missing or have been changed."""
        return sorted({digest for digest in digests if not self._holds(digest)})

    def keep(self, contents: Iterable[bytes]) -> None:
        """Store these files."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for content in contents:
            write_atomically(self.folder / sha256(content).hexdigest(), content)

    def read(self, digest: str) -> bytes:
        """Return the content with this digest."""
        return (self.folder / digest).read_bytes()

    def _holds(self, digest: str) -> bool:
        try:
            return sha256(self.read(digest)).hexdigest() == digest
        except OSError:
            return False
