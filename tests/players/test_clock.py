"""CPU time decides who is late, so that a busy machine makes nobody late."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest.referee import play
from wordpl.core.seeds import Draws
from wordpl.players import base
from wordpl.players.base import TimeLimits
from wordpl.run.config import Limits, RunConfig

DRAWS = Draws.of("clock")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="CPU time is read from outside only on Linux")


PATIENT = msgspec.structs.replace(CONFIG, timeout_s=0.4, warmup_s=20.0, limits=Limits(), enforced_s=0.4)


GRACE = msgspec.structs.replace(PATIENT, timeout_s=0.6, enforced_s=None, limits=Limits(wall_factor=20))


class SeedRecorder:
    """A player that keeps the seeds of the games it began."""

    def __init__(self, player):
        self.player, self.seeds = player, []

    def first_move(self, seed, allowance):
        self.seeds.append(seed)
        return self.player.first_move(seed, allowance)

    def __getattr__(self, name):
        return getattr(self.player, name)


def spinner(seconds: str) -> str:
    return f"""
        import time

        class Bot:
            games = 0
            def first_move(self):
                self.games += 1
                until = time.process_time() + ({seconds})
                while time.process_time() < until: pass
                return "abide", 0
            def next_move(self, *asked): pass
    """


@pytest.mark.long  # keeps the processors busy
def test_busy_processes_make_no_player_late(pool, write_entry, lists):
    busy_processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
    try:
        game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(spinner("0.08")), PATIENT)
        verdicts = {str(play(game, player, number, DRAWS, PATIENT).verdict) for number in range(8)}
        player.close()
    finally:
        for process in busy_processes:
            process.kill()
            process.wait()
    assert verdicts == {"wrong"}


@pytest.mark.parametrize(("seconds", "n_moves", "verdict"), [("0.61", 1, "wrong"), ("0.7", 0, "late")])
def test_a_game_is_played_once_and_counts_up_to_the_time_that_is_enforced(
    pool, write_entry, lists, seconds, n_moves, verdict
):
    source = spinner(f"{seconds} if self.games == 2 else 0.01")  # the first that counts; a fresh process begins anew
    game, player = games.make_game("wordpl/1", lists), SeedRecorder(pool.player(write_entry(source), GRACE))
    record = play(game, player, 0, DRAWS, GRACE)
    duration = player.duration(0)
    player.close()
    assert (record.verdict, len(record.moves)) == (verdict, n_moves)
    assert player.seeds.count(DRAWS.game(0).strategy_seed) == 1
    assert duration.cpu_s > GRACE.timeout_s
    assert (duration.cpu_s > GRACE.cpu_limit_s) == (verdict == "late")


def test_a_run_can_enforce_the_announced_time_without_grace(pool, write_entry, lists):
    source = spinner("0.42 if self.games == 2 else 0.01")
    game, player = games.make_game("wordpl/1", lists), pool.player(write_entry(source), PATIENT)
    record = play(game, player, 0, DRAWS, PATIENT)
    player.close()
    assert record.verdict == "late"


def test_the_waiting_time_of_a_thread_is_that_of_schedstat():
    file = Path("/proc/thread-self/schedstat")
    if not file.exists():
        pytest.skip("this system does not note it")
    before = int(file.read_text().split()[1]) / 1e9
    waited = base.run_queue_wait_s("thread-self")
    assert before <= waited <= int(file.read_text().split()[1]) / 1e9
    assert base.run_queue_wait_s(2**22 + 1) == 0.0


def test_the_wall_limit_is_a_multiple_of_the_cpu_limit_plus_a_constant():
    config = RunConfig(timeout_s=2.0, enforced_s=2.5, limits=Limits(wall_factor=3.0, wall_s=0.7))
    assert base.allowance(config) == TimeLimits(2.5, 3.0 * 2.0 + 0.7)


@dataclass
class Times:
    """What the system would report in a game that has begun at 0, in seconds."""

    wall: float
    cpu: float | None
    waited: float = 0.0


LIMITS = TimeLimits(cpu_s=2.0, wall_s=5.0)
NO_PROCESS = 2**22 + 1
GAMES = {
    "all of its CPU time": (Times(1.9, 1.9), 1, False, 0.1),
    "more CPU time": (Times(3.0, 2.01), 1, True, -0.01),
    "more CPU time, of two processors": (Times(1.1, 2.05), 2, True, -0.05),
    "asleep for less than the wall limit": (Times(4.9, 0.5), 1, False, 0.1),
    "asleep for more": (Times(5.1, 0.5), 1, True, -0.1),
    "waiting for a processor": (Times(20.0, 0.5, 16.0), 1, False, 1.0),
    "asleep for too long, and waiting": (Times(22.0, 0.5, 16.0), 1, True, -1.0),
    "waiting for almost ten times the limit": (Times(49.9, 0.5, 49.0), 1, False, 0.1),
    "waiting for more than ten times the limit": (Times(50.1, 0.5, 49.9), 1, True, -45.1),
    "unknown CPU time": (Times(1.9, None), 1, False, 0.1),
    "unknown CPU time, too late": (Times(2.1, None), 1, True, -0.1),
}


@pytest.mark.parametrize("name", GAMES)
def test_who_is_late_follows_from_cpu_time_wall_time_and_waiting(monkeypatch, name):
    times, n_processors, is_late, left_s = GAMES[name]
    now = Times(0.0, None if times.cpu is None else 0.0)
    monkeypatch.setattr(base, "_N_PROCESSORS", n_processors)
    monkeypatch.setattr(base, "time", SimpleNamespace(perf_counter=lambda: now.wall))
    monkeypatch.setattr(base, "cpu_s", lambda pid: now.cpu)
    monkeypatch.setattr(base, "run_queue_wait_s", lambda process: now.waited if process == NO_PROCESS else 0.0)
    game = base.Clock(NO_PROCESS, LIMITS)
    now.wall = base.UNMEASURED_SHARE * LIMITS.wall_s  # from here on, waiting is measured
    game.left_s()
    now.wall, now.cpu, now.waited = times.wall, times.cpu, times.waited
    assert game.is_late() == is_late
    assert game.left_s() == pytest.approx(left_s)
