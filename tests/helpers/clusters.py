"""Clusters of real processes: a scheduler and workers, optionally in network namespaces of their own."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from wordpl.contest.cluster import certificates
from wordpl.core.paths import IMPORT_ROOT

READY_S = 90
SUITE = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""The number of this test process: another one may have a cluster at the same time."""
NO_NAMESPACES = "network namespaces need root and the command ip"


def can_separate() -> bool:
    """Return whether network namespaces can be made here."""
    if os.geteuid() != 0:
        return False
    name = f"wordpl-try-{os.getpid()}"
    try:
        succeeded = subprocess.run(["ip", "netns", "add", name], capture_output=True, timeout=10).returncode == 0
        subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=10)
    except OSError:
        return False
    return succeeded


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("", 0)) as server:
        port: int = server.getsockname()[1]
    return port


class Cluster:
    """A scheduler and workers; at the end of the context, all of them are stopped.

    folder: for their files; hidden: a folder that workers in namespaces of their own do not see
    """

    def __init__(self, folder: Path, hidden: Path | None = None):
        self.folder, self.hidden = folder, hidden
        self.certificates = folder / "certificates"
        certificates.make(self.certificates)
        self.port = free_port()
        self.workers: dict[str, subprocess.Popen] = {}
        self.scheduler: subprocess.Popen | None = None
        self._links = 0
        self._stack = ExitStack()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *error: object) -> None:
        for process in [*self.workers.values(), *([self.scheduler] if self.scheduler else [])]:
            kill(process)
        self._stack.close()

    @property
    def options(self) -> list[str]:
        """The options with which `wordpl evaluate` uses this cluster."""
        return ["--cluster", f"127.0.0.1:{self.port}", "--certificates", str(self.certificates)]

    def start_scheduler(self) -> None:
        arguments = ["scheduler", "--host", "0.0.0.0", "--port", str(self.port)]
        arguments += ["--certificates", str(self.certificates)]
        self.scheduler = begin(command(arguments), self.folder)
        first_line(self.scheduler)

    def start_worker(self, name: str, *, separate: bool = False, prefix: str = "", python: str = sys.executable,
                     **environment: str) -> subprocess.Popen:  # fmt: skip
        """Start a worker with a home of its own.

        separate: in a network namespace of its own, where it does not see the folder that is hidden
        prefix: shell commands that come first
        """
        home = self.folder / name
        (home / "tmp").mkdir(parents=True)
        home.chmod(0o755), (home / "tmp").chmod(0o755)
        address, wrapper = f"127.0.0.1:{self.port}", []
        if separate:
            space, gateway = self._namespace()
            address, wrapper = f"{gateway}:{self.port}", ["ip", "netns", "exec", space]
            prefix = f"mount -t tmpfs none {shlex.quote(str(self.hidden))}; {prefix}" if self.hidden else prefix
        arguments = ["worker", address, "--name", name, "--certificates", str(self.certificates)]
        worker_command = command([*arguments, "--cache", str(home / "store")], python)
        if separate or prefix:
            worker_command = [*wrapper, "unshare", "-m", "sh", "-c", f"{prefix} exec {shlex.join(worker_command)}"]
        variables = {"HOME": str(home), "TMPDIR": str(home / "tmp"), **environment}
        self.workers[name] = begin(worker_command, home, **variables)
        return self.workers[name]

    def _namespace(self) -> tuple[str, str]:
        """Make a network namespace that reaches only this one; return its name and the address of this one."""
        self._links += 1
        namespace, link = f"wordpl-{os.getpid()}-{self._links}", f"wp{os.getpid()}-{self._links}"[:15]
        host_address, worker_address = f"10.{213 + SUITE}.{self._links}.1", f"10.{213 + SUITE}.{self._links}.2"
        ip("netns", "add", namespace)
        self._stack.callback(ip, "netns", "del", namespace)
        ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace)
        ip("addr", "add", f"{host_address}/24", "dev", link)
        ip("link", "set", link, "up")
        for arguments in (["addr", "add", f"{worker_address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                          ["link", "set", "lo", "up"], ["route", "add", "default", "via", host_address]):  # fmt: skip
            ip("-n", namespace, *arguments)
        return namespace, host_address


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, timeout=10)


def command(arguments: list[str], python: str = sys.executable) -> list[str]:
    """Return the command line of `wordpl cluster` with these arguments."""
    return [python, "-P", "-c", f"import sys; sys.path.insert(0, {str(IMPORT_ROOT)!r}); from wordpl.cli import main; "
            "main()", "cluster", *arguments]  # fmt: skip


def begin(command_line: list[str], folder: Path, **environment: str) -> subprocess.Popen:
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            command_line, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
            cwd=folder, env={**os.environ, **environment},
        )  # fmt: skip


def first_line(process: subprocess.Popen) -> str:
    """Return the first line that the process prints, once it is ready."""
    line = process.stdout.readline()
    assert line, f"it did not start: {process.args}"
    return line.strip()


def kill(process: subprocess.Popen) -> None:
    """Kill the process with its descendants in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()


def wait_until(condition, seconds: float = READY_S) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.01)
