"""An entry that has used up its total time gets little more, and its remaining games count as lost."""

from textwrap import dedent

import pytest

from tests.helpers.runs import new_run, resume
from wordpl.contest import determinism
from wordpl.core.moves import Verdict
from wordpl.reports.run_report import RunReport, irregularities
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run, RunRecords
from wordpl.verify import verify

BUSY_BOT = """
    import time

    class Bot:
        games = 0
        def first_move(self):
            self.games += 1
            until = time.thread_time() + {seconds}
            while time.thread_time() < until: pass
            {then}
            return "crane", 1.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""
HONEST = BUSY_BOT.format(seconds="0.0", then="pass")
SLOW_AFTER_40_GAMES = BUSY_BOT.format(seconds="0.1 * (self.games > 40)", then="pass")
SLOW_WARM_UP_THEN_CRASH = BUSY_BOT.format(
    seconds="0.5 * (self.games == 1)", then="if self.games > 1: __import__('os')._exit(1)"
)
SLEEPS_WHERE_GAMES_ARE_REPEATED = """
    import time

    class Bot:
        games = 0
        def first_move(self):
            self.games += 1
            if self.games == 2: time.sleep(1.2)
            return "crane", 1.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""
SLEEPS_AT_ITS_START = "import os, time\ntime.sleep(1.5)\n" + dedent(
    BUSY_BOT.format(seconds="0.0", then="if self.games > 1: os._exit(1)")
)


def played_run(folder, sources, **settings):
    run = new_run(folder, sources, **settings)
    resume(run, jobs=1).play()
    return Run(run.folder)


def n_played(run, entry):
    return sum(record.verdict != Verdict.UNPLAYED for record in run.entry(entry).read())


@pytest.mark.slow
def test_games_beyond_the_total_time_are_lost_unplayed_and_reported(tmp_path):
    run = played_run(tmp_path, {"slow": BUSY_BOT.format(seconds="0.05", then="pass"), "honest": HONEST}, total_s=0.5)
    slow, honest = run.info.entries
    records = run.entry(slow).read()
    assert len(records) == 60
    assert n_played(run, honest) == 60
    assert 5 <= n_played(run, slow) < 40  # each takes .05 s, and some more on a busy machine
    unplayed = [record for record in records if record.verdict == Verdict.UNPLAYED]
    assert all(record.secret and not record.moves for record in unplayed)
    assert all("had used up its time" in record.message for record in unplayed)
    remarks = "\n".join(irregularities(RunRecords(run)))
    assert f"slow used up its time for all games: {len(unplayed)} games were not played and count as lost" in remarks
    assert "honest" not in remarks
    scores = RunReport(RunRecords(run)).scores_csv().splitlines()
    row = dict(
        zip(scores[0].split(";"), next(line for line in scores if line.startswith("slow")).split(";"), strict=True)
    )
    assert round(60 * float(row["unplayed"]), 6) == len(unplayed)


@pytest.mark.slow
def test_a_resumed_run_counts_the_time_used_before(tmp_path):
    run = played_run(tmp_path, {"slow": BUSY_BOT.format(seconds="0.05", then="pass")}, total_s=0.5)
    entry, all_records = run.info.entries[0], run.entries[0].records_path.read_bytes()
    played_records = [line for line in all_records.splitlines(keepends=True) if b"unplayed" not in line]
    run.entry(entry).records_path.write_bytes(b"".join(played_records))
    run.info.finished = None
    run.write_info()
    resume(run, jobs=1).play()
    assert run.entry(entry).records_path.read_bytes() == all_records


@pytest.mark.slow
def test_an_entry_that_becomes_slow_late_gets_little_more_than_its_total_time(tmp_path):
    run = played_run(tmp_path, {"late": SLOW_AFTER_40_GAMES}, n_games=2000, total_s=1.0)
    used_s = run.entries[0].cpu_used_s()
    assert 1.0 <= used_s < 6.0  # not 2,000 games of 0.1 s, though its first 40 took no time
    assert n_played(run, run.info.entries[0]) < 200


@pytest.mark.slow
def test_the_time_to_restart_after_a_crash_counts_too(tmp_path):
    run = played_run(tmp_path, {"warm": SLOW_WARM_UP_THEN_CRASH}, total_s=2.0)
    (entry,) = run.info.entries
    assert {record.verdict for record in run.entry(entry).read()} == {Verdict.CRASHED, Verdict.UNPLAYED}
    assert n_played(run, entry) < 10
    rows = [line.split(";") for line in run.entry(entry).durations_path.read_text().splitlines()[1:]]
    assert float(rows[0][4]) == 0.0  # every entry is started once
    assert all(float(cpu_s) < 0.2 and float(start_s) > 0.4 for _, cpu_s, _, _, start_s in rows[1:])


@pytest.mark.slow
def test_starting_and_warming_up_an_honest_entry_takes_none_of_its_time(tmp_path):
    slow_to_warm_up = BUSY_BOT.format(seconds="1.5 * (self.games == 1)", then="pass")
    run = played_run(tmp_path, {"honest": slow_to_warm_up}, player=PlayerKind.PROCESS, total_s=1.2)
    rows = [line.split(";") for line in run.entries[0].durations_path.read_text().splitlines()[1:]]
    assert [float(row[4]) for row in rows] == [0.0] * 60
    assert n_played(run, run.info.entries[0]) == 60


@pytest.mark.long
@pytest.mark.timeout(120)
def test_repetitions_of_an_entry_that_sleeps_in_them_end_with_a_third_of_its_total_time(tmp_path):
    """Fifty repetitions that sleep for 1.2 s each would take a minute."""
    run = played_run(tmp_path, {"sleeper": SLEEPS_WHERE_GAMES_ARE_REPEATED, "honest": HONEST}, total_s=6.0, repeats=50)
    sleeper, honest = (run.entry(entry).repeats() for entry in run.info.entries)
    is_unplayed = [lines[0].verdict == Verdict.UNPLAYED for lines in sleeper.values()]
    assert len(sleeper) == len(honest) == 50
    assert 2 <= is_unplayed.count(False) < 8
    assert not any(line.verdict == Verdict.UNPLAYED for lines in honest.values() for line in lines)
    found = {finding.entry.name: finding for finding in determinism.findings(RunRecords(run))}
    assert (found["sleeper"].is_evasive, found["honest"].is_evasive) == (True, False)
    assert verify(run, run.info.config.load_lists()).differences == []


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_an_entry_that_sleeps_whenever_it_is_restarted_uses_up_its_time(tmp_path):
    run = played_run(tmp_path, {"sleeper": SLEEPS_AT_ITS_START}, total_s=2.0)
    assert 2 <= n_played(run, run.info.entries[0]) < 8
