"""A control group for the process that forks players and for its players, where this user may make one (cgroups(7)).

It counts what no limit of a single process counts, such as memory of the kernel's on a player's behalf.
"""

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path("/sys/fs/cgroup")
FORK_SERVER_MB = 1024
MAX_THREADS = 512
FILES = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max", "pids.max")}  # in versions 2 and 1
KILLS = ("memory.events", "memory.oom_control")  # likewise: files that count processes killed for want of memory
PREFIX = "wordpl-"
LEAVING_S = 2.0


class Cgroup:
    """One group in each hierarchy that allows it; often there is none, and then it does nothing."""

    def __init__(self, memory_mb: int) -> None:
        """Make a group for players of `memory_mb` MiB each, of which one plays and another may be ending."""
        self._limits = {"memory": FORK_SERVER_MB + 2 * memory_mb << 20, "pids": MAX_THREADS}
        self._folders: list[Path] = []

    def command(self, words: list[str]) -> list[str]:
        """Return the command that runs another one inside the group, which is made now."""
        self._folders = self._folders or list(_made(self._limits))
        if not self._folders:
            return words
        lines = " && ".join(f'echo $$ > "{folder}/cgroup.procs"' for folder in self._folders)
        return ["/bin/sh", "-c", f'{{ {lines}; }} 2>/dev/null; exec "$@"', "sh", *words]

    def n_killed(self) -> int:
        """Return how many of the group's processes the kernel has killed because the group's memory was full."""
        texts = (path.read_text() for folder in self._folders for name in KILLS if (path := folder / name).exists())
        return sum(int(found) for text in texts for found in re.findall(r"^oom_kill (\d+)", text, re.MULTILINE))

    def close(self) -> None:
        """End what is left in the group, and remove it."""
        for folder in self._folders:
            _remove(folder)
        self._folders = []


def _remove(folder: Path) -> None:
    """Remove the group, whose last processes may be ending still."""
    with suppress(OSError):
        (folder / "cgroup.kill").write_text("1")  # version 2; in version 1 nothing is left but what ends
    until = time.monotonic() + LEAVING_S
    while folder.exists() and time.monotonic() < until:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)


def _made(limits: dict[str, int]) -> Iterator[Path]:
    """Make a group below this process's own in each hierarchy with a controller we limit, and yield it."""
    for parent, controllers in _places():
        with suppress(OSError):
            folder = Path(mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
            yield folder
            for file in (folder / name for controller in controllers for name in FILES[controller]):
                if file.exists():
                    file.write_text(str(limits[file.name.split(".")[0]]))


def remove_abandoned() -> None:
    """Remove the groups of processes that were killed before they could do so."""
    for parent, _ in _places():
        for folder in parent.glob(f"{PREFIX}*"):
            owner = folder.name.removeprefix(PREFIX).partition("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                _remove(folder)


def _places() -> Iterator[tuple[Path, list[str]]]:
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            folder = ROOT / path.lstrip("/") if not names else ROOT / names / path.lstrip("/")
            offered = _controllers(folder) if not names else names.split(",")
            wanted = [name for name in offered if name in FILES]
            if wanted and os.access(folder, os.W_OK):
                yield folder, wanted


def _controllers(folder: Path) -> list[str]:
    """Return the controllers that a group of version 2 hands on to those below it."""
    handed_on = folder / "cgroup.subtree_control"
    return handed_on.read_text().split() if handed_on.exists() else []
