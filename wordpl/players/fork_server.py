"""A process that has imported what players need and forks one whenever it is asked to.

Importing numba and loading compiled code takes most of a second; a fork takes milliseconds. No contestant's code runs
here, only in the forked players. Requests come as lines of JSON over a socket, with the player's two pipes beside them.
"""

import ctypes  # noqa: F401 - loaded before the fork, for the players
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from wordpl import strategy as contract
from wordpl.core import lazy_random
from wordpl.players import program, warm_up, worker
from wordpl.players.fork_client import Request
from wordpl.players.sandbox.policy import SandboxPolicy, enter_sandbox

REQUEST_BYTES = 1 << 16


def main() -> None:
    """Fork players until the referee hangs up, then end those that are left.

    The arguments of the program are two open files: the socket requests come from, and one that is locked until this
    process ends, which players must not hold open.
    """
    control, occupied = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    children: set[int] = set()
    control.sendall(b'"ready"\n')
    while True:
        line, files, _, _ = socket.recv_fds(control, REQUEST_BYTES, 3)
        if not line:
            break
        request = json.loads(line)
        if "start" in request:
            asked = msgspec.convert(request["start"], Request)
            warm_up.prepare(Path(asked.file), plays=bool(asked.make))
            pid = start(asked, files, (control.fileno(), occupied))
            children.add(pid)
            _tell(control, pid)
        else:
            status = end(request["end"], request["patience_s"])
            children.discard(request["end"])
            control.sendall(json.dumps(status).encode() + b"\n")
    for pid in children:
        end(pid)


def _tell(control: socket.socket, pid: int) -> None:
    """Tell the number of a player's process, with a handle by which its number elsewhere can be found."""
    line = b"%d\n" % pid
    if not hasattr(os, "pidfd_open"):  # not Linux: there are no namespaces either
        return control.sendall(line)
    handle = os.pidfd_open(pid)
    socket.send_fds(control, [line], [handle])
    return os.close(handle)


def start(request: Request, files: list[int], own: Iterable[int]) -> int:
    """Fork a player that reads requests from the first file and replies on the second; return its process id.

    own: files of this process that a player must not have.
    """
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        for file in own:
            os.close(file)
        live(request, files, parent)
    for file in files:
        os.close(file)
    return pid


def end(pid: int, patience_s: float = 0) -> int | None:
    """Kill the player and all of its process group; return its wait status if it ended by itself in time, else None."""
    until = time.monotonic() + patience_s
    ended, status = os.waitpid(pid, os.WNOHANG)
    while not ended and time.monotonic() < until:
        time.sleep(0.001)
        ended, status = os.waitpid(pid, os.WNOHANG)
    with suppress(ProcessLookupError, PermissionError):  # macOS refuses a group in which only zombies are left
        os.killpg(pid, signal.SIGKILL)
    if ended:
        return status
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def live(request: Request, files: list[int], parent: int) -> NoReturn:
    """Be a player from birth to death."""
    try:
        os.setsid()
        worker.quiet(files[2] if len(files) > 2 else -1)
        broken = request.broken or _locked(request.policy, parent)
        if broken:
            os.write(files[1], worker.fault_line(broken))
        elif request.command:
            program.become(request.command, request.ready, files)
        else:
            with os.fdopen(files[0], "rb") as requests, os.fdopen(files[1], "wb", buffering=0) as replies:
                play(request, requests, replies)
    finally:
        os._exit(0)  # no clean-up of a contestant's: it could hang, and the fork server's is not to run here


def _locked(policy: SandboxPolicy, parent: int) -> str:
    """Lock this process up; return why that cannot be done, if it cannot."""
    try:
        enter_sandbox(policy, parent)
    except OSError as error:
        return f"it cannot be walled off as level {policy.level} demands: {error}"
    return ""


def play(request: Request, requests: Any, replies: Any) -> None:
    """Import the contestant's file, then list its entries or serve the one that was asked for."""
    lazy_random.plant(0)  # before a contestant's file takes functions out of `random`
    made: list[Any] = []

    def load() -> Any:
        module = contract.import_file(Path(request.file))
        if not request.make:
            return [[entry.make, entry.name, entry.game] for entry in contract.declared(module)]
        strategy = contract.make_strategy(module, request.make)
        if isinstance(strategy, contract.Strategy):
            strategy.rules = request.game_id
        made.append(strategy)
        return [[request.make, contract.name_of(strategy), str(getattr(strategy, "game", contract.DEFAULT_RULES))]]

    replies.write(worker.answer(load, key=b"ready"))
    for strategy in made:
        worker.serve(strategy, requests, replies)
