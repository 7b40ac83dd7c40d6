"""The process of a player, from the fork until it ends: it enters its sandbox, and loads and plays its entry."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from wordpl import games
from wordpl import strategy as contract
from wordpl.core import seeds
from wordpl.players import worker
from wordpl.players.fork_client import Request
from wordpl.players.sandbox import processes
from wordpl.players.sandbox.levels import SandboxPolicy, enter_sandbox


def run_player(files: Sequence[int], parent: int, fault: str = "") -> NoReturn:
    """Run a player in this forked process until it ends; this function does not return.

    Args:
        files: File descriptors for requests, for replies, with the player's `Request` and, optionally, for what the
            player prints.
        parent: The id of the parent process.
        fault: Why it cannot play: it only reports this.
    """
    try:
        os.setsid()
        if fault:
            os.write(files[1], worker.fault_line(fault))
            os._exit(0)
        request = _read_request(files[2])
        os.chdir(request.policy.working)
        _redirect_standard_streams(files[3] if len(files) > 3 else -1)
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


def _redirect_standard_streams(output: int) -> None:
    """Redirect standard input to the null device, and output and errors to a file or, if it is negative, there too.

    The null device is opened anew: players that share an open file could leave flags on it for each other (open(2)).
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(output if output >= 0 else nothing, 1)
    os.dup2(1, 2)


def _read_request(file: int) -> Request:
    """Return what this player is told; the process that forked it has not read it."""
    return _decode(os.pread(file, os.fstat(file).st_size, 0))


_decode = msgspec.json.Decoder(Request).decode


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


def replace_process(command: list[str], ready: Any, files: Sequence[int]) -> NoReturn:
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
