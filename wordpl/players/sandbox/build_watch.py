"""What a build uses of the machine in all: memory, and room on the disk. No limit of a single process bounds either."""

import os
import re
import time
from pathlib import Path

from wordpl.players.sandbox import descendants

MAX_BUILT_MB = 2048
MAX_FILES = 50_000
MAX_DEPTH = 60
"""Folders inside each other; deeper ones would have paths that programs cannot use."""
MIN_FREE_MB = 512
LOOK_S = 0.25
_MEMORY = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)


class BuildWatch:
    """Looks now and then at what the descendants of this process use, and at the folder that they may write to."""

    def __init__(self, folder: Path, memory_mb: int):
        """Watch a build that writes to the folder and may use so many MiB of memory in all."""
        self._folder, self._memory_mb = folder, memory_mb
        # On a disk that is nearly full, half of what is free may be used.
        self._min_free = min(MIN_FREE_MB << 20, _free(folder) // 2)
        self._looked_at = 0.0

    def excess(self) -> str:
        """Return what the build uses too much of, if a while has passed since the last look; else nothing."""
        now = time.monotonic()
        if now < self._looked_at + LOOK_S:
            return ""
        self._looked_at = now
        if _memory() > self._memory_mb << 20:
            return f"it uses more than {self._memory_mb:,} MiB of memory"
        if _free(self._folder) < self._min_free:  # files that were removed but are open count too
            return "it leaves too little room on the disk"
        return self.excess_built()

    def excess_built(self) -> str:
        """Return what there is too much of in the folder; nothing where it holds no more than it may."""
        n_files, n_bytes, left = 0, 0, [(self._folder, 0)]
        while left:
            folder, depth = left.pop()
            if depth > MAX_DEPTH:
                return f"it makes more than {MAX_DEPTH} folders inside each other"
            try:
                entries = _listed(folder)
            except PermissionError:
                return "it makes a folder that cannot be looked into"
            for entry in entries:
                n_files += 1
                n_bytes += _size(entry)
                if entry.is_dir(follow_symlinks=False):
                    left.append((Path(entry.path), depth + 1))
            if n_files > MAX_FILES:
                return f"it makes more than {MAX_FILES:,} files"
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
    """Return the memory in bytes that only the descendants of this process use; what they share counts for each."""
    total_kb = 0
    for pid in descendants.ids():
        try:
            status = Path(f"/proc/{pid}/status").read_bytes()
        except OSError:  # it has ended
            continue
        total_kb += sum(map(int, _MEMORY.findall(status)))
    return total_kb << 10
