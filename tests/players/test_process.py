"""What the referee makes of what a player sends and of how it ends, with pipes of the test in place of a process."""

import os
import random
import time
from bdb import BdbQuit
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.conftest import CONFIG
from wordpl import Strategy
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.players import base, process
from wordpl.players.base import Clock, PlayerError, RefereePausedError, TimeLimits
from wordpl.players.diagnosis import Denied
from wordpl.players.fork_client import ForkedPlayer, ForkServerError, ProcessEnd, Request
from wordpl.players.process import MAX_STARTS, UNFLUSHED, LoadingPlayer, ProcessPlayer, TrustedPlayer
from wordpl.players.sandbox import processes
from wordpl.players.sandbox.levels import Level, SandboxPolicy
from wordpl.run.config import Limits
from wordpl.run.records import WALL_SHARE

NO_PROCESS = 2**22 + 1
"""The id of no process, whose CPU time nobody knows: its wall time counts."""
ROOMY = TimeLimits(60.0, 60.0)
READY = b'{"ready":[["Bot()","Bot","wordpl/1"]]}\n'
MOVE = NoisyMove("crane", 1.0, "..i.c")


class Pipes:
    """Stands for a fork server: starts players that are pipes, of which the test has the other ends."""

    def __init__(self, said=READY, end=None, errors=(), unread=b""):
        self.unread = unread
        self.said, self.how, self.errors = said, end or ProcessEnd("ended with exit code 1"), list(errors)
        self.n_started = self.n_ended = 0

    def start(self, request, output=None):
        self.n_started += 1
        if self.errors:
            raise self.errors.pop(0)
        self.requests, requests = os.pipe()
        replies, self.replies = os.pipe()
        for file in (requests, replies):
            os.set_blocking(file, False)
        os.write(requests, self.unread)
        self.send(self.said)
        return ForkedPlayer(NO_PROCESS, 1, 1, requests, replies)

    def send(self, line):
        os.write(self.replies, line)

    def received(self):
        return os.read(self.requests, 1 << 16)

    def end(self, child, grace_s=0):
        self.n_ended += 1
        for file in (child.requests, child.replies, self.requests, self.replies):
            if file is not None:
                os.close(file)
        self.requests = self.replies = None
        return self.how


def request(level=Level.D, **fields):
    return Request(SandboxPolicy(level, 512, 256, "/"), "bot.py", "Bot()", **fields)


@pytest.fixture
def player_of():
    """Return a function that returns a player that was started, on these pipes."""
    players = []

    def make(pipes, *, level=Level.D, kind=ProcessPlayer, config=CONFIG, started=True, **fields):
        players.append(kind(pipes, request(level, **fields), config))
        if started:
            players[-1].prepare()
        return players[-1]

    yield make
    for player in players:
        player.close()


def fault_of(ask, *arguments):
    with pytest.raises(PlayerError) as caught:
        ask(*arguments)
    return caught.value


def test_a_player_is_asked_line_by_line_and_started_once(player_of):
    pipes = Pipes()
    player = player_of(pipes)
    pipes.send(b'{"move":["crane",1.0]}\n')
    assert player.first_move(17, ROOMY) == ["crane", 1.0]
    assert pipes.received() == b'{"new_game":{"seed":17}}\n'
    pipes.send(b'{"move":NaN}\n')
    assert player.next_move(MOVE) != player.next_move  # NaN, which is not JSON, is a move that the rules refuse
    assert pipes.received() == b'{"move":["crane",1.0],"clues":"..i.c"}\n'
    assert (player.prepare(), player.pid) == (False, NO_PROCESS)
    player.renew()
    assert (player.prepare(), pipes.n_started, pipes.n_ended) == (True, 2, 1)


def test_one_to_three_entries_with_printable_expressions_are_declared(player_of):
    entry = '["Bot()","Bot","wordpl/1"]'
    for n_entries in (1, 3):
        pipes = Pipes(f'{{"ready":[{",".join([entry] * n_entries)}]}}\n'.encode())
        assert player_of(pipes, started=False).declared_entries() == [("Bot()", "Bot", "wordpl/1")] * n_entries
    for text in ("[]", f"[{','.join([entry] * 4)}]", entry.join("[]").replace("Bot()", "B\\u001b"), "7", '[["x"]]'):
        fault = fault_of(player_of(Pipes(f'{{"ready":{text}}}\n'.encode()), started=False).declared_entries)
        assert (fault.verdict, "one to 3 entries" in str(fault)) == (Verdict.ILLEGAL, True), text


def test_a_killed_fork_server_is_replaced_so_often_and_one_that_ends_by_itself_is_not(player_of):
    pipes = Pipes(errors=[ForkServerError("killed")] * (MAX_STARTS - 1))
    assert player_of(pipes).pid == NO_PROCESS
    pipes = Pipes(errors=[ForkServerError("killed")] * MAX_STARTS)
    with pytest.raises(ForkServerError):
        player_of(pipes)
    assert pipes.n_started == MAX_STARTS
    pipes = Pipes(errors=[ForkServerError("broken", by_itself=True)])
    with pytest.raises(ForkServerError, match="broken"):
        player_of(pipes)
    assert pipes.n_started == 1


ENDS = {
    ProcessEnd("ended with exit code 3"): (Verdict.CRASHED, "the player's process ended with exit code 3"),
    ProcessEnd("was killed by SIGKILL", from_outside=True): (
        Verdict.FAULT,
        "the player's process was killed by SIGKILL, from outside",
    ),
    ProcessEnd("was killed by SIGKILL", from_outside=True, out_of_memory=True): (
        Verdict.MEMORY,
        "the system killed it because memory ran out",
    ),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("closes", ["requests", "replies"])
def test_how_a_player_ends_decides_the_verdict(player_of, end, closes):
    pipes = Pipes(end=end)
    player = player_of(pipes)
    os.close(getattr(pipes, closes))
    setattr(pipes, closes, None)
    fault = fault_of(player.first_move, 1, ROOMY)
    assert (fault.verdict, str(fault)) == ENDS[end]
    assert (player.pid, pipes.n_ended) == (None, 1)
    assert fault_of(player.next_move, MOVE).verdict == Verdict.CRASHED  # it is not running


REPLIES = {
    b'{"move":["crane",1.0]} ' + b" " * 90 + b"\n": (Verdict.ILLEGAL, "a reply must have at most 100 bytes"),
    b"x" * 101: (Verdict.ILLEGAL, "a reply must have at most 100 bytes"),
    b'{"move":1}\n{"move":1}\n': (Verdict.ILLEGAL, "more than one line for one request"),
    b'{"other":1}\n': (Verdict.ILLEGAL, 'a reply must be a line of JSON like {"move": ...}'),
    b"nonsense\n": (Verdict.ILLEGAL, "got b'nonsense"),
    b'{"fault":"crashed","message":"oh"}\n': (Verdict.CRASHED, "oh"),
    b'{"fault":"won","message":7,"denied":7}\n': (Verdict.CRASHED, ""),
    b'{"fault":"out of memory","message":"It was in f"}\n': (Verdict.MEMORY, "it may use 512 MiB. It was in f"),
}


@pytest.mark.parametrize("reply", REPLIES)
def test_what_is_no_move_is_a_fault_and_only_a_fault_that_is_reported_leaves_the_process_alive(player_of, reply):
    pipes = Pipes()
    player = player_of(pipes, config=msgspec.structs.replace(CONFIG, limits=Limits(reply_bytes=100)))
    pipes.send(reply)
    fault = fault_of(player.first_move, 1, ROOMY)
    verdict, message = REPLIES[reply]
    assert fault.verdict == verdict
    assert message in str(fault)
    assert pipes.n_ended == (verdict != Verdict.CRASHED)


def test_a_rule_of_the_sandbox_is_named_where_it_holds(player_of):
    line = f'{{"fault":"crashed","message":"PermissionError","denied":"{Denied.NETWORK}"}}\n'.encode()
    for level, is_named in ((Level.A, True), (Level.D, False)):
        pipes = Pipes()
        player = player_of(pipes, level=level)
        pipes.send(line)
        fault = fault_of(player.first_move, 1, ROOMY)
        assert ("The sandbox has no network" in fault.message, bool(fault.rule)) == (is_named, is_named)
        assert fault.message.endswith(fault.rule)


def test_a_player_that_does_not_read_is_stopped(player_of):
    pipes = Pipes(unread=bytes(1 << 16))
    fault = fault_of(player_of(pipes).next_move, MOVE)
    assert (fault.verdict, str(fault)) == (Verdict.ILLEGAL, "the player does not read what it is sent")
    assert pipes.n_ended == 1


def test_a_player_that_sends_nothing_or_too_late_is_late(player_of):
    for fields, message in (({}, ""), ({"command": ["node"]}, UNFLUSHED)):
        player = player_of(Pipes(), **fields)
        began = time.monotonic()
        fault = fault_of(player.first_move, 1, TimeLimits(0.02, 0.02))
        assert (fault.verdict, str(fault)) == (Verdict.LATE, message)
        assert time.monotonic() - began >= 0.02
    pipes = Pipes()
    player = player_of(pipes)
    pipes.send(b'{"move":1}\n')
    fault = fault_of(player.first_move, 1, TimeLimits(0.0, 0.0))
    assert (fault.verdict, str(fault)) == (Verdict.LATE, "Its reply came after the limit")
    slow = Pipes(said=b"{")  # it never says that it is ready
    fault = fault_of(player_of(slow, started=False, config=msgspec.structs.replace(CONFIG, warmup_s=0.02)).prepare)
    assert (fault.verdict, slow.n_ended) == (Verdict.LATE, 1)


def test_the_line_on_which_a_signal_ended_a_player_is_named(player_of):
    pipes = Pipes(end=ProcessEnd("was killed by SIGSEGV"))
    player = player_of(pipes)
    stack = b'  File "/x/my_bot.py", line 9 in search\n  File "<string>", line 1 in <module>\n'
    pipes.send(b"Fatal Python error: Segmentation fault\n\nCurrent thread (most recent call first):\n" + stack)
    fault = fault_of(player.first_move, 1, ROOMY)
    assert fault.verdict == Verdict.CRASHED
    assert str(fault).endswith("was killed by SIGSEGV. It was in search (my_bot.py, line 9)")


def played_s(player, pipes):
    """Return the duration of a game of one move."""
    pipes.send(b'{"move":1}\n')
    player.first_move(1, ROOMY)
    return player.duration(0)


def restart(player, pipes):
    """Let the player's process end in a game, and start another one."""
    os.close(pipes.replies)
    pipes.replies = None
    fault_of(player.first_move, 1, ROOMY)
    player.duration(0)
    player.prepare()


def test_only_a_restart_after_a_failure_is_charged_and_only_once(player_of):
    pipes = Pipes()
    player = player_of(pipes)
    time.sleep(0.02)
    assert played_s(player, pipes).start_s == 0.0
    player.renew()
    player.prepare()
    time.sleep(0.02)
    assert played_s(player, pipes).start_s == 0.0  # nobody's fault
    restart(player, pipes)
    time.sleep(0.05)
    charged = played_s(player, pipes)
    assert charged.start_s >= WALL_SHARE * 0.05
    assert (charged.game, charged.cpu_s, charged.wall_s > 0) == (0, None, True)
    assert played_s(player, pipes).start_s == 0.0


def test_a_restart_after_a_kill_from_outside_is_not_charged(player_of):
    pipes = Pipes(end=ProcessEnd("was killed by SIGKILL", from_outside=True))
    player = player_of(pipes)
    restart(player, pipes)
    time.sleep(0.02)
    assert played_s(player, pipes).start_s == 0.0


def test_all_cpu_time_is_charged_to_a_game_once_and_that_of_a_failed_process_to_the_next_start(player_of, monkeypatch):
    used = 0.0
    for module in (process, base):
        monkeypatch.setattr(module, "cpu_s", lambda pid: used)
    pipes = Pipes()
    player = player_of(pipes)

    def begin(at_s):
        nonlocal used
        used = at_s
        pipes.send(b'{"move":1}\n')
        player.first_move(1, ROOMY)

    for began_s, ended_s in ((2.0, 3.0), (3.5, 4.0)):  # it computes between the two games, too
        begin(began_s)
        used = ended_s
        duration = player.duration(0)
        assert (duration.cpu_s, duration.start_s) == (1.0, 0.0)

    def fail(at_s):
        nonlocal used
        used = at_s
        os.close(pipes.replies)
        pipes.replies = None
        fault_of(player.first_move, 1, ROOMY)
        used = 0.0
        player.prepare()

    fail(9.0)
    begin(2.0)
    used = 3.0
    duration = player.duration(0)
    assert (duration.cpu_s, duration.start_s) == (1.0, 9.0 - 4.0 + 2.0)
    fail(3.0)
    time.sleep(0.02)  # it waits
    begin(0.0)
    assert player.duration(0).start_s >= WALL_SHARE * 0.02


class PausedClock(Clock):
    """The clock of a referee that did not run for some time, while its player did not compute."""

    def tick(self):
        super().tick()
        self.paused_s = 2.0


@pytest.mark.parametrize("reply", [b"", b'{"move":1}\n'])
def test_nobody_is_late_while_the_referee_paused_nor_charged_for_the_restart(player_of, monkeypatch, reply):
    pipes = Pipes()
    player = player_of(pipes)
    pipes.send(reply)
    monkeypatch.setattr(process, "Clock", PausedClock)
    monkeypatch.setattr(PausedClock, "cpu_s", 0.0)
    monkeypatch.setattr(PausedClock, "is_late", lambda clock: True)
    monkeypatch.setattr(PausedClock, "left_s", lambda clock: 0.0)
    fault = fault_of(player.first_move, 1, TimeLimits(0.0, 0.0))
    assert (type(fault), fault.verdict, player.pid, pipes.n_ended) == (RefereePausedError, Verdict.FAULT, None, 1)
    player.duration(0)
    monkeypatch.undo()
    player.prepare()
    time.sleep(0.02)
    assert played_s(player, pipes).start_s == 0.0


def test_a_player_that_loads_a_file_plays_as_the_chosen_entry(player_of):
    for fields, chosen in (({}, b'{"choose":2,"game":"wordle/1"}\n'), ({"command": ["node"]}, b"")):
        pipes = Pipes()
        player = player_of(pipes, kind=LoadingPlayer, **fields)
        player.choose(2, "wordle/1")
        for expected in (chosen, b""):
            played_s(player, pipes)
            assert pipes.received() == expected + b'{"new_game":{"seed":1}}\n'


def test_a_player_that_tries_to_open_files_is_stopped_then(player_of):
    pipes = Pipes(said=b'{"ready":["/etc/passwd"]}\n')
    assert player_of(pipes, started=False, attempts=["/etc/passwd", "/x"]).opened() == ["/etc/passwd"]
    assert pipes.n_ended == 1


def test_a_referee_has_all_its_processors_again_when_its_player_is_closed(player_of):
    player = player_of(Pipes())
    player.close()
    assert not processes.own_processors() or os.sched_getaffinity(0) == processes.own_processors()


def test_a_reply_is_parsed_up_to_its_limit():
    assert process.parse_reply(b'{"move":1}\n', "move", 11) == 1
    assert fault_of(process.parse_reply, b'{"move":1}\n', "move", 10).verdict == Verdict.ILLEGAL


FILE = """
import random
from wordpl import Strategy

class Bot(Strategy):
    version, drawn = 1, random.random()

    def first_move(self):
        return "crane", self.drawn

    def next_move(self, guess, epsilon, clues):
        return self.first_move()
"""


class Given(Strategy):
    error = None

    next_move = None

    def first_move(self):
        if self.error:
            raise self.error
        return np.str_("crane"), (self.rules, self.rng.random(), str(Path.cwd()))


@pytest.fixture
def trusted_of(write_entry, tmp_path):
    """Return a function that returns a trusted player of a file or of a strategy."""
    home, players = str(Path.cwd()), []
    (tmp_path / "working").mkdir()

    def make(given=None):
        players.append(TrustedPlayer(write_entry(FILE, rules="wordle/1"), tmp_path / "working", given))
        return players[-1]

    yield make
    for player in players:
        player.close()
    assert str(Path.cwd()) == home


def test_a_trusted_player_plays_in_its_folder_with_the_seed_of_the_game_and_sends_what_a_process_would(
    trusted_of, tmp_path
):
    player = trusted_of(Given())
    assert player.prepare() is False
    moves = [player.first_move(seed, ROOMY) for seed in (5, 5, 6)]
    assert moves[0] == moves[1] != moves[2]
    assert moves[0][1][::2] == ["wordle/1", str(tmp_path / "working")]
    assert {type(moves[0]), type(moves[0][0])} == {list, str}
    duration = player.duration(3)
    assert (duration.game, duration.cpu_s, duration.wall_s >= 0) == (3, None, True)


def test_what_a_trusted_file_draws_when_it_is_imported_is_the_same_each_time_and_it_is_read_anew(trusted_of, tmp_path):
    for word in ("crane", "slate"):
        random.random()
        player = trusted_of()
        (tmp_path / "bot.py").write_text(FILE.replace("crane", word))
        assert [make for make, _, _ in player.declared_entries()] == ["Bot()"]
        player.prepare()
        assert player.first_move(1, ROOMY) == (word, random.Random(0).random())
        player.close()


@pytest.mark.parametrize(("error", "verdict"), [(MemoryError(), Verdict.MEMORY), (SystemExit(3), Verdict.CRASHED)])
def test_an_error_of_a_trusted_player_has_the_verdict_of_a_process(trusted_of, error, verdict):
    given = Given()
    player = trusted_of(given)
    player.prepare()
    given.error = error
    assert fault_of(player.first_move, 1, ROOMY).verdict == verdict
    given.error = BdbQuit()
    with pytest.raises(KeyboardInterrupt):  # who quits the debugger ends the run
        player.first_move(1, ROOMY)
