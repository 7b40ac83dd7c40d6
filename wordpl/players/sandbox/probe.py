"""Probing which sandbox level this machine supports, by attacking the referee from inside each, strongest first."""

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
from signal import SIGKILL
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.players.sandbox import capabilities, fs_policy, namespaces
from wordpl.players.sandbox.policy import Level, SandboxPolicy

TRIAL_TIMEOUT_S = 60.0
PROBE_MB = 1024
PROBE_FILES = 256
KILLED = "it was killed from outside"
ALLOWED_AT_C = {"read_file"}
"""The attacks that may succeed at level C."""


@dataclass(frozen=True)
class ProbeResult:
    """The result of probing this machine.

    Attributes:
        level: The strongest level that withstood all attacks.
        missing: Why each stronger level is not available.
    """

    level: Level
    missing: dict[Level, str]

    def __str__(self) -> str:
        """Return sentences with the level and what is missing for stronger ones."""
        lines = [f"Isolation: level {self.level} ({self.level.mechanisms}): {self.level.meaning}."]
        return " ".join([*lines, *(f"Not {level}: {why}." for level, why in self.missing.items())])


@cache
def probe() -> ProbeResult:
    """Return the strongest level that this machine supports; it is tested once per process."""
    missing: dict[Level, str] = {}
    for level in (Level.A, Level.B, Level.C):
        why = _obstacle(level)
        if not why:
            return ProbeResult(level, missing)
        missing[level] = why
    return ProbeResult(Level.D, missing)


def _obstacle(level: Level) -> str:
    """Return why this machine does not support the level, and what would help; "" if all attacks fail."""
    if sys.platform != "linux":
        return f"{sys.platform} does not support it; play official runs on Linux"
    if level == Level.A and not namespaces.has_bubblewrap():
        return "bubblewrap is missing (install the package bubblewrap)"
    if level <= Level.B and not fs_policy.landlock_version():
        return "the kernel does not support Landlock (use Linux 5.13 or later with the security module `landlock`)"
    outcome, complaint = trial(level)
    if outcome is None:  # a busy machine can fail to start a process, and a contest would be played at a lower level
        outcome, complaint = trial(level)
    if outcome is None and complaint == KILLED:
        raise UserError(
            f"the process that probes sandbox level {level} was killed from outside twice, so it is unknown whether "
            "this machine supports it. Find out what kills it, then start again; or choose a level with --isolation."
        )
    if outcome is None:
        return f"its sandbox could not be created ({complaint})"
    through = {name for name, succeeded in outcome.items() if succeeded} - (ALLOWED_AT_C if level == Level.C else set())
    return f"these attacks succeeded: {', '.join(sorted(through))}" if through else ""


def trial(level: Level) -> tuple[dict[str, bool] | None, str]:
    """Return whether each attack succeeds from inside the level, or None and why the level could not be tested."""
    secret = secrets.token_hex(16)
    secret_buffer = ctypes.create_string_buffer(secret.encode())
    if os.geteuid() != 0:
        capabilities.hide_memory()
    with TemporaryDirectory(prefix="wordpl-probe-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        inside, outside = Path(folder) / "inside", Path(folder) / "outside"
        inside.mkdir()
        outside.mkdir()
        (outside / "secret").write_text(secret)
        target = {
            "pid": os.getpid(),
            "address": ctypes.addressof(secret_buffer),
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
    policy = SandboxPolicy(level, PROBE_MB, PROBE_FILES, str(working), user=user)
    arguments = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); "
                 "from wordpl.players.sandbox import escape_tests; escape_tests.main()"]  # fmt: skip
    if level == Level.A:
        arguments = namespaces.bubblewrap_command(arguments, namespaces.View(working))
    job = msgspec.json.encode({"target": target, "policy": policy}) + b"\n"
    try:
        done = subprocess.run(arguments, input=job, capture_output=True, cwd=working, timeout=TRIAL_TIMEOUT_S)
        if done.returncode in (-SIGKILL, 128 + SIGKILL):  # the latter if a process inside was killed
            return None, KILLED
        if done.returncode != 0:
            raise ValueError(f"it ended with exit code {done.returncode}")
        return json.loads(done.stdout), ""
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        lines = done.stderr.decode(errors="replace").strip().splitlines() if "done" in locals() else [str(error)]
        return None, lines[-1] if lines else str(error)
