"""What the referee asks of the process that starts players, and how it reads the answers, without such a process."""

import fcntl
import json
import os
import signal
import socket
from types import SimpleNamespace

import msgspec
import pytest

from wordpl.players import fork_client
from wordpl.players.fork_client import LOCK_FILE, ForkClient, ForkServerError, ProcessEnd, Request
from wordpl.players.sandbox import namespaces
from wordpl.players.sandbox.levels import Level, SandboxPolicy

POLICY = SandboxPolicy(Level.D, 512, 256, "/secret place")


class Server:
    """Stands for the process; its answers are known in advance: first the number of a player."""

    def __init__(self):
        self.returncode, self.errors, self.answers = None, b"", ["ready", 4]

    def __call__(self, command, *, pass_fds, env, stderr, start_new_session, **options):
        assert start_new_session
        self.command, self.env = command, env
        self.socket, self.lock = socket.socket(fileno=os.dup(pass_fds[0])), os.dup(pass_fds[1])
        stderr.write(self.errors)
        for answer in self.answers:
            self.socket.send(json.dumps(answer).encode() + b"\n")
        if self.returncode is not None:
            self.end()
        return self

    def received(self):
        """Return the next request and the files that came with it."""
        line, files, _, _ = socket.recv_fds(self.socket, 1 << 16, 4)
        return msgspec.json.decode(line), files

    def end(self):
        self.socket.close()
        os.close(self.lock)

    def wait(self, seconds):
        pass


@pytest.fixture
def server(monkeypatch):
    server, socketpair = Server(), socket.socketpair
    monkeypatch.setattr(fork_client.subprocess, "Popen", server)
    # So that each answer is received alone, as if it had been sent after its request.
    monkeypatch.setattr(fork_client.socket, "socketpair", lambda: socketpair(type=socket.SOCK_SEQPACKET))
    return server


@pytest.fixture
def group(monkeypatch):
    """The control group of the players."""
    group = SimpleNamespace(n=0, n_killed=lambda: group.n, command=lambda words: ["in-group", *words], close=list)
    monkeypatch.setattr(fork_client, "Cgroup", lambda memory_mb: group)
    return group


@pytest.fixture
def client(server, group, tmp_path):
    (tmp_path / "working").mkdir()
    client = ForkClient(namespaces.View(tmp_path / "working"), Level.D, 512)
    yield client
    client.close()


def is_occupied(folder):
    with (folder / LOCK_FILE).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_who_starts_players_learns_nothing_of_an_entry_nor_of_the_referee_s_environment(
    client, server, tmp_path, monkeypatch
):
    monkeypatch.setenv("WORDPL_TEST_TOKEN", "secret")
    child = client.start(Request(POLICY, "bot.py", uses=["numpy"]))
    told, files = server.received()
    assert told == {"type": "Start", "policy": json.loads(msgspec.json.encode(POLICY.shared())), "uses": ["numpy"]}
    for file in [*files, child.requests, child.replies]:
        os.close(file)
    assert (child.number, child.generation, len(files)) == (4, 1, 3)
    assert "WORDPL_TEST_TOKEN" not in server.env
    assert server.env["PYTHONHASHSEED"] == "0"
    assert "in-group" in server.command
    assert is_occupied(tmp_path)
    server.end()
    assert not is_occupied(tmp_path)


@pytest.mark.parametrize(
    ("status", "n_killed", "end"),
    [
        (3 << 8, 1, ProcessEnd("ended with exit code 3")),
        (signal.SIGSEGV, 1, ProcessEnd("was killed by SIGSEGV")),
        (signal.SIGKILL, 0, ProcessEnd("was killed by SIGKILL", from_outside=True)),
        (signal.SIGKILL, 1, ProcessEnd("was killed by SIGKILL", from_outside=True, out_of_memory=True)),
        (99, 0, ProcessEnd("was killed by 99")),
        (None, 0, ProcessEnd("closed its end of the pipe")),
    ],
)
def test_how_a_player_ended_is_said_and_whether_memory_ran_out(client, server, group, status, n_killed, end):
    server.answers.append(status)
    child = client.start(Request(POLICY, "bot.py"))
    for file in server.received()[1]:
        os.close(file)
    group.n = n_killed
    assert client.end(child) == end
    assert server.received() == ({"type": "End", "number": 4, "grace_s": 0}, [])
    server.end()


def test_a_player_of_an_earlier_server_ended_with_it(client, server):
    server.answers.append(0)  # its number is that of another player now
    child = client.start(Request(POLICY, "bot.py"))
    child.generation -= 1
    assert client.end(child) == fork_client.ENDED_WITH_SERVER
    server.end()


@pytest.mark.parametrize(
    ("code", "by_itself"), [(1, True), (127, True), (0, False), (-9, False), (128, False), (137, False)]
)
def test_a_server_that_ends_by_itself_is_told_from_one_that_was_killed(client, server, code, by_itself):
    server.returncode, server.errors = code, b"Traceback\n\x1b[31mOSError: no space\n"
    server.answers = []
    with pytest.raises(ForkServerError) as caught:
        client.start(Request(POLICY, "bot.py"))
    assert caught.value.by_itself == by_itself
    assert ("?[31mOSError: no space" in str(caught.value)) == by_itself
