"""What a player must not be able to do, tried from inside its sandbox: the process that runs this is thrown away.

It reads from standard input, as JSON, what there is to attack, enters the sandbox as a player does, and writes what
came of each attack.
"""

import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from wordpl.players.sandbox import namespaces
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy, enter_sandbox


class Target(msgspec.Struct):
    """What is attacked: the referee's process and a secret in its memory, a listening port, a file and a folder."""

    pid: int
    address: int
    secret: str
    port: int
    file: str
    folder: str


def read_memory(target: Target) -> bool:
    """Read the referee's memory through /proc, then by the call made for it."""
    with suppress(OSError), Path(f"/proc/{target.pid}/mem").open("rb", 0) as memory:
        memory.seek(target.address)
        if memory.read(len(target.secret)) == target.secret.encode():
            return True
    return _read_across(target) == target.secret.encode()


def _read_across(target: Target) -> bytes:
    size = len(target.secret)
    found = ctypes.create_string_buffer(size)
    here, there = ((ctypes.c_void_p * 2)(address, size) for address in (ctypes.addressof(found), target.address))
    with suppress(AttributeError):  # not every C library has it
        ctypes.CDLL(None).process_vm_readv(target.pid, here, 1, there, 1, 0)
    return found.raw


def connect(target: Target) -> bool:
    """Reach a server on this machine."""
    with socket.create_connection(("127.0.0.1", target.port), timeout=1):
        return True


def send(target: Target) -> bool:
    """Send a message that needs no connection."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        return out.sendto(b"word", ("127.0.0.1", target.port)) > 0


def fork(target: Target) -> bool:
    """Start another process."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def write(target: Target) -> bool:
    """Write a file outside."""
    (Path(target.folder) / "written").write_text("here")
    return True


def signal(target: Target) -> bool:
    """Reach the referee with a signal."""
    os.kill(target.pid, 0)
    return True


def read_file(target: Target) -> bool:
    """Read a file that is none of a player's business."""
    return Path(target.file).read_text() == target.secret


ATTACKS: tuple[Callable[[Target], bool], ...] = (read_memory, connect, send, fork, write, signal, read_file)


def main() -> None:
    """Enter the sandbox as told and report which attacks succeed."""
    told = json.loads(sys.stdin.readline())
    target, policy = msgspec.convert(told["target"], Target), msgspec.convert(told["policy"], SandboxPolicy)
    socket.gethostname()  # what a library loads late is loaded before nothing can be
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
    """Go on as the first process of namespaces of its own, the second ones that are made, and end as it does."""
    first = namespaces.fork_init()
    if first == 0:
        os._exit(0)
    os.waitpid(first, 0)
    pid = namespaces.fork_init()
    if pid != 0:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    namespaces.mount_own_proc()


if __name__ == "__main__":
    main()
