# ruff: noqa: E501 - an exploit and its verdict stand in one line
"""An entry does what it likes; its game ends with the right verdict, and the next one is played."""

import os
import signal
import threading
import time
from pathlib import Path

import msgspec
import pytest

from tests.conftest import CONFIG
from tests.helpers import killed_runs
from wordpl import games
from wordpl.contest.referee import play
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.players import process
from wordpl.players.base import PlayerError, TimeLimits
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.config import Limits, PlayerKind

DRAWS = Draws.of("players")
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc, which Linux has")


def bot(first_move, before=""):
    lines = [
        before,
        "class Bot:",
        "    def first_move(self):",
        *(f"        {line}" for line in first_move.splitlines()),
    ]
    return "\n".join([*lines, "    def next_move(self, guess, epsilon, clues):", "        return 'abide', 0"])


SAY = """
import os, time
def say(text):
    for fd in range(3, 30):
        try: os.write(fd, text)
        except OSError: pass
"""

EXPLOITS = {
    "sleeps": ("import time; time.sleep(60)", "late", "It was in first_move ("),
    "raises": ("raise ValueError('no idea')", "crashed", "ValueError: no idea"),
    "raises its own": ("class Own(BaseException): pass\nraise Own('mine')", "crashed", "Own: mine"),
    "raises what cannot be shown": (
        "class Own(Exception):\n    def __str__(self): raise ValueError\nraise Own",
        "crashed",
        "exception str() failed",
    ),
    "exits": ("import sys; sys.exit(3)", "crashed", "SystemExit: 3"),
    "exits at once": ("import os; os._exit(0)", "crashed", "the player's process ended with exit code 0"),
    "breaks its memory": ("import ctypes; ctypes.string_at(0)", "crashed", "was killed by SIGSEGV. It was in first_move ("),
    "aborts": ("import os; os.abort()", "crashed", "was killed by SIGABRT"),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", "crashed", "PermissionError"),
    "recurses": ("return self.first_move()", "crashed", "RecursionError"),
    "fills the memory": ("return bytearray(1 << 40), 1", "out of memory", "512 MiB"),
    "says too much": ("return 'x' * 10_000, 1", "illegal", "a reply must have at most 4096 bytes"),
    "says nothing of use": ("return object()", "illegal", "got <object object at 0x...>"),
    "returns half a letter": ("return '\\ud800' * 5, 1", "illegal", "is not a word of the guesses"),
    "returns an accent": ("return '\u00e9t\u00e9\u00e9s', 1", "illegal", "is not a word of the guesses"),
    "returns a set": ("return {1}", "illegal", "got {1}"),
    "returns NaN": ("return 'crane', float('nan')", "illegal", "got nan"),
    "returns numpy's NaN": ("import numpy; return 'crane', numpy.float32('nan')", "illegal", "got nan"),
    "returns a huge number": ("return 'crane', 10**4000", "illegal", "got 1000"),
    "returns a deep list": ("x = []\nfor _ in range(500): x = [x]\nreturn x", "illegal", "a move is a pair"),
    "returns an unknown word": ("return 'xyzzy', 1.0", "illegal", "'xyzzy' is not a word of the guesses"),
    "returns a str of its own": ("class S(str):\n    __eq__ = lambda a, b: True\n    __hash__ = str.__hash__\nreturn S('qqqqq'), 0", "illegal", "'qqqqq' is not a word"),
    "speaks garbage": (SAY + "say(b'\\xff\\xfe garbage\\n'); time.sleep(9)", "illegal", "a reply must be a line of JSON"),
    "speaks out of turn": (SAY + "say(b'{\"move\":[\"crane\",1.0]}\\n' * 2); return 'crane', 0", "illegal", "more than one line"),
    "forges a verdict": (SAY + "say(b'{\"fault\":\"won\",\"message\":7}\\n'); os._exit(0)", "crashed", ""),
    "closes everything": ("import os; os.closerange(0, 100); os._exit(0)", "crashed", "exit code 0"),
    "hangs up": ("import os, time; os.closerange(0, 100); time.sleep(60)", "crashed", "closed its end of the pipe"),
    "prints a lot": ("import os\nfor _ in range(50): print('x' * 10_000)\nos.write(2, b'y' * 100_000)\nreturn 'abide', 0", "wrong", ""),
    "reads its input": ("import sys; sys.stdin.read(); return 'abide', 0", "wrong", ""),
    "answers in numpy's types": ("import numpy as np; return np.str_('abide'), np.int64(0)", "wrong", ""),
}  # fmt: skip


IMPATIENT = msgspec.structs.replace(CONFIG, limits=Limits(wall_factor=1.0, wall_s=0.1))


@pytest.mark.parametrize("exploit", EXPLOITS)
def test_an_exploit_gets_its_verdict_and_the_next_game_is_played(pool, write_entry, lists, exploit, monkeypatch):
    source, verdict, message = EXPLOITS[exploit]
    config = IMPATIENT if exploit == "sleeps" else CONFIG
    if exploit == "hangs up":  # it never exits
        monkeypatch.setattr(process, "EXIT_GRACE_S", 0.2)
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(bot(source)), config)
    for number in range(2):
        record = play(game, player, number, DRAWS, config)
        assert record.verdict == verdict
        assert message in record.message
        assert player.duration(number).wall_s < 30  # exploits sleep for 60 s
    player.close()


def test_an_endless_native_loop_is_late_and_loses_only_its_game(pool, write_entry, lists):
    source = """
        from numba import njit

        @njit
        def spin(forever):
            n = 0
            while forever or n < 10:
                n += 1
            return n

        class Bot:
            games = 0
            def first_move(self):
                self.games += 1
                spin(self.games == 3)
                return "crane", 1.0
            def next_move(self, guess, epsilon, clues):
                return "abide", 0
    """
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(source), ROOMY)
    verdicts = [play(game, player, number, DRAWS, ROOMY).verdict for number in range(4)]
    assert verdicts == ["wrong", "late", "wrong", "late"]  # the warm-up is its first game in each process
    player.close()


UNISOLATED = msgspec.structs.replace(CONFIG, level="D")
"""A level at which a player's process has the same number for itself and for the test."""


ROOMY = msgspec.structs.replace(CONFIG, warmup_s=20.0, memory_mb=1024)


def test_warming_up_is_not_charged_to_a_game(pool, write_entry, lists):
    busy = "while not hasattr(self, 'warm') and time.process_time() < 0.3: pass"
    source = bot(f"{busy}\nself.warm = 1\nreturn 'crane', 1.0", "import time")
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(source), ROOMY)
    assert play(game, player, 0, DRAWS, ROOMY).verdict == "wrong"
    assert player.duration(0).cpu_s < 0.15
    player.close()


def test_a_file_that_does_not_import_crashes_with_its_traceback(pool, write_entry, lists):
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry("import nothing_of_that_name"), CONFIG)
    record = play(game, player, 0, DRAWS, CONFIG)
    assert record.verdict == "crashed"
    assert "ModuleNotFoundError: No module named 'nothing_of_that_name'" in record.message
    assert "wordpl/players" not in record.message
    player.close()


def test_an_import_that_hangs_is_late(pool, write_entry, lists):
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry("import time; time.sleep(60)"), CONFIG)
    assert play(game, player, 0, DRAWS, CONFIG).verdict == "late"
    player.close()


@needs_proc
def test_a_player_sees_nothing_of_the_referee(pool, write_entry, lists):
    """Neither its environment nor its open files, and its own folder holds the contest's lists."""
    source = bot(
        "import os\n"
        "found = [sorted(os.listdir()), sorted(os.environ), os.getcwd()]\n"
        "links = [os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}')]\n"
        "raise ValueError(f'{found} {links}')"
    )
    os.environ["WORDPL_TEST_TOKEN"] = "secret"
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(source), CONFIG)
    message = play(game, player, 0, DRAWS, CONFIG).message
    player.close()
    assert "['answers.txt', 'strategies', 'valid.txt']" in message
    assert "TOKEN" not in message
    assert "socket:" not in message


@needs_proc
def test_a_player_s_limit_of_open_files_counts_only_its_own_files(pool, write_entry, lists):
    """Neither what its fork server has open for other players, nor the paths that it may read, which can be many."""
    config = msgspec.structs.replace(CONFIG, limits=Limits(wall_s=0.2, open_files=8))
    source = bot("import os; raise ValueError(len(os.listdir('/proc/self/fd')) - 1)")
    game, players = games.make_game("wordpl/1", lists), [pool.player(write_entry(source), config) for _ in range(6)]
    try:
        messages = [play(game, player, 0, DRAWS, config).message for player in players]
    finally:
        for player in players:
            player.close()
    assert [message.rsplit(" ", 1)[1] for message in messages] == ["5"] * 6  # the standard ones and two pipes


@needs_proc
def test_processes_that_a_player_starts_end_with_it(pool, write_entry, lists, tmp_path):
    pid_file = tmp_path / "pid"
    source = bot(
        f"import os, time\nname = {str(pid_file)!r}\n"
        "if os.fork() == 0:\n    open(name + '.new', 'w').write(str(os.getpid()))\n"
        "    os.replace(name + '.new', name)\n    time.sleep(60)\n"
        "while not os.path.exists(name): time.sleep(0.01)\n"
        "return 'abide', 0"
    )
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(source), UNISOLATED)
    play(game, player, 0, DRAWS, UNISOLATED)
    child = int(pid_file.read_text())
    assert is_running(child)
    player.close()
    assert has_ended(child)


@needs_proc
def test_players_end_with_their_pool(write_entry, lists, tmp_path):
    with PlayerPool(lists, tmp_path) as pool:
        player = pool.player(write_entry(bot("import os; raise ValueError(os.getpid())")), UNISOLATED)
        pid = int(play(games.make_game("wordpl/1", lists), player, 0, DRAWS, UNISOLATED).message.rsplit(" ", 1)[1])
        assert is_running(pid)
    assert has_ended(pid)


@pytest.mark.slow
@needs_proc
def test_a_killed_fork_server_is_replaced(write_entry, lists, tmp_path):
    with PlayerPool(lists, tmp_path) as pool:
        player = pool.player(write_entry(bot("import os; raise ValueError(os.getppid())")), UNISOLATED)
        game = games.make_game("wordpl/1", lists)
        fork_server = int(play(game, player, 0, DRAWS, UNISOLATED).message.rsplit(" ", 1)[1])
        os.kill(fork_server, 9)
        assert has_ended(fork_server)
        record = play(game, player, 1, DRAWS, UNISOLATED)  # it was killed before a clue was sent: the game begins again
        assert (record.verdict, "ValueError" in record.message) == ("crashed", True)
        assert "ValueError" in play(game, player, 2, DRAWS, UNISOLATED).message
        player.close()


@needs_proc
@pytest.mark.slow
def test_a_player_that_was_killed_is_told_from_one_that_crashed_even_if_its_end_is_reported_late(pool, write_entry):
    player = pool.isolated(write_entry(bot("return 'crane', 5.0")), CONFIG)
    player.prepare()
    player.first_move(1, TimeLimits(5.0, 60.0))
    parent = int(Path(f"/proc/{player.pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGSTOP)  # as if it had to wait for a processor on a busy machine
    timer = threading.Timer(process.EXIT_GRACE_S + 1, os.kill, [parent, signal.SIGCONT])
    timer.start()
    os.kill(player.pid, signal.SIGKILL)
    with pytest.raises(PlayerError) as raised:
        player.next_move(NoisyMove("crane", 5.0, "....."))
    timer.join()
    assert (raised.value.verdict, str(raised.value)) == (
        Verdict.FAULT,
        "the player's process was killed by SIGKILL, from outside",
    )


def test_trusted_and_isolated_players_play_the_same_games(pool, write_entry, lists):
    source = """
        import random
        import numpy as np
        from wordpl import Strategy

        class Bot(Strategy):
            def first_move(self):
                return self.rng.choice(self.guesses), np.float64(random.choice([3.0, 4.0]))

            def next_move(self, guess, epsilon, clues):
                if clues.count(".") > 2:
                    return str(self.guesses[np.random.randint(len(self.guesses))]), 2
                return np.random.choice(self.answers), 0
    """
    entry, game = write_entry(source), games.make_game("wordpl/1", lists)
    trusted = msgspec.structs.replace(CONFIG, player=PlayerKind.TRUSTED)
    records = []
    for config in (CONFIG, trusted):
        player = pool.player(entry, config)
        records.append([play(game, player, number, DRAWS, config) for number in range(20)])
        player.close()
    assert records[0] == records[1]
    assert len({str(record.moves) for record in records[0]}) > 15


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def has_ended(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


@needs_proc
def test_a_player_and_not_its_referee_is_killed_when_the_machine_s_memory_runs_out(pool, write_entry):
    player = pool.isolated(write_entry(bot("return 'abide', 0")), CONFIG)
    try:
        player.prepare()
        scores = [int(Path(f"/proc/{process}/oom_score_adj").read_text()) for process in (player.pid, "self")]
    finally:
        player.close()
    assert scores[0] == 1000 > scores[1]


def test_the_first_player_of_a_template_that_exits_is_noticed_at_once(write_entry, lists, tmp_path):
    config = msgspec.structs.replace(UNISOLATED, level=probe.probe().level, warmup_s=30.0)
    with PlayerPool(lists, tmp_path) as pool, pytest.raises(PlayerError) as raised:
        pool.player(write_entry("import os; os._exit(3)"), config).prepare()
    assert raised.value.message == "the player's process ended with exit code 3"


@pytest.mark.slow
@needs_proc
@pytest.mark.skipif(probe.probe().level > Level.A, reason="only level A has templates in namespaces")
def test_a_template_that_was_killed_is_replaced(write_entry, lists, tmp_path):
    config = msgspec.structs.replace(UNISOLATED, level=Level.A, warmup_s=30.0)
    with PlayerPool(lists, tmp_path) as pool:
        player = pool.player(write_entry(bot("return 'crane', 1.0")), config)
        player.prepare()
        template = killed_runs.parent_of(player.pid)
        player.renew()
        assert Path(f"/proc/{template}").exists()
        os.kill(template, signal.SIGKILL)
        assert player.prepare()
        assert killed_runs.parent_of(player.pid) != template
