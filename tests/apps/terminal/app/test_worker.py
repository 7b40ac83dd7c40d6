"""The worker process: it is cancelled at once, reports errors, and leaves no process behind."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from tests.helpers.pilot import LONGEST_S
from wordpl.apps.terminal.app.setups import Setup
from wordpl.apps.terminal.app.worker import WorkerClient

pytestmark = [pytest.mark.long, pytest.mark.timeout(200)]

SLOW = Setup(exact=True, top=200, limit=0)
"""A search of minutes."""


async def ask(client, channel, task, **args):
    """Return the replies to a request."""
    replies, ended = [], asyncio.get_running_loop().create_future()

    def receive(message):
        replies.append(message)
        if message["kind"] == "end" and not ended.done():
            ended.set_result(None)

    client.submit(channel, task, receive, **args)
    await asyncio.wait_for(ended, LONGEST_S)
    return replies[:-1]


def run_attached(client, scenario):
    async def run():
        client.attach(lambda: None)
        try:
            await asyncio.wait_for(scenario(), LONGEST_S)
        finally:
            client.detach()

    asyncio.run(run())


async def with_words(client, setup):
    (reply,) = await ask(client, "words", "words", setup=setup)
    client.define("test", reply["words"], reply["rule"])


def children(pid):
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if _parent(path) == pid]


def _parent(path):
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return -1


def test_a_new_request_cancels_a_running_search(client):
    async def scenario():
        await with_words(client, SLOW)
        earlier_replies = []
        client.submit("solve", "classic", earlier_replies.append, name="test", setup=SLOW, hints=[("crane", ".....")])
        while not earlier_replies:
            await asyncio.sleep(0.01)
        n_before = len(earlier_replies)
        quick = Setup()
        replies = await ask(client, "solve", "classic", name="test", setup=quick, hints=[("tares", "....i")])
        assert replies[0]["n"] == 94
        assert replies[-1]["kind"] == "done"
        assert len(earlier_replies) == n_before
        while children(client.pid):  # ended processes are reaped a moment later
            await asyncio.sleep(0.01)

    run_attached(client, scenario)


def test_an_invalid_setup_gives_an_error_message(client):
    async def scenario():
        invalid_setup = Setup(answers="no-such-list")
        (reply,) = await ask(client, "words", "words", setup=invalid_setup)
        assert reply["kind"] == "error"
        assert "no bundled word list 'no-such-list'" in reply["message"]

    run_attached(client, scenario)


def test_a_process_that_is_killed_is_noticed(tmp_path):
    client = WorkerClient(tmp_path / "log")

    async def scenario():
        changed = asyncio.Event()
        client.on_state = changed.set
        os.kill(client.pid, 9)
        await asyncio.wait_for(changed.wait(), LONGEST_S)
        assert not client.is_alive
        client.submit("solve", "words", lambda _: None, setup={})  # no error: the screen says what happened

    run_attached(client, scenario)
    client.stop()


def test_stopping_ends_the_processes_of_a_running_search(tmp_path):
    client = WorkerClient(tmp_path / "log")
    search_pids = []

    async def scenario():
        await with_words(client, SLOW)
        replies = []
        client.submit("solve", "classic", replies.append, name="test", setup=SLOW, hints=[])
        while not replies:
            await asyncio.sleep(0.01)
        search_pids.extend(children(client.pid))
        assert search_pids

    run_attached(client, scenario)
    client.stop()
    deadline = time.monotonic() + LONGEST_S
    while any(Path(f"/proc/{pid}").exists() for pid in [client.pid, *search_pids]):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_suggestions_do_not_wait_for_kernels_that_are_compiled_in_the_background(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    client = WorkerClient(tmp_path / "log")

    async def scenario():
        quick, began = Setup(top=1), time.monotonic()
        await with_words(client, quick)
        replies = await ask(client, "solve", "classic", name="test", setup=quick, hints=[("tares", "....i")])
        noisy = Setup(game="wordpl/1")
        replies += await ask(client, "solve", "noisy", name="test", setup=noisy, rows=[("crane", 8.0, "..i..")])
        waited_s = time.monotonic() - began
        while len(compiling := children(client.pid)) > 1:  # ended processes are reaped a moment later
            await asyncio.sleep(0.01)
        os.kill(*compiling, 9)
        assert client.compiles
        assert {reply["kind"] for reply in replies} >= {"rating", "suggestion", "done"}
        assert waited_s < LONGEST_S / 2

    run_attached(client, scenario)
    client.stop()
