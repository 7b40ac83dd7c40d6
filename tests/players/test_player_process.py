"""What the process of a player does before the entry's code runs, each step noted instead of done."""

import io
import json
import os
import random
import sys
from contextlib import suppress
from types import SimpleNamespace

import msgspec
import pytest

from wordpl.players import player_process
from wordpl.players.fork_client import Request
from wordpl.players.sandbox import processes
from wordpl.players.sandbox.levels import Level, SandboxPolicy

POLICY = SandboxPolicy(Level.B, 512, 256, "/working")
PARENT = 17


class EndedError(BaseException):
    """The process ended, or became another program."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a player; it returns the steps and what the player sends."""

    def run(request, *, fault="", error=None, prints=False):
        steps = []
        noted = {
            name: lambda *args, name=name: steps.append((name, *args))
            for name in ("setsid", "chdir", "dup2", "closerange")
        }

        def enter(policy, parent):
            steps.append(("enter_sandbox", policy, parent))
            if error:
                raise error

        def end(name):
            def call(*args):
                steps.append((name, *args))
                raise EndedError

            return call

        calls = noted | {"_exit": end("exit"), "execv": end("execv")}
        monkeypatch.setattr(player_process, "os", SimpleNamespace(**vars(os) | calls))
        monkeypatch.setattr(player_process, "enter_sandbox", enter)
        monkeypatch.setattr(processes, "pin_to_processor", lambda: steps.append(("pin",)))
        monkeypatch.setattr(player_process.worker, "write_stack_on_signal", lambda file: None)
        (tmp_path / "told").write_bytes(msgspec.json.encode(request))
        flags = os.O_RDWR | os.O_CREAT
        files = [os.open(tmp_path / name, flags) for name in ("requests", "replies", "told")] + [99] * prints
        with pytest.raises(EndedError):
            player_process.run_player(files, PARENT, fault)

        for file in files[:3]:
            with suppress(OSError):  # the player has closed some
                os.close(file)
        sent = (tmp_path / "replies").read_bytes()
        (tmp_path / "replies").unlink()
        return steps, json.loads(sent), files

    return run


def test_a_player_closes_what_it_inherited_before_it_enters_its_sandbox_and_tries_to_open_files(run, tmp_path):
    (tmp_path / "open").touch()
    (tmp_path / "open").chmod(0o444)
    attempts = [str(tmp_path / name) for name in ("open", "none", "told")]
    steps, sent, files = run(Request(POLICY, "", attempts=attempts), prints=True)
    assert sent == {"ready": [attempts[0], attempts[2]]}
    names = [name for name, *_ in steps]
    assert steps[:2] == [("setsid",), ("chdir", "/working")]
    redirected = [step[1:] for step in steps if step[0] == "dup2"]
    assert redirected[1:] == [(99, 1), (1, 2)]
    assert redirected[0][1] == 0 and redirected[0][0] > 2, "the null device is opened anew"
    closed = [range(*step[1:]) for step in steps if step[0] == "closerange"]
    kept = {file for file in range(files[2] + 200) if not any(file in each for each in closed)}
    assert kept == {0, 1, 2, files[0], files[1]}
    assert ("enter_sandbox", POLICY, PARENT) in steps
    assert "closerange" not in names[names.index("enter_sandbox") :]


@pytest.mark.parametrize(
    ("request_", "error", "message"),
    [
        (
            Request(POLICY, "", "Bot()"),
            OSError(1, "no Landlock"),
            "the sandbox of level B failed: [Errno 1] no Landlock",
        ),
        (Request(POLICY, "", command=["true"]), OSError(1, "x"), "the sandbox of level B failed: [Errno 1] x"),
        (Request(POLICY, "", "Bot()", broken="its build failed"), None, "its build failed"),
        (Request(POLICY, "", command=["no-such-program"]), None, "the program 'no-such-program' was not found"),
    ],
)
def test_without_its_sandbox_or_if_it_is_broken_nothing_of_an_entry_runs(run, request_, error, message):
    steps, sent, _ = run(request_, error=error)
    assert (sent["fault"], sent["message"]) == ("crashed", message)
    assert "execv" not in [name for name, *_ in steps]
    assert steps[-1][0] == "exit"


def test_a_player_that_its_server_could_not_prepare_only_says_so(run):
    steps, sent, _ = run(Request(POLICY, "", "Bot()"), fault="no namespace")
    assert (steps[:1], sent["message"]) == ([("setsid",)], "no namespace")
    assert "enter_sandbox" not in [name for name, *_ in steps]


def test_a_program_replaces_the_process_with_requests_and_replies_as_its_streams(run):
    ready = [("", "prog", "wordpl/1")]
    steps, sent, files = run(Request(POLICY, "", command=[sys.executable, "x"], ready=ready))
    assert sent == {"ready": [list(ready[0])]}
    assert [step for step in steps if step[0] == "dup2"][-2:] == [("dup2", files[0], 0), ("dup2", files[1], 1)]
    assert ("execv", sys.executable, [sys.executable, "x"]) in steps


ENTRY = """
import random
from wordpl import Strategy

class Bot(Strategy):
    drawn = random.random()

    def first_move(self):
        return self.rules, self.drawn

    def next_move(self, guess, epsilon, clues):
        return guess, 0
"""


def test_an_entry_plays_the_game_that_is_asked_for_and_draws_the_same_when_it_is_imported(tmp_path, monkeypatch):
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "bot.py").write_text(ENTRY)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    policy = msgspec.structs.replace(POLICY, shipped=str(tmp_path / "shipped"))
    replies = io.BytesIO()
    request = Request(policy, str(tmp_path / "strategies" / "bot.py"), "Bot()", "wordle/1")
    player_process.play(request, io.BytesIO(b'{"new_game":{"seed":5}}\n'), replies)
    ready, move = map(json.loads, replies.getvalue().splitlines())
    assert ready["ready"][0][0] == "Bot()"
    assert move == {"move": ["wordle/1", random.Random(0).random()]}
    assert sys.dont_write_bytecode, "it would be stale if a file is saved twice within a second"
