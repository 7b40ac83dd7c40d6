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
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryDirectory

import msgspec

from wordpl.core import bounded, current_folder, paths
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.players.sandbox import levels, namespaces
from wordpl.players.sandbox.levels import Level, SandboxPolicy, enter_sandbox

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


_has_probed = False


@cache
def probe() -> ProbeResult:
    """Return the strongest level that this machine supports; it is tested once per process."""
    global _has_probed
    _has_probed = True
    missing: dict[Level, str] = {}
    for level in (Level.A, Level.B, Level.C):
        why = _obstacle(level)
        if not why:
            return ProbeResult(level, missing)
        missing[level] = why
    return ProbeResult(Level.D, missing)


def why_not_a(level: str) -> str:
    """Return a sentence about a run's sandbox level if this process has found that the machine supports no better one.

    Args:
        level: The level of the run; "" if its entries are trusted.
    """
    if not _has_probed or level != (found := probe()).level or level == Level.A:
        return ""
    return f"Sandbox level {level}, not A: {found.missing[Level.A]}."


def level_since_boot() -> Level:
    """Return the strongest level that this machine supports; level A may have been found by an earlier process.

    A probe takes a tenth of a second. Its result is kept for this boot, only if it is level A, in a private file of the
    user, for the conditions under which it was found. Players start at level A with all its mechanisms or not at all,
    whatever is kept, so that this is enough for games that need no proof; official runs and `check --isolated` use
    `probe`.
    """
    if sys.platform != "linux":
        return probe().level
    try:
        file, conditions = kept_file(), _conditions()
    except PermissionError:  # this process has probed, and hides its memory and its conditions since
        return probe().level
    if _kept(file) == conditions:
        return Level.A
    level = probe().level
    if level == Level.A:
        _keep(file, conditions)
    return level


def kept_file() -> Path:
    """Return the file that keeps the result: wordpl/sandbox/level-a in XDG_CACHE_HOME, by default in ~/.cache."""
    return paths.xdg_folder("cache") / "sandbox" / "level-a"


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
    facts = [sys.executable, platform.release(), str(os.geteuid()), str(levels.landlock_version())]
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
    if level <= Level.B and not levels.landlock_version():
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
        levels.hide_memory()
    with TemporaryDirectory(prefix="wordpl-probe-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        inside, outside = Path(folder) / "inside", Path(folder) / "outside"
        inside.mkdir()
        outside.mkdir()
        (outside / "secret").write_text(secret)
        port, address = server.getsockname()[1], ctypes.addressof(secret_buffer)
        target = EscapeTarget(os.getpid(), address, secret, port, str(outside / "secret"), str(outside))
        return _run(level, Path(folder), target)


def _run(level: Level, folder: Path, target: "EscapeTarget") -> tuple[dict[str, bool] | None, str]:
    working = folder / "inside"
    folder.chmod(0o755)
    user = levels.new_user()
    policy = SandboxPolicy(level, PROBE_MB, PROBE_FILES, str(working), user=user)
    arguments = current_folder.python_command("players.sandbox.probe", "run_attacks()")
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


class EscapeTarget(msgspec.Struct):
    """The targets of the attacks.

    Attributes:
        pid: The referee's process id.
        address: The address of the secret in the referee's memory.
        secret: The secret.
        port: A port on which the referee listens.
        file: A file with the secret.
        folder: A folder outside the sandbox.
    """

    pid: int
    address: int
    secret: str
    port: int
    file: str
    folder: str


def read_memory(target: EscapeTarget) -> bool:
    """Read the referee's memory through /proc or with process_vm_readv(2)."""
    with suppress(OSError), Path(f"/proc/{target.pid}/mem").open("rb", 0) as memory:
        memory.seek(target.address)
        if memory.read(len(target.secret)) == target.secret.encode():
            return True
    return _read_across(target) == target.secret.encode()


def _read_across(target: EscapeTarget) -> bytes:
    size = len(target.secret)
    buffer = ctypes.create_string_buffer(size)
    local, remote = ((ctypes.c_void_p * 2)(address, size) for address in (ctypes.addressof(buffer), target.address))
    with suppress(AttributeError):  # not every C library has it
        ctypes.CDLL(None).process_vm_readv(target.pid, local, 1, remote, 1, 0)
    return buffer.raw


def connect(target: EscapeTarget) -> bool:
    """Connect to a server on this machine."""
    with socket.create_connection(("127.0.0.1", target.port), timeout=1):
        return True


def send(target: EscapeTarget) -> bool:
    """Send a UDP datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        return out.sendto(b"word", ("127.0.0.1", target.port)) > 0


def fork(target: EscapeTarget) -> bool:
    """Start another process."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def write(target: EscapeTarget) -> bool:
    """Write a file outside the sandbox."""
    (Path(target.folder) / "written").write_text("here")
    return True


def signal(target: EscapeTarget) -> bool:
    """Send a signal to the referee."""
    os.kill(target.pid, 0)
    return True


def read_file(target: EscapeTarget) -> bool:
    """Read a file outside the sandbox."""
    return Path(target.file).read_text() == target.secret


ATTACKS: tuple[Callable[[EscapeTarget], bool], ...] = (read_memory, connect, send, fork, write, signal, read_file)


def run_attacks() -> None:
    """Enter the sandbox given on standard input, and print which attacks succeeded."""
    job = json.loads(sys.stdin.readline())
    target, policy = msgspec.convert(job["target"], EscapeTarget), msgspec.convert(job["policy"], SandboxPolicy)
    socket.gethostname()  # load libraries that are loaded lazily, which the sandbox would prevent
    if policy.level == Level.A:
        _enter_namespaces()
    enter_sandbox(policy, os.getppid())
    outcome = {}
    for attack in ATTACKS:
        try:
            outcome[attack.__name__] = attack(target)
        except (OSError, ValueError):
            outcome[attack.__name__] = False
    print(json.dumps(outcome))  # noqa: T201 - this is the report


def _enter_namespaces() -> None:
    """Continue in the init process of a new pid namespace; this process exits with the same exit code.

    A first namespace is created and discarded, because a fork server must be able to create several.
    """
    first = namespaces.fork_init()
    if first == 0:
        os._exit(0)
    os.waitpid(first, 0)
    pid = namespaces.fork_init()
    if pid != 0:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os._exit(code if code >= 0 else 128 - code)  # as a shell and bubblewrap report a signal
    namespaces.mount_own_proc()
