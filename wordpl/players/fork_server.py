"""A process that has imported what players need and forks one whenever it is asked to.

Importing numba and loading compiled code takes most of a second; a fork takes milliseconds. No contestant's code runs
here, only in the forked players. Requests come as lines of JSON over a socket, with the player's two pipes beside them.
"""

import ctypes  # noqa: F401 - loaded before the fork, for the players
import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from wordpl.players import player_process, warm_up
from wordpl.players.fork_client import Request
from wordpl.players.player_process import Started
from wordpl.players.sandbox import cpu_affinity, resource_limits

REQUEST_BYTES = 1 << 20


def main() -> None:
    """Fork players until the referee hangs up or has ended, then end those that are left.

    The arguments of the program are two open files: the socket requests come from, and one that is locked until this
    process ends, which players must not hold open.
    """
    control, occupied = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    children: dict[int, Started] = {}
    resource_limits.running(os.getuid())  # counted once, for all players
    cpu_affinity.allowed()
    with suppress(BrokenPipeError, ConnectionResetError):  # the referee has ended: nobody is left to hear of it
        _serve(control, occupied, children)
    for child in children.values():
        player_process.end(child)


def _serve(control: socket.socket, occupied: int, children: dict[int, Started]) -> None:
    """Answer requests until the referee hangs up; `children` holds the players that live."""
    control.sendall(b'"ready"\n')
    while True:
        line, files, _, _ = socket.recv_fds(control, REQUEST_BYTES, 3)
        while line and not line.endswith(b"\n"):
            part = control.recv(REQUEST_BYTES)
            line = line + part if part else b""
        if not line:
            return
        request = json.loads(line)
        if "start" in request:
            asked = msgspec.convert(request["start"], Request)
            warm_up.prepare(Path(asked.file), plays=bool(asked.make))
            child = player_process.start(asked, files, (control.fileno(), occupied))
            children[child.pid] = child
            _tell(control, child)
        else:
            status = player_process.end(children.pop(request["end"]), request["patience_s"])
            control.sendall(json.dumps(status).encode() + b"\n")


def _tell(control: socket.socket, child: Started) -> None:
    """Tell the number of a player's process here, with a handle by which its number elsewhere can be found."""
    line = b"%d\n" % child.pid
    if child.handle is None:  # not Linux: there are no namespaces either
        return control.sendall(line)
    socket.send_fds(control, [line], [child.handle])
    return os.close(child.handle)
