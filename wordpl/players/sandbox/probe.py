"""Probing which sandbox level this machine supports, by attacking the referee from inside each, strongest first."""

import ctypes
import json
import os
import platform
import secrets
import shutil
import socket
import stat
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from wordpl.core import bounded, paths
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.players.sandbox import capabilities, fs_policy, namespaces
from wordpl.players.sandbox.policy import Level, SandboxPolicy

TRIAL_TIMEOUT_S = 60.0
PROBE_MB = 1024
PROBE_FILES = 256
KILLED = "it was killed from outside"
ALLOWED_AT_C = {"read_file"}
"""The attacks that may succeed at level C."""
CONDITIONS = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/self/attr/current",
    "/proc/self/uid_map",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/yama/ptrace_scope",
)
"""Files of the system on whose contents the result of a probe depends, as far as they exist."""
STATUS_LINES = ("Uid:", "Gid:", "Cap", "NoNewPrivs:", "Seccomp")
"""How the lines of /proc/self/status begin on which it depends."""


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


def level_since_boot() -> Level:
    """Return the strongest level that this machine supports; level A may have been found by an earlier process.

    A probe takes a tenth of a second. Its result is kept for this boot, only if it is level A, in a private file of the
    user, for the conditions under which it was found. Players start at level A with all its mechanisms or not at all,
    whatever is kept, so that this is enough for games that need no proof; official runs and `check --isolated` use
    `probe`.
    """
    if sys.platform != "linux":
        return probe().level
    file, conditions = kept_file(), _conditions()
    if _kept(file) == conditions:
        return Level.A
    level = probe().level
    if level == Level.A:
        _keep(file, conditions)
    return level


def kept_file() -> Path:
    """Return the file that keeps the result: wordpl/sandbox/level-a in XDG_CACHE_HOME, by default in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordpl" / "sandbox" / "level-a"


def _kept(file: Path) -> bytes:
    """Return the conditions that are kept; b"" if there are none, or if another user may have written them."""
    try:
        if not _is_private(file.parent.lstat(), stat.S_IFDIR | 0o700):
            return b""
        handle = bounded.open_regular(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, UserError):
        return b""
    try:
        return os.read(handle, 2 * sha256().digest_size) if _is_private(os.fstat(handle), stat.S_IFREG | 0o600) else b""
    finally:
        os.close(handle)


def _is_private(status: os.stat_result, mode: int) -> bool:
    return status.st_uid == os.geteuid() and status.st_mode == mode


def _keep(file: Path, conditions: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.parent.chmod(0o700)
        write_atomically(file, conditions)
        file.chmod(0o600)
    except OSError:  # there is no home folder, or it is read-only or full: the next command probes again
        return


def _conditions() -> bytes:
    """Return a digest of what the result depends on: the boot, this process's rights, programs and sources."""
    facts = [sys.executable, platform.release(), str(os.geteuid()), str(fs_policy.landlock_version())]
    facts += [f"{path} {_text(path)}" for path in CONDITIONS]
    facts += [line for line in _text("/proc/self/status").splitlines() if line.startswith(STATUS_LINES)]
    facts += [str(path.readlink()) for path in sorted(Path("/proc/self/ns").iterdir())]
    sources = sorted(Path(__file__).parent.glob("*.py"))
    for path in (Path(shutil.which("bwrap") or "/"), *sources):
        found = path.stat()
        facts.append(f"{path.resolve()} {found.st_dev} {found.st_ino} {found.st_mode} {found.st_uid} {found.st_size} "
                     f"{found.st_mtime_ns} {found.st_ctime_ns}")  # fmt: skip
    return sha256("\n".join(facts).encode()).hexdigest().encode()


def _text(path: str) -> str:
    """Return the contents of a file of the system; "" if it cannot be read."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


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
