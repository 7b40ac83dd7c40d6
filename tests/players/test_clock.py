"""CPU time decides who is late, so that a busy machine makes nobody late."""

import subprocess
import sys

import pytest

from tests.conftest import Terms
from wordpl import games
from wordpl.contest.match import play
from wordpl.core import seeds
from wordpl.core.records import Limits
from wordpl.players import clock

KEY = seeds.run_key("clock")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="CPU time is read from outside only on Linux")


class PatientTerms(Terms):
    timeout_s = 0.4
    warmup_s = 20.0
    limits = Limits()


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


def test_nobody_is_late_because_others_are_busy(pool, write_entry, lists):
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
    try:
        game, player = games.find("wordpl/1", lists), pool.player(write_entry(spinner("0.08")), PatientTerms)
        verdicts = {str(play(game, player, number, KEY, PatientTerms).verdict) for number in range(8)}
        player.close()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert verdicts == {"wrong"}


def test_a_game_late_by_little_is_played_once_more_and_both_are_recorded(pool, write_entry, lists):
    source = spinner("0.42 if self.games == 2 else 0.01")  # the first that counts; a fresh process begins anew
    game, player = games.find("wordpl/1", lists), pool.player(write_entry(source), PatientTerms)
    record = play(game, player, 0, KEY, PatientTerms)
    player.close()
    assert record.verdict == "late"
    assert PatientTerms.timeout_s < record.first_try.cpu_s <= clock.GRACE * PatientTerms.timeout_s
    assert record.first_try.moves == []


def test_a_game_late_by_much_is_not_played_again(pool, write_entry, lists):
    game, player = (
        games.find("wordpl/1", lists),
        pool.player(write_entry(spinner("9 if self.games == 2 else 0.01")), PatientTerms),
    )
    record = play(game, player, 0, KEY, PatientTerms)
    player.close()
    assert record.verdict == "late"
    assert record.first_try is None
