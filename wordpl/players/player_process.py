"""One player's process from birth to death, as its fork server sees it."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import PathFinder
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from wordpl import strategy as contract
from wordpl.core import lazy_random
from wordpl.players import program, worker
from wordpl.players.fork_client import Request
from wordpl.players.sandbox import cpu_affinity, fs_policy, namespaces, resource_limits
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy, enter_sandbox, prepare

STATUS_BYTES = 16


@dataclass(frozen=True)
class Started:
    """A player that was forked.

    pid: the process to end, which is the player, or the init of its own pid namespace
    handle: an open file that stands for the player's process (pidfd_open(2)), to be closed by whoever passes it on
    report: where an init tells how the player ended
    """

    pid: int
    handle: int | None
    report: socket.socket | None = None


def start(request: Request, files: list[int], own: Iterable[int]) -> Started:
    """Fork a player that reads requests from the first file and replies on the second.

    own: files of this process that a player must not have.
    """
    try:
        _list_folders(request)
        prepare(request.policy)
        if request.policy.level == Level.A:
            return _start_in_namespace(request, files, own)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _close(own)
            live(request, files, parent)
        return Started(pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None)
    finally:
        _close(files)


def _start_in_namespace(request: Request, files: list[int], own: Iterable[int]) -> Started:
    report, theirs = socket.socketpair()
    with theirs:
        pid = namespaces.fork_init()
        if pid == 0:
            report.close()
            _close(own)
            _be_init(request, files, theirs)
    with suppress(OSError):
        _, handles, _, _ = socket.recv_fds(report, 1, 1)
        if handles:
            return Started(pid, handles[0], report)
    return Started(pid, os.pidfd_open(pid), report)  # it failed, and has told the referee why


def _be_init(request: Request, files: list[int], report: socket.socket) -> NoReturn:
    """Start the player as this namespace's only other process, and tell its parent how it ended."""
    try:
        os.setsid()
        namespaces.mount_own_proc()
        pid = os.fork()
        if pid == 0:
            report.close()
            live(request, files, os.getppid())
        _close(files)
        handle = os.pidfd_open(pid)
        socket.send_fds(report, [b"p"], [handle])
        os.close(handle)
        report.sendall(b"%d" % os.waitpid(pid, 0)[1])
    except OSError as error:
        with suppress(OSError):
            os.write(files[1], worker.fault_line(f"it cannot be given namespaces of its own: {error}"))
    finally:
        os._exit(0)


def _close(files: Iterable[int]) -> None:
    for file in files:
        os.close(file)


def end(child: Started, patience_s: float = 0) -> int | None:
    """Kill the player and all it started; return its wait status if it ended by itself in time, else None."""
    until = time.monotonic() + patience_s
    ended, status = os.waitpid(child.pid, os.WNOHANG)
    while not ended and time.monotonic() < until:
        time.sleep(0.001)
        ended, status = os.waitpid(child.pid, os.WNOHANG)
    if child.report is None:
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses a group in which only zombies are left
            os.killpg(child.pid, signal.SIGKILL)
    if not ended:
        os.kill(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
    told = _reported(child.report)
    return (status if told is None else told) if ended else None


def _reported(report: socket.socket | None) -> int | None:
    """Return the player's wait status, if an init told it."""
    if report is None:
        return None
    with report, suppress(OSError):
        told = report.recv(STATUS_BYTES, socket.MSG_DONTWAIT)
        return int(told) if told.isdigit() else None
    return None


def live(request: Request, files: list[int], parent: int) -> NoReturn:
    """Be a player from birth to death."""
    try:
        os.setsid()
        os.chdir(request.policy.working)
        worker.quiet(files[2] if len(files) > 2 else -1)
        cpu_affinity.stay()
        _keep_only(files[:2])  # first: the limit of open files may be lower than what its fork server has open
        broken = request.broken or _isolated(request.policy, parent)
        if broken:
            os.write(files[1], worker.fault_line(broken))
        elif request.attempts:
            os.write(files[1], worker.to_line([path for path in request.attempts if _opens(path)], b"ready"))
        elif request.command:
            program.become(request.command, request.ready, files)
        else:
            with os.fdopen(files[0], "rb") as requests, os.fdopen(files[1], "wb", buffering=0) as replies:
                play(request, requests, replies)
    finally:
        os._exit(0)  # no clean-up of a contestant's: it could hang, and the fork server's is not to run here


def _keep_only(files: Iterable[int]) -> None:
    """Close every open file but these and the standard ones, such as those by which inits of others report."""
    edges = [2, *sorted(files), resource_limits.max_open_files()]
    for below, above in pairwise(edges):
        os.closerange(below + 1, above)


def _list_folders(request: Request) -> None:
    """Have Python know which modules there are, as a player may not list a folder that has something hidden in it."""
    for folder in (str(Path(request.file).parent), request.policy.folder, str(fs_policy.strategies())):
        PathFinder.find_spec("strategies.", [folder])


def _isolated(policy: SandboxPolicy, parent: int) -> str:
    """Enter the sandbox; return why that cannot be done, if it cannot."""
    try:
        enter_sandbox(policy, parent)
    except OSError as error:
        return f"it cannot be isolated as level {policy.level} demands: {error}"
    return ""


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def play(request: Request, requests: BinaryIO, replies: Any) -> None:
    """Import the contestant's file, then list its entries or serve the one that was asked for."""
    sys.dont_write_bytecode = True  # a file saved twice within a second would be taken for its older version
    lazy_random.seed_random_module(0)  # before a contestant's file takes functions out of `random`
    made: list[Any] = []

    def load() -> Any:
        module = contract.import_file(Path(request.file))
        if not request.make:
            return [[entry.make, entry.name, entry.game] for entry in contract.declared_entries(module)]
        strategy = contract.make_strategy(module, request.make)
        if isinstance(strategy, contract.Strategy):
            strategy.rules = request.game_id
        made.append(strategy)
        return [[request.make, contract.name_of(strategy), str(getattr(strategy, "game", contract.DEFAULT_RULES))]]

    replies.write(worker.answer(load, key=b"ready"))
    for strategy in made:
        worker.serve(strategy, requests, replies)
