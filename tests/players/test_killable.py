"""Computations in a process that can be stopped, with a thread or the test itself in place of the process."""

import asyncio
import os
import signal
import socket
import subprocess
import threading
from multiprocessing.connection import Connection
from types import SimpleNamespace

import pytest

from wordpl.players import killable
from wordpl.players.killable import KillableProcess, ProcessEndedError


def test_a_key_in_the_terminal_does_not_reach_the_process_which_is_killed_if_it_does_not_end(monkeypatch):
    made, popen = [], subprocess.Popen
    monkeypatch.setattr(killable.current_folder, "python_command", lambda *_: ["sleep", "5"])
    monkeypatch.setattr(
        killable.subprocess, "Popen", lambda *args, **named: made.append(popen(*args, **named)) or made[0]
    )
    process = KillableProcess()
    try:
        assert os.getsid(process.pid) == process.pid
    finally:
        process.stop(0.0)
    assert made[0].returncode == -signal.SIGKILL


@pytest.fixture
def started(monkeypatch):
    """The ends of the sockets that processes would have got, of which none is started."""
    ends = []

    def popen(command, *, pass_fds, **options):
        ends.append(socket.socket(fileno=os.dup(pass_fds[0])))
        ends[-1].settimeout(5.0)
        return SimpleNamespace(pid=0, wait=lambda seconds: None)

    monkeypatch.setattr(killable, "subprocess", SimpleNamespace(Popen=popen, DEVNULL=subprocess.DEVNULL))
    yield ends
    for end in ends:
        end.close()


class OddError(Exception):
    """Cannot be pickled."""

    def __init__(self):
        super().__init__("odd")
        self.lock = threading.Lock()


def fail_oddly():
    raise OddError


def result_of(coroutine):
    async def result():
        async with asyncio.timeout(5.0):
            return await coroutine

    return asyncio.run(result())


def test_functions_are_called_one_after_the_other_and_their_errors_raised_until_the_process_is_stopped(
    started, monkeypatch, capfd
):
    parents, killed = [], []
    system = {"fork": lambda: 77, "kill": lambda *what: killed.append(what), "waitpid": lambda pid, _: (pid, 9)}
    monkeypatch.setattr(killable, "os", SimpleNamespace(**vars(os) | system))
    monkeypatch.setattr(killable, "die_with_parent", parents.append)
    process = KillableProcess()
    started[0].setblocking(True)
    server = threading.Thread(target=killable.main, args=(started.pop().detach(), 17))
    server.start()
    try:
        process.prepare("time:time")
        assert result_of(process.call("operator:add", 1, 2)) == 3
        with pytest.raises(ZeroDivisionError):
            result_of(process.call("operator:truediv", 1, 0))
        with pytest.raises(RuntimeError, match="OddError: odd"):
            result_of(process.call(f"{__name__}:fail_oddly"))
        with pytest.raises(ProcessEndedError):
            result_of(anext(process.fork("builtins:range")))
        assert result_of(process.call("operator:add", 1, 2)) == 3
        assert killed == [(77, signal.SIGKILL)], "nobody waits for its values any more"
    finally:
        process.stop()
        server.join()
    assert parents == [17]
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_computation_is_stopped_when_nobody_waits_for_its_values(started):
    process = KillableProcess()

    def received():
        data, files, _, _ = socket.recv_fds(started[0], killable.REQUEST.size, 2)
        return killable.REQUEST.unpack(data), files

    async def first_value():
        values = process.fork("builtins:range")
        waiting = asyncio.ensure_future(anext(values))
        await asyncio.sleep(0)
        (kind, number), files = received()
        os.close(files[1])
        with Connection(files[0]) as replies:
            replies.send(("value", 5))
            assert (kind, await waiting) == (killable.FORK, 5)
            await values.aclose()
        assert received() == ((killable.KILL, number), [])

    asyncio.run(first_value())
    gone = process.call("operator:add", 1, 2)
    for file in received()[1]:
        os.close(file)
    with pytest.raises(ProcessEndedError):
        asyncio.run(gone)
    process.stop()
