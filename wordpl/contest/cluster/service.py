"""The processes of a cluster: a scheduler, and workers that play one game at a time each."""

import asyncio
import logging
import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wordpl.contest.cluster import certificates, tasks
from wordpl.contest.cluster.address import DEFAULT_PORT, ClusterAddress
from wordpl.core import paths
from wordpl.core.errors import UserError

if TYPE_CHECKING:
    from distributed import Security

JOIN_S = 30.0
LEAVE_S = 5.0
LOOPBACK = "127.0.0.1"
SCRATCH = "wordpl-dask-"
"""What the folder of a process of dask begins with; it leaves files of its own there."""
SETTINGS = {
    "distributed.worker.profile.enabled": False,  # it would interrupt the referee a hundred times a second
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.scheduler.allowed-failures": 0,  # the host decides what is played again
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": "20s",
}
"""Of dask, for all its processes."""


@dataclass(frozen=True)
class WorkerOptions:
    """How a worker is run.

    Attributes:
        name: Its name, which has to differ from all others; "": made from host name and process.
        host: The address under which the scheduler reaches it; "": found out.
        store: The folder for files that it is sent.
    """

    store: Path
    name: str = ""
    host: str = ""


def run_scheduler(
    folder: Path, host: str = LOOPBACK, port: int = DEFAULT_PORT, ready: Callable[[str], object] = lambda address: None
) -> None:
    """Run a scheduler until SIGINT or SIGTERM.

    Args:
        folder: The certificates.
        host: The address to listen on.
        port: The port; 0 for any that is free.
        ready: Called with its address when workers can join.

    Raises:
        UserError: It cannot listen there.
    """
    security = certificates.security(folder)
    with _settings():
        asyncio.run(_scheduler(security, host, port, ready))


async def _scheduler(security: "Security", host: str, port: int, ready: Callable[[str], object]) -> None:
    from distributed import Scheduler

    silent: Any = {"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"}
    scheduler = Scheduler(host=host, port=port, protocol="tls", security=security, **silent)
    try:
        await scheduler
    except OSError as error:
        raise UserError(f"cannot listen on {host}:{port}: {error.strerror or error}. Choose another --port.") from None
    try:
        ready(scheduler.address)
        await _until_ended(scheduler.finished())
    finally:
        await scheduler.close()


def run_worker(
    address: ClusterAddress, options: WorkerOptions, ready: Callable[[str], object] = lambda name: None
) -> None:
    """Run a worker until SIGINT or SIGTERM, or until the scheduler has ended.

    Args:
        address: The scheduler's, with the certificates.
        options: How it is run.
        ready: Called with its name when it has joined.

    Raises:
        UserError: The scheduler cannot be reached.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", options.name) or f"{platform.node()}-{os.getpid()}"
    security = certificates.security(address.certificates)
    station = tasks.begin(name, options.store, address.certificates)
    with _settings():
        try:
            asyncio.run(_worker(address, security, (name, options.host), ready))
        finally:
            station.close()


async def _worker(
    address: ClusterAddress, security: "Security", named: tuple[str, str], ready: Callable[[str], object]
) -> None:
    from distributed import Worker

    name, host = named
    worker = Worker(
        address.url,
        name=name,
        host=host or None,
        security=security,
        nthreads=1,
        memory_limit=0,  # nothing is written to a disk to save memory: it could be a key
        executor=ThreadPoolExecutor(1, "referee"),
        protocol="tls",
        dashboard_address=f"{LOOPBACK}:0",
        death_timeout=JOIN_S,
    )
    try:
        await worker
    except (OSError, TimeoutError, RuntimeError) as error:
        raise UserError(
            f"no scheduler answers at {address.url} with the certificates in {address.certificates} "
            f"({error or 'it took too long'})."
        ) from None
    try:
        ready(name)
        await _until_ended(worker.finished())
    finally:
        await worker.close(timeout=LEAVE_S, executor_wait=False)


async def _until_ended(finished: Any) -> None:
    """Wait until the server has ended or a signal asks for it."""
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    ends = [asyncio.ensure_future(finished), asyncio.ensure_future(asked.wait())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for one in ends:
        one.cancel()


@contextmanager
def _settings() -> Iterator[None]:
    import dask

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # wordpl says what a user can act on
    with TemporaryDirectory(prefix=SCRATCH) as scratch, dask.config.set(SETTINGS | {"temporary-directory": scratch}):
        yield


@contextmanager
def local(n_workers: int, folder: Path, store: Path, port: int = 0) -> Iterator[ClusterAddress]:
    """Give a scheduler and workers on this machine, for trying; when the context is left, they have ended.

    Args:
        n_workers: How many workers.
        folder: The certificates.
        store: The folder for files that workers are sent.
        port: The scheduler's port; 0 for any that is free.
    """
    certificates.security(folder)
    started: list[subprocess.Popen[str]] = []
    try:
        started.append(_start("scheduler", "--port", str(port), "--certificates", str(folder)))
        address = ClusterAddress(_first_line(started[0]), folder)
        for number in range(1, n_workers + 1):
            named = ["--name", f"local-{number}", "--store", str(store), "--certificates", str(folder)]
            started.append(_start("worker", address.text, *named))
        for worker in started[1:]:
            _first_line(worker)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(2 * LEAVE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _start(*words: str) -> "subprocess.Popen[str]":
    """Start a command of `wordpl cluster`, with this Python and this very package."""
    start = (
        f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); "
        f"from wordpl.players.sandbox.parent_death_signal import die_with_parent; die_with_parent({os.getpid()}); "
        "from wordpl.cli import main; main()"
    )
    command = [sys.executable, "-P", "-c", start, "cluster", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def _first_line(process: "subprocess.Popen[str]") -> str:
    """Return the first word of what the process prints, once it is ready."""
    line = process.stdout.readline() if process.stdout is not None else ""
    if not line.strip():
        raise UserError("a process of the cluster could not start; its message stands above.")
    return line.split()[0]


def wait_for_interrupt() -> None:
    """Wait until the user presses Ctrl-C."""
    with suppress(KeyboardInterrupt):
        signal.pause()
