"""What a player must not be able to do, tried from inside a jail: the process that runs this is thrown away.

It reads from standard input, as JSON, what there is to attack, locks itself up as a player would be, and writes what
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

from wordpl.isolation.jail import Cell, lock


class Prey(msgspec.Struct):
    """What is attacked: the referee's process and a secret in its memory, a listening port, a file and a folder."""

    pid: int
    address: int
    secret: str
    port: int
    file: str
    folder: str


def read_memory(prey: Prey) -> bool:
    """Read the referee's memory through /proc, then by the call made for it."""
    with suppress(OSError), Path(f"/proc/{prey.pid}/mem").open("rb", 0) as memory:
        memory.seek(prey.address)
        if memory.read(len(prey.secret)) == prey.secret.encode():
            return True
    return _read_across(prey) == prey.secret.encode()


def _read_across(prey: Prey) -> bytes:
    size = len(prey.secret)
    found = ctypes.create_string_buffer(size)
    here, there = ((ctypes.c_void_p * 2)(address, size) for address in (ctypes.addressof(found), prey.address))
    with suppress(AttributeError):  # not every C library has it
        ctypes.CDLL(None).process_vm_readv(prey.pid, here, 1, there, 1, 0)
    return found.raw


def connect(prey: Prey) -> bool:
    """Reach a server on this machine."""
    with socket.create_connection(("127.0.0.1", prey.port), timeout=1):
        return True


def send(prey: Prey) -> bool:
    """Send a message that needs no connection."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        return out.sendto(b"word", ("127.0.0.1", prey.port)) > 0


def fork(prey: Prey) -> bool:
    """Start another process."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def write(prey: Prey) -> bool:
    """Write a file outside."""
    (Path(prey.folder) / "written").write_text("here")
    return True


def signal(prey: Prey) -> bool:
    """Reach the referee with a signal."""
    os.kill(prey.pid, 0)
    return True


def read_file(prey: Prey) -> bool:
    """Read a file that is none of a player's business."""
    return Path(prey.file).read_text() == prey.secret


ATTACKS: tuple[Callable[[Prey], bool], ...] = (read_memory, connect, send, fork, write, signal, read_file)


def main() -> None:
    """Lock this process up as told and report which attacks succeed."""
    told = json.loads(sys.stdin.readline())
    prey, cell = msgspec.convert(told["prey"], Prey), msgspec.convert(told["cell"], Cell)
    socket.gethostname()  # what a library loads late is loaded before the door closes
    lock(cell, os.getppid())
    outcome = {}
    for attack in ATTACKS:
        try:
            outcome[attack.__name__] = attack(prey)
        except (OSError, ValueError):
            outcome[attack.__name__] = False
    print(json.dumps(outcome))  # noqa: T201 - this is the report


if __name__ == "__main__":
    main()
