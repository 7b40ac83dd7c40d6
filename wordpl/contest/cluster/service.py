"""The processes of a cluster: a scheduler, and workers that each play one game at a time."""

import asyncio
import logging
import os
import platform
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wordpl.contest.cluster import certificates, tasks
from wordpl.contest.cluster.certificates import DEFAULT_PORT, ClusterAddress
from wordpl.core import current_folder
from wordpl.core.messages import UserError

if TYPE_CHECKING:
    from distributed import Security

CONNECT_S = 30.0
SHUTDOWN_S = 5.0
LOOPBACK = "127.0.0.1"
SCRATCH_PREFIX = "wordpl-dask-"
"""The prefix of the folders for dask's temporary files."""
SETTINGS = {
    "distributed.worker.profile.enabled": False,  # it would interrupt the referee 100 times per second
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.worker-ttl": "60s",
    "distributed.scheduler.allowed-failures": 0,  # the host decides what to retry
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": "20s",
}
"""The dask configuration of all processes."""


@dataclass(frozen=True)
class WorkerOptions:
    """The options of a worker.

    Attributes:
        store: The folder for the files that it receives.
        name: Its unique name; "": a name made from the host name and the process id.
        host: The address at which the scheduler can reach it; "": detected automatically.
    """

    store: Path
    name: str = ""
    host: str = ""


def run_scheduler(
    folder: Path, host: str = LOOPBACK, port: int = DEFAULT_PORT, ready: Callable[[str], object] = lambda address: None
) -> None:
    """Run a scheduler until SIGINT or SIGTERM.

    Args:
        folder: The folder with the certificates.
        host: The address to listen on.
        port: The port to listen on; 0: any free port.
        ready: Called with the scheduler's address when workers can join.

    Raises:
        UserError: The scheduler cannot listen on this address and port.
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
        address: The address of the scheduler, with the certificates.
        options: The options of the worker.
        ready: Called with the worker's name when it has joined the cluster.

    Raises:
        UserError: The scheduler cannot be reached.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", options.name) or f"{platform.node()}-{os.getpid()}"
    security = certificates.security(address.certificates)
    state = tasks.start(name, options.store, address.certificates)
    with _settings():
        try:
            asyncio.run(_worker(address, security, (name, options.host), ready))
        finally:
            state.close()


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
        memory_limit=0,  # never spill to disk: the data may contain the key
        executor=ThreadPoolExecutor(1, "referee"),
        protocol="tls",
        dashboard_address=f"{LOOPBACK}:0",
        death_timeout=CONNECT_S,
    )
    try:
        await worker
    except (OSError, TimeoutError, RuntimeError) as error:
        raise UserError(
            f"no scheduler answers at {address.url} with the certificates in {address.certificates} "
            f"({error or 'the request timed out'})."
        ) from None
    try:
        ready(name)
        await _until_ended(worker.finished())
    finally:
        await worker.close(timeout=SHUTDOWN_S, executor_wait=False)


async def _until_ended(finished: Any) -> None:
    """Wait until the server has ended or a termination signal arrives."""
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, asked.set)
    ends = [asyncio.ensure_future(finished), asyncio.ensure_future(asked.wait())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    for task in ends:
        task.cancel()


@contextmanager
def _settings() -> Iterator[None]:
    import dask

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # wordpl reports what users need to know
    with (
        TemporaryDirectory(prefix=SCRATCH_PREFIX) as scratch,
        dask.config.set(SETTINGS | {"temporary-directory": scratch}),
    ):
        yield


@contextmanager
def local(n_workers: int, folder: Path, store: Path, port: int = 0) -> Iterator[ClusterAddress]:
    """Run a scheduler and workers on this machine, for testing, and yield the scheduler's address.

    They are stopped when the context ends.

    Args:
        n_workers: The number of workers.
        folder: The folder with the certificates.
        store: The folder for the files that workers receive.
        port: The port of the scheduler; 0: any free port.
    """
    certificates.security(folder)
    started: list[subprocess.Popen[str]] = []
    try:
        started.append(_start("scheduler", "--port", str(port), "--certificates", str(folder)))
        address = ClusterAddress(_first_line(started[0]), folder)
        for number in range(1, n_workers + 1):
            named = ["--name", f"local-{number}", "--cache", str(store), "--certificates", str(folder)]
            started.append(_start("worker", address.text, *named))
        for worker in started[1:]:
            _first_line(worker)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(2 * SHUTDOWN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _start(*words: str) -> "subprocess.Popen[str]":
    """Start a command of `wordpl cluster` with this Python interpreter and this package."""
    start = (
        f"from wordpl.players.sandbox.processes import die_with_parent; die_with_parent({os.getpid()}); "
        "from wordpl.cli import main; main()"
    )
    command = current_folder.python_program(start, "cluster", *words)
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def _first_line(process: "subprocess.Popen[str]") -> str:
    """Wait until the process prints a line, and return its first word.

    Raises:
        UserError: The process ended before it printed a line.
    """
    line = process.stdout.readline() if process.stdout is not None else ""
    if not line.strip():
        raise UserError("a process of the cluster could not start; see its message above.")
    return line.split()[0]


def wait_for_interrupt() -> None:
    """Wait until the user presses Ctrl-C."""
    with suppress(KeyboardInterrupt):
        signal.pause()
