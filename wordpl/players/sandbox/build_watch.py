"""Watching the memory and disk space that all processes of a build use together, which rlimits cannot limit."""

import os
import re
import time
from pathlib import Path

from wordpl.players.sandbox import descendants

MAX_BUILT_MB = 2048
MAX_FILES = 50_000
MAX_DEPTH = 60
"""The maximum depth of nested folders; the paths of deeper ones would be too long for programs."""
MIN_FREE_MB = 512
INTERVAL_S = 0.25
_MEMORY = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)


class BuildWatch:
    """Regularly checks the memory of this process's descendants, and the folder to which they may write."""

    def __init__(self, folder: Path, memory_mb: int):
        """Start watching a build.

        Args:
            folder: The folder to which the build may write.
            memory_mb: The limit of its total memory in MiB.
        """
        self._folder, self._memory_mb = folder, memory_mb
        # On an almost full disk, the build may use half of the free space.
        self._min_free = min(MIN_FREE_MB << 20, _free(folder) // 2)
        self._checked_at = 0.0

    def excess(self) -> str:
        """Return which limit the build exceeds; "" if none, or if the last check was less than INTERVAL_S ago."""
        now = time.monotonic()
        if now < self._checked_at + INTERVAL_S:
            return ""
        self._checked_at = now
        if _memory() > self._memory_mb << 20:
            return f"it uses more than {self._memory_mb:,} MiB of memory"
        if _free(self._folder) < self._min_free:  # this includes removed files that are still open
            return "it leaves too little disk space"
        return self.excess_built()

    def excess_built(self) -> str:
        """Return which limit the content of the folder exceeds; "" if none."""
        n_files, n_bytes, left = 0, 0, [(self._folder, 0)]
        while left:
            folder, depth = left.pop()
            if depth > MAX_DEPTH:
                return f"it creates folders nested more than {MAX_DEPTH} levels deep"
            try:
                entries = _listed(folder)
            except PermissionError:
                return "it creates a folder that cannot be read"
            for entry in entries:
                n_files += 1
                n_bytes += _size(entry)
                if entry.is_dir(follow_symlinks=False):
                    left.append((Path(entry.path), depth + 1))
            if n_files > MAX_FILES:
                return f"it creates more than {MAX_FILES:,} files"
            if n_bytes > MAX_BUILT_MB << 20:
                return f"it writes more than {MAX_BUILT_MB:,} MiB"
        return ""


def _listed(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):  # removed meanwhile
        return []


def _size(entry: "os.DirEntry[str]") -> int:
    try:
        return 512 * entry.stat(follow_symlinks=False).st_blocks
    except OSError:
        return 0


def _free(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def _memory() -> int:
    """Return the memory of this process's descendants in bytes; memory that they share counts for each of them."""
    total_kb = 0
    for pid in descendants.ids():
        try:
            status = Path(f"/proc/{pid}/status").read_bytes()
        except OSError:  # it has ended
            continue
        total_kb += sum(map(int, _MEMORY.findall(status)))
    return total_kb << 10
