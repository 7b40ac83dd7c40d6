"""Attacks that a sandbox must prevent, tried from inside it in a separate process.

The process reads the targets as JSON from standard input, enters the sandbox like a player, and prints which attacks
succeeded.
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
from wordpl.players.sandbox.policy import Level, SandboxPolicy, enter_sandbox


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


def main() -> None:
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


if __name__ == "__main__":
    main()
