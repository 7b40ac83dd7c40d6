"""An entry has so much time for all its games; whatever it does, it gets little more, and the rest counts as lost."""

import pytest

from tests.helpers.runs import new_run
from wordpl.contest import Contest
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Run, Verdict
from wordpl.core.run_records import RunRecords
from wordpl.reports.remarks import irregularities
from wordpl.reports.run_report import RunReport

BURNS = """
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
HONEST = BURNS.format(seconds="0.0", then="pass")
AT_LAST = BURNS.format(seconds="0.1 * (self.games > 40)", then="pass")
IN_WARM_UP = BURNS.format(seconds="0.5 * (self.games == 1)", then="if self.games > 1: __import__('os')._exit(1)")


def played(folder, sources, **terms):
    run = new_run(folder, sources, **terms)
    Contest.resume(run.folder, jobs=1).play()
    return Run(run.folder)


def n_played(run, entry):
    return sum(record.verdict != Verdict.UNPLAYED for record in run.read(entry))


@pytest.mark.slow
def test_games_beyond_the_time_for_all_are_lost_unplayed_and_named(tmp_path):
    run = played(tmp_path, {"slow": BURNS.format(seconds="0.05", then="pass"), "honest": HONEST}, total_s=0.5)
    slow, honest = run.entries
    records = run.read(slow)
    assert len(records) == 60
    assert n_played(run, honest) == 60
    assert 10 <= n_played(run, slow) < 40
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
    run = played(tmp_path, {"slow": BURNS.format(seconds="0.05", then="pass")}, total_s=0.5)
    entry, kept = run.entries[0], run.path(run.entries[0]).read_bytes()
    some = [line for line in kept.splitlines(keepends=True) if b"unplayed" not in line]
    run.path(entry).write_bytes(b"".join(some))
    run.info.finished = None
    run.write_info()
    Contest.resume(run.folder, jobs=1).play()
    assert run.path(entry).read_bytes() == kept


@pytest.mark.slow
def test_an_entry_that_becomes_slow_late_gets_no_more_time_than_a_slow_one(tmp_path):
    run = played(tmp_path, {"late": AT_LAST}, n_games=2000, total_s=1.0)
    used_s = run.cpu_used_s(run.entries[0])
    assert 1.0 <= used_s < 6.0  # not 2,000 games of 0.1 s, which it was thought to play in no time
    assert n_played(run, run.entries[0]) < 200


@pytest.mark.slow
def test_time_for_being_started_again_after_a_fault_counts_too(tmp_path):
    run = played(tmp_path, {"warm": IN_WARM_UP}, total_s=2.0)
    (entry,) = run.entries
    assert {record.verdict for record in run.read(entry)} == {Verdict.CRASHED, Verdict.UNPLAYED}
    assert n_played(run, entry) < 10
    rows = [line.split(";") for line in run.durations_path(entry).read_text().splitlines()[1:]]
    assert float(rows[0][4]) == 0.0  # every entry is started once
    assert all(float(cpu_s) < 0.2 and float(start_s) > 0.4 for _, cpu_s, _, _, start_s in rows[1:])


@pytest.mark.slow
def test_starting_and_warming_up_an_honest_entry_takes_none_of_its_time(tmp_path):
    warm = BURNS.format(seconds="0.5 * (self.games == 1)", then="pass")
    run = played(tmp_path, {"honest": warm}, player=PlayerKind.PROCESS, total_s=0.4)
    rows = [line.split(";") for line in run.durations_path(run.entries[0]).read_text().splitlines()[1:]]
    assert [float(row[4]) for row in rows] == [0.0] * 60
    assert n_played(run, run.entries[0]) == 60
