"""A fork server: a process that has imported what players need, and has read nothing of any entry.

On request it forks a player, starts it in its sandbox, runs it and stops it. Only the player is told which entry it is.
"""

import ctypes  # noqa: F401 - loaded before the fork, for the players
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from wordpl import games
from wordpl import strategy as contract
from wordpl.core import seeds
from wordpl.kernels import cache_folder
from wordpl.players import shared_kernels, worker
from wordpl.players.fork_client import Request, Start, pid_of
from wordpl.players.sandbox import namespaces, processes
from wordpl.players.sandbox.levels import Level, SandboxPolicy, enter_sandbox, prepare

STATUS_BYTES = 16
ENDING_S = 10.0
EXITING = 4
"""The flag of a process that exits, PF_EXITING of the kernel, which proc_pid_stat(5) shows."""


@dataclass(frozen=True)
class ChildProcess:
    """A forked player.

    Attributes:
        pid: The process to stop: the player, or the init process of its pid namespace.
        handle: A pidfd of the player's process (pidfd_open(2)), which `end` closes; None if unsupported.
        report: The socket on which the init process reports how the player ended.
    """

    pid: int
    handle: int | None
    report: socket.socket | None = None


def start(policy: SandboxPolicy, files: list[int], own: Iterable[int]) -> ChildProcess:
    """Fork a player.

    Args:
        policy: What it shares with others of the sandbox policy.
        files: File descriptors for requests, for replies, with the player's `Request` and, optionally, for what the
            player prints.
        own: File descriptors of this process that the player must not inherit.
    """
    try:
        prepare(policy)
        if policy.level == Level.A:
            return _start_in_namespace(files, own)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _close(own)
            run_player(files, parent)
        return ChildProcess(pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None)
    finally:
        _close(files)


def _start_in_namespace(files: list[int], own: Iterable[int]) -> ChildProcess:
    report, theirs = socket.socketpair()
    with theirs:
        pid = namespaces.fork_init()
        if pid == 0:
            report.close()
            _close(own)
            _run_init(files, theirs)
    with suppress(OSError):
        _, handles, _, _ = socket.recv_fds(report, 1, 1)
        if handles:
            return ChildProcess(pid, handles[0], report)
    return ChildProcess(pid, os.pidfd_open(pid), report)  # it failed, and has reported the reason to the referee


def _run_init(files: list[int], report: socket.socket) -> NoReturn:
    """Run the init process of a pid namespace: fork the player, and report its pidfd and how it ended."""
    try:
        os.setsid()
        namespaces.mount_own_proc()
        pid = os.fork()
        if pid == 0:
            report.close()
            run_player(files, os.getppid())
        _close(files)
        handle = os.pidfd_open(pid)
        socket.send_fds(report, [b"p"], [handle])
        os.close(handle)
        report.sendall(b"%d" % os.waitpid(pid, 0)[1])
    except OSError as error:
        with suppress(OSError):
            os.write(files[1], worker.fault_line(f"its namespaces cannot be created: {error}"))
    finally:
        os._exit(0)


def _close(files: Iterable[int]) -> None:
    for file in files:
        os.close(file)


def end(child: ChildProcess, grace_s: float = 0) -> int | None:
    """Stop the player and its descendants; return its wait status if it ended by itself within `grace_s`, else None.

    A player that is about to end gets up to ENDING_S more: on a busy machine it may wait that long for a processor.
    """
    now = time.monotonic()
    until, latest = now + grace_s, now + (ENDING_S if grace_s else 0)
    ended, status = os.waitpid(child.pid, os.WNOHANG)
    while not ended and ((now := time.monotonic()) < until or (now < latest and _is_ending(child))):
        time.sleep(0.001)
        ended, status = os.waitpid(child.pid, os.WNOHANG)
    if child.report is None:
        with suppress(ProcessLookupError, PermissionError):  # macOS refuses a process group of zombies
            os.killpg(child.pid, signal.SIGKILL)
    if not ended:
        os.kill(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
    if child.handle is not None:
        os.close(child.handle)
    if child.report is None:
        return status if ended else None
    return _receive_status(child.report, status if ended else None)


def _is_ending(child: ChildProcess) -> bool:
    """Return whether the player has been killed or exits, but its end has not been reported yet."""
    if child.handle is None:
        return False
    poll = select.poll()
    poll.register(child.handle, select.POLLIN)
    if poll.poll(0):
        return True
    with suppress(OSError, IndexError, ValueError):
        # The name of the process, which may contain anything, precedes the last closing parenthesis.
        return bool(int(Path(f"/proc/{pid_of(child.handle)}/stat").read_text().rpartition(")")[2].split()[6]) & EXITING)
    return False


def _receive_status(report: socket.socket, of_init: int | None) -> int | None:
    """Return the player's wait status as reported by its init process or, if there is none, that of this process."""
    with report, suppress(OSError):
        reported = report.recv(STATUS_BYTES, socket.MSG_DONTWAIT)
        return int(reported) if reported.isdigit() else of_init
    return of_init


def run_player(files: list[int], parent: int) -> NoReturn:
    """Run a player in this forked process until it ends; this function does not return."""
    try:
        os.setsid()
        request = _read_request(files[2])
        os.chdir(request.policy.working)
        worker.redirect_standard_streams(files[3] if len(files) > 3 else -1)
        processes.pin_to_processor()
        _close_other_files(files[:2])  # before the limit on open files is lowered, which may be below their number
        broken = request.broken or _enter_sandbox(request.policy, parent)
        if broken:
            os.write(files[1], worker.fault_line(broken))
        elif request.attempts:
            os.write(files[1], worker.to_line([path for path in request.attempts if _can_open(path)], b"ready"))
        elif request.command:
            replace_process(request.command, request.ready, files)
        else:
            worker.write_stack_on_signal(files[1])
            with os.fdopen(files[0], "rb") as requests, os.fdopen(files[1], "wb", buffering=0) as replies:
                play(request, requests, replies)
    finally:
        os._exit(0)  # skip exit handlers: those of a contestant could hang, and the fork server's must not run here


def _read_request(file: int) -> Request:
    """Return what this player is told; the process that forked it has not read it."""
    return msgspec.json.decode(os.pread(file, os.fstat(file).st_size, 0), type=Request)


def _close_other_files(files: Iterable[int]) -> None:
    """Close all file descriptors except these and the standard ones, such as those inherited from the fork server."""
    edges = [2, *sorted(files), processes.max_open_files()]
    for below, above in pairwise(edges):
        os.closerange(below + 1, above)


def _enter_sandbox(policy: SandboxPolicy, parent: int) -> str:
    """Enter the sandbox; return why that failed, or "" if it succeeded."""
    try:
        enter_sandbox(policy, parent)
    except OSError as error:
        return f"the sandbox of level {policy.level} failed: {error}"
    return ""


def _can_open(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def play(request: Request, requests: BinaryIO, replies: Any) -> None:
    """Import the contestant's file, report its entries or the requested one, and serve them."""
    sys.dont_write_bytecode = True  # cached bytecode would be stale if a file is saved twice within a second
    seeds.seed_random_module(0)  # before a contestant's file imports functions from `random`
    strategies: list[Any] = []

    def load() -> Any:
        if request.game is not None:
            games.bind_all([request.game])
        module = contract.import_entry(Path(request.place), Path(request.policy.shipped))
        declared = list(contract.declared_entries(module, request.make))
        strategies.extend(entry.strategy for entry in declared)
        if request.make and isinstance(strategies[0], contract.Strategy):
            strategies[0].rules = request.game_id
        return [[entry.make, entry.name, entry.game] for entry in declared]

    replies.write(worker.answer(load, key=b"ready"))
    if strategies:
        worker.serve(strategies, requests, replies)


def replace_process(command: list[str], ready: Any, files: list[int]) -> NoReturn:
    """Replace this process by the program, with requests on its standard input and replies on its standard output.

    Args:
        command: The command line of the program.
        ready: The entry's expression, name and game, which are sent on behalf of the program.
        files: File descriptors for requests and replies.
    """
    path = shutil.which(command[0])
    if path is None:
        os.write(files[1], worker.fault_line(f"the program {command[0]!r} was not found"))
        os._exit(1)
    os.write(files[1], worker.to_line(ready, b"ready"))
    os.dup2(files[0], 0)
    os.dup2(files[1], 1)
    os.execv(path, command)


REQUEST_BYTES = 1 << 20


def main() -> None:
    """Fork players until the referee disconnects or ends, then stop the remaining players.

    The arguments of the program are two file descriptors: the socket for requests, and a file that is locked while this
    process runs. Players must not inherit them.
    """
    control, lock = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    cache_folder.is_player = True
    children: dict[int, ChildProcess] = {}
    processes.n_threads(os.getuid())  # cached here, so that players need not count again
    processes.own_processors()
    with suppress(BrokenPipeError, ConnectionResetError):  # the referee has ended
        _serve(control, lock, children)
    for child in children.values():
        end(child)


def _serve(control: socket.socket, lock: int, children: dict[int, ChildProcess]) -> None:
    """Answer requests until the referee disconnects; `children` receives the running players."""
    control.sendall(b'"ready"\n')
    while True:
        line, files, _, _ = socket.recv_fds(control, REQUEST_BYTES, 4)
        while line and not line.endswith(b"\n"):
            part = control.recv(REQUEST_BYTES)
            line = line + part if part else b""
        if not line:
            return
        request = json.loads(line)
        if "start" in request:
            told = msgspec.convert(request["start"], Start)
            shared_kernels.preload_for_entry(told.uses)
            child = start(told.policy, files, (control.fileno(), lock))
            children[child.pid] = child
            _send_pid(control, child)
        else:
            status = end(children.pop(request["end"]), request["grace_s"])
            control.sendall(json.dumps(status).encode() + b"\n")


def _send_pid(control: socket.socket, child: ChildProcess) -> None:
    """Send the process id of a player, with a pidfd from which its id in other pid namespaces can be determined."""
    line = b"%d\n" % child.pid
    if child.handle is None:  # not on Linux, so there are no pid namespaces either
        control.sendall(line)
    else:
        socket.send_fds(control, [line], [child.handle])
