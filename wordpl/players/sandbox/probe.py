"""Which level of isolation this machine gives, found out by attacking the referee from inside each, best first."""

import ctypes
import json
import os
import secrets
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from wordpl.core import paths
from wordpl.players.sandbox import bubblewrap, capabilities, landlock
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy

TRIAL_S = 60.0
PROBE_MB = 1024
PROBE_FILES = 256
OPEN_AT_C = {"read_file"}  # what may succeed there


@dataclass(frozen=True)
class Finding:
    """The best level that held, and for each better one why it did not."""

    level: Level
    missing: dict[Level, str]

    def __str__(self) -> str:
        """Return the level and what would be needed for a better one, in sentences."""
        lines = [f"Isolation: level {self.level} ({self.level.mechanisms}): {self.level.meaning}."]
        return " ".join([*lines, *(f"Not {level}: {why}." for level, why in self.missing.items())])


@cache
def probe() -> Finding:
    """Return the best level of this machine, by trial: once a process."""
    missing: dict[Level, str] = {}
    for level in (Level.A, Level.B, Level.C):
        why = _why_not(level)
        if not why:
            return Finding(level, missing)
        missing[level] = why
    return Finding(Level.D, missing)


def _why_not(level: Level) -> str:
    """Return what keeps this machine from the level, with what would help; nothing where all attacks fail."""
    if sys.platform != "linux":
        return f"{sys.platform} has nothing like it; play official runs on Linux"
    if level == Level.A and not bubblewrap.is_installed():
        return "bubblewrap is missing (install the package bubblewrap)"
    if level <= Level.B and not landlock.version():
        return "the kernel has no Landlock (Linux 5.13 with `landlock` among its security modules has)"
    outcome, complaint = trial(level)
    if outcome is None:  # a busy machine can fail to start a process, and a contest would be played at a lower level
        outcome, complaint = trial(level)
    if outcome is None:
        return f"its sandbox could not be built ({complaint})"
    through = {name for name, succeeded in outcome.items() if succeeded} - (OPEN_AT_C if level == Level.C else set())
    return f"these attacks got through: {', '.join(sorted(through))}" if through else ""


def trial(level: Level) -> tuple[dict[str, bool] | None, str]:
    """Return which attacks succeed from inside the level, or None and why it could not be tried."""
    secret = secrets.token_hex(16)
    kept = ctypes.create_string_buffer(secret.encode())
    if os.geteuid() != 0:
        capabilities.hide_memory()
    with TemporaryDirectory(prefix="wordpl-probe-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        inside, outside = Path(folder) / "inside", Path(folder) / "outside"
        inside.mkdir()
        outside.mkdir()
        (outside / "secret").write_text(secret)
        target = {
            "pid": os.getpid(),
            "address": ctypes.addressof(kept),
            "secret": secret,
            "port": server.getsockname()[1],
            "file": str(outside / "secret"),
            "folder": str(outside),
        }
        return _run(level, Path(folder), target)


def _run(level: Level, folder: Path, target: dict[str, Any]) -> tuple[dict[str, bool] | None, str]:
    working = folder / "inside"
    folder.chmod(0o755)
    user = capabilities.new_user()
    policy = SandboxPolicy(level, PROBE_MB, PROBE_FILES, str(working), str(working), user=user)
    arguments = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); "
                 "from wordpl.players.sandbox import escape_tests; escape_tests.main()"]  # fmt: skip
    if level == Level.A:
        arguments = bubblewrap.command(arguments, bubblewrap.View(working))
    told = msgspec.json.encode({"target": target, "policy": policy}) + b"\n"
    try:
        done = subprocess.run(arguments, input=told, capture_output=True, cwd=working, timeout=TRIAL_S)
        if done.returncode != 0:
            raise ValueError(f"it ended with exit code {done.returncode}")
        return json.loads(done.stdout), ""
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        said = done.stderr.decode(errors="replace").strip().splitlines() if "done" in locals() else [str(error)]
        return None, said[-1] if said else str(error)
