"""The process that forks players ends without a word when its referee is gone, whatever it was doing."""

import os
import socket
import subprocess
import sys

import msgspec
import pytest

from wordpl.core import paths
from wordpl.players.fork_client import Request, Start
from wordpl.players.sandbox.levels import Level, SandboxPolicy

START = "from wordpl.players import fork_server; fork_server.main()"
BOT = "class Bot:\n    first_move = next_move = None\n"


@pytest.fixture
def start_fork_server(tmp_path):
    """Return a function that starts a fork server and returns the referee's end of its socket and the process."""
    processes = []

    def start():
        control, player_end = socket.socketpair()
        occupied = os.open(tmp_path / "occupied", os.O_RDWR | os.O_CREAT)
        code = f"import sys; sys.path.insert(0, {str(paths.IMPORT_ROOT)!r}); {START}"
        command = [sys.executable, "-P", "-c", code, str(player_end.fileno()), str(occupied), "D"]
        processes.append(subprocess.Popen(command, pass_fds=[player_end.fileno(), occupied], stderr=subprocess.PIPE))
        player_end.close()
        os.close(occupied)
        return control, processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def wait_for_end(process):
    """Return the exit code of the process and its error output."""
    errors = process.communicate(timeout=60)[1]
    return process.returncode, errors.decode()


@pytest.mark.slow
def test_a_fork_server_whose_referee_ended_before_it_was_ready_ends_silently(start_fork_server):
    control, process = start_fork_server()
    control.close()
    assert wait_for_end(process) == (0, "")


@pytest.mark.slow
def test_a_fork_server_whose_referee_ended_while_a_player_started_ends_silently(start_fork_server, tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    policy = SandboxPolicy(Level.D, 512, 256, str(tmp_path), str(tmp_path))
    control, process = start_fork_server()
    assert control.recv(100) == b'"ready"\n'
    requests, replies = os.pipe()
    line = msgspec.json.encode(Start(policy.shared())) + b"\n"
    with (tmp_path / "told").open("w+b") as told:
        told.write(msgspec.json.encode(Request(policy, str(tmp_path / "bot.py"), "Bot()", "wordpl/1")))
        told.flush()
        socket.send_fds(control, [line], [requests, replies, told.fileno()])
    control.close()
    os.close(requests)
    os.close(replies)
    assert wait_for_end(process) == (0, "")


@pytest.mark.slow
def test_a_fork_server_whose_referee_ends_within_a_request_ends_silently(start_fork_server):
    control, process = start_fork_server()
    assert control.recv(100) == b'"ready"\n'
    control.sendall(b'{"type": "Sta')
    control.close()
    assert wait_for_end(process) == (0, "")
