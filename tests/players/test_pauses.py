"""Who fails says why in a short text; nobody is to blame for a referee that did not run, nor pays for its pause."""

from types import SimpleNamespace

import pytest

from wordpl.core.moves import Verdict
from wordpl.players import base
from wordpl.players.base import PlayerError, RefereePausedError, TimeLimits

LIMITS = TimeLimits(cpu_s=2.0, wall_s=5.0)


@pytest.fixture
def system(monkeypatch):
    """The time and the player's CPU time, as the system reports them."""
    now = SimpleNamespace(wall=0.0, cpu=0.0, own_wait=0.0)
    monkeypatch.setattr(base, "_N_PROCESSORS", 1)
    monkeypatch.setattr(base, "time", SimpleNamespace(perf_counter=lambda: now.wall))
    monkeypatch.setattr(base, "cpu_s", lambda pid: now.cpu)
    monkeypatch.setattr(base, "run_queue_wait_s", lambda process: now.own_wait if process == "thread-self" else 0.0)
    monkeypatch.setattr(base, "_is_runnable", lambda pid: False)
    return now


def test_an_error_of_a_player_is_one_short_text_without_controls():
    error = PlayerError(Verdict.CRASHED, "a\x1b[31m\n\tb" + "x" * 9000)
    assert str(error).startswith("a?[31m\n\tb")
    assert len(str(error)) == base.MAX_MESSAGE_CHARACTERS == 4000
    assert RefereePausedError(2.0).verdict == Verdict.FAULT


@pytest.mark.parametrize(
    ("wall", "cpu", "paused_s"),
    [
        (10.0, 0.1, 9.5),  # the machine slept
        (10.0, 4.0, 9.5),
        (10.0, 6.0, 0.0),  # it computed most of the time, and the referee had no processor
        (1.4, 0.0, 0.0),
        (1.6, 0.0, 1.1),
        (10.0, None, 0.0),
    ],
)
def test_a_late_tick_is_a_pause_unless_the_player_computed_meanwhile(system, wall, cpu, paused_s):
    clock = base.Clock(1, LIMITS)
    system.wall, system.cpu = wall, cpu
    clock.tick()
    assert clock.paused_s == pytest.approx(paused_s)
    system.wall += 0.4
    clock.tick()
    assert clock.paused_s == pytest.approx(paused_s)
    assert clock.is_void == (paused_s > 0 and cpu <= LIMITS.cpu_s)


def test_what_it_computed_before_the_delay_is_not_counted_as_computed_meanwhile(system):
    clock = base.Clock(1, LIMITS)
    for _ in range(10):
        system.wall += 0.4
        system.cpu += 0.4
        clock.tick()
    system.wall += 2.6
    clock.tick()
    assert clock.paused_s == pytest.approx(2.1)


def test_a_clock_that_was_stopped_stands_still_and_the_next_one_begins_where_it_stopped(system):
    clock = base.Clock(1, LIMITS, cpu_at_start=-0.5)
    system.wall, system.cpu = 1.0, 0.25
    assert clock.stop() == (0.75, 1.0)
    system.wall, system.cpu = 2.0, 0.5
    assert clock.stop() == (clock.cpu_s, clock.wall_s) == (0.75, 1.0)
    assert clock.cpu_at_end == 0.25


def test_a_player_is_checked_again_before_it_can_be_late(system):
    clock = base.Clock(1, LIMITS)
    assert clock.unmeasured_s() == pytest.approx(0.1)
    assert clock.left_s() == pytest.approx(0.1)
    system.wall, system.cpu = 0.05, 1.97
    assert clock.left_s() == pytest.approx(0.03)


def test_a_player_that_waits_with_the_referee_has_more_time_and_one_that_is_computing_is_checked_soon(
    system, monkeypatch
):
    clock = base.Clock(1, LIMITS)
    system.own_wait = 3.0  # before its first slow move
    system.wall, system.cpu = 0.2, 0.0
    clock.left_s()
    system.wall, system.own_wait = 6.0, 5.0
    assert clock.left_s() == pytest.approx(1.0)
    system.wall = 7.5
    assert clock.left_s() == pytest.approx(-0.5)
    monkeypatch.setattr(base, "_is_runnable", lambda pid: True)
    assert clock.left_s() == base.RECHECK_S
    assert not clock.is_late()
