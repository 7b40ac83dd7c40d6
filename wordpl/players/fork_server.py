"""A fork server: a process that has imported what players need, and forks a player on request.

Importing numba and loading compiled code takes most of a second; a fork takes milliseconds. No contestant's code runs
in this process, only in the forked players. Requests arrive as lines of JSON over a socket, together with the file
descriptors of the player's pipes.
"""

import ctypes  # noqa: F401 - loaded before the fork, for the players
import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from wordpl.kernels import cache_folder
from wordpl.players import player_process, warm_up
from wordpl.players.fork_client import Request
from wordpl.players.player_process import ChildProcess
from wordpl.players.sandbox import cpu_affinity, resource_limits

REQUEST_BYTES = 1 << 20


def main() -> None:
    """Fork players until the referee disconnects or ends, then stop the remaining players.

    The arguments of the program are two file descriptors: the socket for requests, and a file that is locked while this
    process runs. Players must not inherit them.
    """
    control, lock = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    cache_folder.is_player = True
    children: dict[int, ChildProcess] = {}
    resource_limits.n_threads(os.getuid())  # cached here, so that players need not count again
    cpu_affinity.allowed()
    with suppress(BrokenPipeError, ConnectionResetError):  # the referee has ended
        _serve(control, lock, children)
    for child in children.values():
        player_process.end(child)


def _serve(control: socket.socket, lock: int, children: dict[int, ChildProcess]) -> None:
    """Answer requests until the referee disconnects; `children` receives the running players."""
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
            start_request = msgspec.convert(request["start"], Request)
            policy = start_request.policy
            warm_up.prepare(Path(policy.working), Path(policy.shipped), plays=not start_request.attempts)
            child = player_process.start(start_request, files, (control.fileno(), lock))
            children[child.pid] = child
            _send_pid(control, child)
        else:
            status = player_process.end(children.pop(request["end"]), request["grace_s"])
            control.sendall(json.dumps(status).encode() + b"\n")


def _send_pid(control: socket.socket, child: ChildProcess) -> None:
    """Send the process id of a player, with a pidfd from which its id in other pid namespaces can be determined."""
    line = b"%d\n" % child.pid
    if child.handle is None:  # not on Linux, so there are no pid namespaces either
        control.sendall(line)
    else:
        socket.send_fds(control, [line], [child.handle])
