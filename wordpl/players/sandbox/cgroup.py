"""A control group for a fork server and its players, if this user may create one (cgroups(7)).

Unlike the limits of single processes, it also covers kernel memory.
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
OOM_KILL_FILES = ("memory.events", "memory.oom_control")  # in versions 2 and 1: files with the number of OOM kills
PREFIX = "wordpl-"
SHUTDOWN_S = 2.0


class Cgroup:
    """A control group in each hierarchy in which this user may create one; if there is none, it has no effect."""

    def __init__(self, memory_mb: int) -> None:
        """Create a control group; nothing is created on disk yet.

        Args:
            memory_mb: The memory limit of a player in MiB. At most two players run at a time: one plays, and its
                predecessor may still be ending.
        """
        self._limits = {"memory": FORK_SERVER_MB + 2 * memory_mb << 20, "pids": MAX_THREADS}
        self._folders: list[Path] = []

    def command(self, words: list[str]) -> list[str]:
        """Create the group, and return the command line that runs a command inside it."""
        self._folders = self._folders or list(_create_groups(self._limits))
        if not self._folders:
            return words
        lines = " && ".join(f'echo $$ > "{folder}/cgroup.procs"' for folder in self._folders)
        return ["/bin/sh", "-c", f'{{ {lines}; }} 2>/dev/null; exec "$@"', "sh", *words]

    def n_killed(self) -> int:
        """Return the number of the group's processes that the kernel has killed because the group ran out of memory."""
        texts = (
            path.read_text() for folder in self._folders for name in OOM_KILL_FILES if (path := folder / name).exists()
        )
        return sum(int(count) for text in texts for count in re.findall(r"^oom_kill (\d+)", text, re.MULTILINE))

    def close(self) -> None:
        """Kill the remaining processes of the group, and remove it."""
        for folder in self._folders:
            _remove(folder)
        self._folders = []


def _remove(folder: Path) -> None:
    """Remove a group, waiting for its last processes to end."""
    with suppress(OSError):
        (folder / "cgroup.kill").write_text("1")  # version 2 only; in version 1, all processes are already ending
    until = time.monotonic() + SHUTDOWN_S
    while folder.exists() and time.monotonic() < until:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)


def _create_groups(limits: dict[str, int]) -> Iterator[Path]:
    """Create a group below that of this process in each hierarchy with a controller in FILES, and yield its path."""
    for parent, controllers in _parent_groups():
        with suppress(OSError):
            folder = Path(mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
            yield folder
            for file in (folder / name for controller in controllers for name in FILES[controller]):
                if file.exists():
                    file.write_text(str(limits[file.name.split(".")[0]]))


def remove_abandoned() -> None:
    """Remove the groups of processes that were killed before they could remove them."""
    for parent, _ in _parent_groups():
        for folder in parent.glob(f"{PREFIX}*"):
            owner = folder.name.removeprefix(PREFIX).partition("-")[0]
            if owner.isdigit() and not Path("/proc", owner).exists():
                _remove(folder)


def _parent_groups() -> Iterator[tuple[Path, list[str]]]:
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            folder = ROOT / path.lstrip("/") if not names else ROOT / names / path.lstrip("/")
            offered = _controllers(folder) if not names else names.split(",")
            controllers = [name for name in offered if name in FILES]
            if controllers and os.access(folder, os.W_OK):
                yield folder, controllers


def _controllers(folder: Path) -> list[str]:
    """Return the controllers that a group of version 2 enables for its subgroups."""
    enabled = folder / "cgroup.subtree_control"
    return enabled.read_text().split() if enabled.exists() else []
